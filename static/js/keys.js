// Keys: single ones, and `g` followed by a letter. They rest while something is typed or a dialog is open.

import { el, find, isTyping } from './dom.js';
import { show } from './dialog.js';
import { t } from './i18n.js';

const bound = new Map();

/** Binds a key (`/`, `?`) or two in a row (`g j`) and says in the help what it does. */
export function bindKey(keys, run, label) {
  bound.set(keys, { run, label });
}

/** The keys as they are printed on the board. */
export const keyHint = (keys) => el('span', { class: 'keys' }, keys.split(' ').map((key) => el('kbd', null, key)));

let first = '';
let timer;

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || find('dialog[open]')) return;
  if (event.target instanceof Element && event.target.closest('[role=menu]')) return;
  const keys = first ? `${first} ${event.key}` : event.key;
  clearTimeout(timer);
  const hit = bound.get(keys);
  const begins = !first && [...bound.keys()].some((each) => each.startsWith(`${event.key} `));
  first = begins ? event.key : '';
  timer = setTimeout(() => (first = ''), 1200);
  if (!hit) return;
  if (hit.run(event) !== false) event.preventDefault();
});

/** Shows every key that works on this page. */
export function showKeys() {
  const rows = [...bound].filter(([, { label }]) => label).flatMap(([keys, { label }]) => [keyHint(keys), el('span', null, label)]);
  show(t('words.keys_title'), el('div', { class: 'keys-table' }, keyHint('Ctrl K'), el('span', null, t('words.palette')), rows), { shape: 'narrow' });
}

bindKey('?', showKeys, t('words.keys_title'));
bindKey('/', () => {
  const field = find('.filters input:not([type=hidden]), .filters select');
  if (!field) return false;
  field.focus();
  field.select?.();
}, t('words.keys_filter'));
