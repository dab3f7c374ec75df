// A long select with a search above its list. The native select stays, holds the value and tells of changes; without a
// script, by keyboard letters and for scripts of others it is what it was.

import { all, closeFloating, el, find, on, openFloating } from './dom.js';
import { t } from './i18n.js';

/** Selects shorter than this open as the browser opens them. */
const FEW = 8;

function open(select) {
  let at = -1;
  const options = [...select.options];
  const search = el('input', { class: 'input', type: 'search', role: 'combobox', 'aria-expanded': 'true', autocomplete: 'off', placeholder: t('words.search_in_list'), 'aria-label': t('words.search_in_list') });
  const list = el('ul', { role: 'listbox' });
  const panel = el('div', { class: 'choice-list' }, search, list);
  const close = () => {
    closeFloating(panel);
    panel.remove();
  };
  const choose = (option) => {
    select.value = option.value;
    close();
    select.focus();
    select.dispatchEvent(new Event('input', { bubbles: true }));
    select.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const mark = (n) => {
    const items = all('li', list);
    at = Math.max(0, Math.min(items.length - 1, n));
    items.forEach((item, i) => item.classList.toggle('is-at', i === at));
    items[at]?.scrollIntoView({ block: 'nearest' });
  };
  const narrow = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = options.filter((option) => words.every((word) => option.text.toLowerCase().includes(word)));
    list.replaceChildren(...found.map((option) => el('li', { role: 'option', 'aria-selected': String(option.selected), onclick: () => choose(option) }, option.text)));
    if (!found.length) list.append(el('p', { class: 'empty' }, t('words.nothing')));
    mark(Math.max(0, found.findIndex((option) => option.selected)));
  };
  search.addEventListener('input', narrow);
  search.addEventListener('keydown', (event) => {
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (moves[event.key]) mark(at + moves[event.key]);
    else if (event.key === 'Enter') all('li', list)[at]?.click();
    else if (event.key === 'Escape') (close(), select.focus());
    else if (event.key === 'Tab') return close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  select.after(panel);
  narrow();
  openFloating(panel, select, { wide: true, onclose: () => panel.remove() });
  search.focus();
}

on(document, 'mousedown', 'select[data-search]', (event, select) => {
  if (select.options.length < FEW || select.disabled || matchMedia('(pointer: coarse)').matches) return;
  event.preventDefault();
  const panel = find('.choice-list', select.parentElement);
  if (panel) panel.remove();
  else open(select);
});

on(document, 'keydown', 'select[data-search]', (event, select) => {
  if (select.options.length < FEW || !['Enter', ' ', 'ArrowDown'].includes(event.key)) return;
  event.preventDefault();
  open(select);
});
