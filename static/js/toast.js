// Messages that go by themselves.

import { el, find, icon } from './dom.js';
import { t } from './i18n.js';

const SIGNS = { ok: 'check-circle', fail: 'x-circle', warn: 'alert', info: 'info' };

/**
 * Shows a message at the edge. Good news go after 4 s, bad ones after 10; a pointer or the focus on it holds it.
 * `action` = `{label, run}` adds a button, such as undo.
 */
export function toast(text, { kind = 'ok', action, ms = kind === 'fail' ? 10000 : 4000 } = {}) {
  const box = find('.toasts') ?? document.body.appendChild(el('div', { class: 'toasts' }));
  const node = el(
    'div',
    { class: `toast ${kind}`, role: kind === 'fail' ? 'alert' : 'status' },
    icon(SIGNS[kind]),
    el('div', { class: 'words' }, text),
    action && el('button', { class: 'button small', type: 'button', onclick: () => (gone(), action.run()) }, action.label),
    el('button', { class: 'button quiet small icon-only', type: 'button', 'aria-label': t('words.close'), onclick: () => gone() }, icon('close')),
  );
  let timer;
  const gone = () => {
    clearTimeout(timer);
    node.remove();
    if (!box.childElementCount && box.hidePopover && box.matches(':popover-open')) box.hidePopover();
  };
  const wait = () => (timer = setTimeout(gone, ms));
  node.addEventListener('pointerenter', () => clearTimeout(timer));
  node.addEventListener('pointerleave', wait);
  node.addEventListener('focusin', () => clearTimeout(timer));
  node.addEventListener('focusout', wait);
  // Into the open dialog, whose outside cannot be used, or into the top layer.
  const dialog = [...document.querySelectorAll('dialog[open]')].pop();
  (dialog ?? document.body).append(box);
  box.append(node);
  if (box.showPopover) {
    box.popover = 'manual';
    if (box.matches(':popover-open')) box.hidePopover();
    box.showPopover();
  }
  wait();
  return gone;
}

/** Says what went wrong. */
export function fail(error) {
  if (error?.name === 'AbortError') return;
  toast(error?.message ?? String(error), { kind: 'fail' });
}
