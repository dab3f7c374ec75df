// Badges: a sign and a word, so that colour is never alone.

import { el, icon } from './dom.js';

const SIGNS = { ok: 'check', fail: 'close', warn: 'alert', run: 'loader', idle: 'minus', accent: 'info' };

/** `badge('ok', 'RUNNING')`; kinds: ok, fail, warn, run, idle, accent. */
export const badge = (kind, text, { sign = SIGNS[kind], tip } = {}) =>
  el('span', { class: `badge ${kind}`, 'data-tip': tip }, sign && icon(sign, kind === 'run' ? 'turns' : ''), text);

/** A word of a kind without meaning good or bad: a type, a version. */
export const tag = (text) => el('span', { class: 'badge square' }, text);
