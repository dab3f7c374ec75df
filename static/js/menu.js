// Menus: a button with aria-haspopup="menu" and, as its next sibling, the list with role="menu".

import { all, closeFloating, el, icon, on, openFloating } from './dom.js';

const items = (menu) => all('[role^=menuitem]:not([aria-disabled=true])', menu);
const menuOf = (button) => button.parentElement.querySelector(':scope > [role=menu]');

function close(button, focus) {
  const menu = menuOf(button);
  closeFloating(menu);
  button.setAttribute('aria-expanded', 'false');
  if (focus) button.focus();
}

function open(button, at) {
  const menu = menuOf(button);
  openFloating(menu, button, { align: button.dataset.align ?? 'end', onclose: () => close(button) });
  button.setAttribute('aria-expanded', 'true');
  if (at !== undefined) items(menu).at(at)?.focus();
}

on(document, 'click', '[aria-haspopup=menu]', (event, button) => {
  event.preventDefault();
  if (button.getAttribute('aria-expanded') === 'true') close(button);
  // A key's click has no pointer: then the focus moves in.
  else open(button, event.detail === 0 ? 0 : undefined);
});

on(document, 'keydown', '[aria-haspopup=menu]', (event, button) => {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  if (button.getAttribute('aria-expanded') !== 'true') open(button);
  items(menuOf(button)).at(event.key === 'ArrowDown' ? 0 : -1)?.focus();
});

const buttonOf = (menu) => menu.parentElement.querySelector(':scope > [aria-haspopup=menu]');

on(document, 'keydown', '[role=menu]', (event, menu) => {
  const list = items(menu);
  const at = list.indexOf(document.activeElement);
  const go = (n) => list.at(n)?.focus();
  const moves = { ArrowDown: () => go((at + 1) % list.length), ArrowUp: () => go(at - 1), Home: () => go(0), End: () => go(-1) };
  if (moves[event.key]) moves[event.key]();
  else if (event.key === 'Escape') close(buttonOf(menu), true);
  else if (event.key === 'Tab') return close(buttonOf(menu), true);
  else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && event.key !== ' ') {
    const begins = (item) => item.textContent.trim().toLowerCase().startsWith(event.key.toLowerCase());
    [...list.slice(at + 1), ...list.slice(0, at + 1)].find(begins)?.focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
});

document.addEventListener('keydown', (event) => {
  const opened = event.key === 'Escape' && document.querySelector('[aria-haspopup=menu][aria-expanded=true]');
  if (opened) close(opened, true);
});

on(document, 'click', '[role=menu] [role^=menuitem]', (event, item) => {
  if (item.getAttribute('aria-disabled') === 'true') return event.preventDefault();
  const button = buttonOf(item.closest('[role=menu]'));
  // A choice keeps the menu: one may choose again.
  if (item.getAttribute('role') !== 'menuitemcheckbox') close(button, true);
});

/**
 * A row's menu. Entries: `{label, icon, class, href, target, data, attrs, run, danger, disabled}`, or `'-'` for a line, or false.
 * The entries are in the row from the start: scripts look for them there.
 */
export function menu(label, entries, { id, class: more = 'button small', opener } = {}) {
  const shown = entries.filter(Boolean);
  const item = (entry) => {
    if (entry === '-') return el('li', { role: 'separator' });
    const props = {
      role: 'menuitem', tabindex: '-1', class: [entry.class, entry.danger && 'danger'].filter(Boolean).join(' '),
      'aria-disabled': entry.disabled && 'true', data: entry.data, ...entry.attrs,
    };
    const inner = [entry.icon && icon(entry.icon), entry.label];
    const node = entry.href
      ? el('a', { ...props, href: entry.href, target: entry.target, rel: entry.target && 'noopener' }, inner)
      : el('button', { ...props, type: 'button' }, inner);
    if (entry.run) node.addEventListener('click', (event) => entry.disabled || entry.run(event));
    return el('li', { role: 'none' }, node);
  };
  return el('div', { class: 'menu-anchor' },
    el('button', { class: more, type: 'button', 'aria-haspopup': 'menu', 'aria-expanded': 'false', 'data-toggle': 'dropdown', 'aria-label': opener && label },
      opener ?? [label, icon('chevron-down')]),
    el('ul', { class: 'menu dropdown-menu', role: 'menu', 'aria-label': label, _id: id }, shown.map(item)));
}
