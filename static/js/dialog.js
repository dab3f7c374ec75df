// Dialogs over the native <dialog>, which keeps the focus inside and the page behind still.

import { all, el, find, freshId, icon, on } from './dom.js';
import { t } from './i18n.js';

/** Opens a dialog of the page; resolves when it is closed. */
export function openDialog(dialog) {
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener('close', () => resolve(dialog.returnValue), { once: true }));
}

/** Closes it; its forms go back to how they were. */
export function closeDialog(dialog, value = '') {
  if (dialog.open) dialog.close(value);
}

document.addEventListener('cancel', (event) => {
  // Esc would throw away what was typed: only dialogs without a form heed it.
  if (event.target instanceof HTMLDialogElement && find('form:not([method=dialog])', event.target)) event.preventDefault();
}, true);

document.addEventListener('close', (event) => {
  if (!(event.target instanceof HTMLDialogElement)) return;
  for (const form of all('form', event.target)) form.reset();
}, true);

on(document, 'click', '[data-dismiss=modal], [data-action=cancel]', (_, button) => closeDialog(button.closest('dialog')));
on(document, 'click', '[data-dialog]', (_, button) => openDialog(find(button.dataset.dialog)));

const SIGNS = { ok: 'check', fail: 'close', warn: 'alert', ask: 'question' };

function box(kind, title, text, buttons) {
  const [heading, detail] = [freshId('title'), freshId('detail')];
  const dialog = el(
    'dialog',
    { class: 'dialog narrow ask', role: 'alertdialog', 'aria-labelledby': heading, 'aria-describedby': text && detail },
    el('div', { class: 'dialog-body' },
      el('span', { class: `sign ${kind}` }, icon(SIGNS[kind])),
      el('h2', { id: heading }, title),
      text && el('div', { class: 'detail', id: detail }, text)),
    el('div', { class: 'dialog-foot' }, buttons),
  );
  document.body.append(dialog);
  dialog.addEventListener('close', () => dialog.remove());
  return dialog;
}

const button = (label, more, value) =>
  el('button', { class: `button ${more}`, type: 'button', data: { action: value }, onclick: (event) => closeDialog(event.target.closest('dialog'), value) }, label);

/** Asks; resolves to true or false. `detail` says what will happen; `danger` paints the button of what cannot be undone. */
export async function ask(question, { detail, danger = false, confirm = t('words.ok') } = {}) {
  const yes = button(confirm, danger ? 'danger' : 'primary', 'confirm');
  const dialog = box(danger ? 'warn' : 'ask', question, detail, [button(t('words.cancel'), '', 'cancel'), yes]);
  const answer = openDialog(dialog);
  yes.focus();
  return (await answer) === 'confirm';
}

/** A message that must be read; resolves when it was. */
export function tell(title, { text, kind = 'ok' } = {}) {
  const dialog = box(kind, title, text, [button(t('words.ok'), 'primary', 'close')]);
  return openDialog(dialog);
}

/** A panel with a heading and anything in it, to look at: a note, a list of addresses. Esc closes it. */
export function show(title, content, { shape = '', foot = [] } = {}) {
  const heading = freshId('title');
  const dialog = el(
    'dialog',
    { class: `dialog ${shape}`, 'aria-labelledby': heading },
    el('div', { class: 'dialog-head' },
      el('h2', { id: heading }, title),
      el('button', { class: 'button quiet icon-only', type: 'button', 'aria-label': t('words.close'), data: { dismiss: 'modal' } }, icon('close'))),
    el('div', { class: 'dialog-body' }, content),
    el('div', { class: 'dialog-foot' }, foot, el('button', { class: 'button primary', type: 'button', data: { dismiss: 'modal' } }, t('words.ok'))),
  );
  document.body.append(dialog);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => event.target === dialog && closeDialog(dialog));
  openDialog(dialog);
  return dialog;
}
