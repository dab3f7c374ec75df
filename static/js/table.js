// A list that the server pages. What is asked for stands in the address: it survives a reload, can be sent to somebody,
// and the back button goes back in it.

import { all, el, find, icon, on } from './dom.js';
import { list } from './api.js';
import { count, t } from './i18n.js';
import { bindKey } from './keys.js';

const SIZES = [10, 25, 50, 100];
const controls = (form) => [...form.elements].filter((field) => (field.name || field.id) && 'value' in field && field.type !== 'submit' && field.type !== 'button');
const nameOf = (field) => field.name || field.id;

/**
 * Wires the list whose `<table>` has this id (component `table.list`).
 *
 *   path     where rows come from, such as `/jobinfo/pageList`
 *   form     the filter form; its controls' names (or ids) are the parameters
 *   columns  one function a column of the head, in order: `(row) => text, element or list`; or `{cell, class}`
 *   key      `(row) => id`
 *   params   `(filters) => parameters`, to change them before they are sent
 *   empty    `{title, text, action}`: what is said when there is nothing; `action` is an element
 *   onrow    `(tr, row)`: called for each row that was built
 *
 * Gives `{reload, search, rows, row, filters}`: `reload` keeps the page, `search` goes to the first.
 */
export function listTable({ id, path, form, columns, key = (row) => row.id, params = (filters) => filters, empty = {}, onrow }) {
  const table = document.getElementById(id);
  const box = table.closest('.table-box');
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const info = document.getElementById(`${id}_info`);
  const pager = document.getElementById(`${id}_paginate`);
  const size = find('select', document.getElementById(`${id}_length`));
  const hiddenKey = `xxl_columns_${id}`;
  const state = { page: 1, size: 10, total: 0, rows: [], asked: undefined };
  const defaults = new Map(form ? controls(form).map((field) => [nameOf(field), field.defaultValue ?? initial(field)]) : []);

  function initial(field) {
    return field.tagName === 'SELECT' ? ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])?.value ?? '' : '';
  }

  const filters = () => Object.fromEntries(form ? controls(form).map((field) => [nameOf(field), field.value]) : []);

  // ---- the address
  function readAddress() {
    const query = new URLSearchParams(location.search);
    for (const field of form ? controls(form) : []) {
      const name = nameOf(field);
      const value = query.get(name) ?? defaults.get(name);
      if (field.tagName !== 'SELECT' || [...field.options].some((option) => option.value === value)) field.value = value;
      field.dispatchEvent(new CustomEvent('filled', { bubbles: true }));
    }
    state.page = Math.max(1, Number(query.get('page')) || 1);
    state.size = SIZES.includes(Number(query.get('size'))) ? Number(query.get('size')) : 10;
    if (size) size.value = state.size;
  }

  function writeAddress(how) {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(filters())) {
      if (value === defaults.get(name)) query.delete(name);
      else query.set(name, value);
    }
    if (state.page === 1) query.delete('page');
    else query.set('page', state.page);
    if (state.size === 10) query.delete('size');
    else query.set('size', state.size);
    const address = query.size || [...query].length ? `?${query}` : location.pathname;
    if (`${location.pathname}${location.search}` !== new URL(address, location.href).pathname + new URL(address, location.href).search) history[how](null, '', address);
  }

  // ---- rows
  const hidden = () => new Set(JSON.parse(localStorage.getItem(hiddenKey) ?? '[]'));

  function showColumns() {
    const off = hidden();
    for (const row of table.rows) [...row.cells].forEach((cell, n) => cell.colSpan === 1 && (cell.hidden = off.has(heads[n]?.dataset.column)));
  }

  function build(row) {
    const tr = el('tr', { tabindex: '-1', data: { id: key(row) } });
    columns.forEach((column, n) => {
      const { cell, class: more = '' } = typeof column === 'function' ? { cell: column } : column;
      const content = cell(row);
      const label = heads[n].textContent.trim();
      tr.append(el('td', { class: `${more} ${heads[n].className}`.trim() || undefined, 'data-label': label || undefined }, content));
    });
    onrow?.(tr, row);
    return tr;
  }

  const fit = () => box.classList.toggle('fits', table.scrollWidth <= table.parentElement.clientWidth + 1);
  window.addEventListener('resize', fit);

  const nothing = (...content) => el('tr', null, el('td', { class: 'none', colspan: heads.length }, el('div', { class: 'empty' }, content)));

  function say(rows) {
    const known = new Set(all('tr[data-id]', body).map((tr) => tr.dataset.id));
    const at = find('tr.is-at', body)?.dataset.id;
    body.replaceChildren(...rows.map(build));
    if (rows.length === 0) {
      body.append(nothing(icon(empty.icon ?? 'search'), el('h3', null, empty.title ?? t('words.nothing')), el('p', null, empty.text ?? t('words.nothing_text')), empty.action && el('div', { class: 'row' }, empty.action)));
    }
    for (const tr of all('tr[data-id]', body)) {
      if (known.size && state.isSame && !known.has(tr.dataset.id)) tr.classList.add('is-new');
      if (tr.dataset.id === at) tr.classList.add('is-at');
    }
    showColumns();
    fit();
  }

  // ---- the pager
  function page(number, label, current, disabled) {
    return el('button', { class: 'button quiet small', type: 'button', disabled, 'aria-current': current && 'page', 'aria-label': typeof label === 'string' ? undefined : t(number < state.page ? 'words.previous' : 'words.next'), onclick: () => go(number) }, label);
  }

  function sayPages() {
    const pages = Math.max(1, Math.ceil(state.total / state.size));
    info.textContent = t('words.page_info', count(state.page), count(pages), count(state.total));
    const near = [...new Set([1, state.page - 1, state.page, state.page + 1, pages])].filter((n) => n >= 1 && n <= pages).sort((a, b) => a - b);
    const numbers = near.flatMap((n, i) => [i > 0 && n - near[i - 1] > 1 && el('span', { class: 'gap' }, '…'), page(n, String(n), n === state.page, false)]);
    pager.replaceChildren(...[page(state.page - 1, icon('chevron-left'), false, state.page <= 1), ...numbers, page(state.page + 1, icon('chevron-right'), false, state.page >= pages)].filter(Boolean));
  }

  // ---- asking
  async function load() {
    state.asked?.abort();
    const asked = (state.asked = new AbortController());
    box.setAttribute('aria-busy', 'true');
    try {
      const { rows, total } = await list(path, { ...params(filters()), start: (state.page - 1) * state.size, length: state.size }, asked);
      Object.assign(state, { rows, total });
      const last = Math.max(1, Math.ceil(total / state.size));
      if (state.page > last) {
        state.page = last;
        writeAddress('replaceState');
        return await load();
      }
      say(rows);
      sayPages();
      table.dispatchEvent(new CustomEvent('loaded', { detail: { rows, total } }));
    } catch (error) {
      if (error.name === 'AbortError') return;
      body.replaceChildren(nothing(icon('alert'), el('h3', null, t('words.list_failed')), el('p', null, error.message), el('div', { class: 'row' }, el('button', { class: 'button', type: 'button', onclick: load }, t('words.again')))));
    } finally {
      if (state.asked === asked) {
        box.removeAttribute('aria-busy');
        state.isSame = false;
      }
    }
  }

  function go(number) {
    state.page = number;
    writeAddress('pushState');
    return load().then(() => box.scrollIntoView({ block: 'nearest' }));
  }

  const search = () => {
    state.page = 1;
    writeAddress('pushState');
    return load();
  };

  const reload = () => {
    state.isSame = true;
    return load();
  };

  form?.addEventListener('submit', (event) => {
    event.preventDefault();
    search();
  });
  form?.addEventListener('change', (event) => event.target.matches('select[data-auto]') && search());
  on(form ?? box, 'click', '[data-action=reset]', () => {
    for (const field of controls(form)) {
      field.value = defaults.get(nameOf(field));
      field.dispatchEvent(new CustomEvent('filled', { bubbles: true }));
    }
    search();
  });
  on(box, 'click', '[data-action=reload]', () => reload());
  size?.addEventListener('change', () => {
    state.size = Number(size.value);
    search();
  });
  window.addEventListener('popstate', () => {
    readAddress();
    load();
  });

  // ---- columns
  const choices = find('[data-columns]', box);
  if (choices) {
    const off = hidden();
    const named = heads.filter((head) => head.dataset.column && head.textContent.trim());
    choices.replaceChildren(...named.map((head) => el('li', { role: 'none' }, el('button', { role: 'menuitemcheckbox', type: 'button', tabindex: '-1', 'aria-checked': String(!off.has(head.dataset.column)), data: { column: head.dataset.column } }, head.textContent.trim()))));
    on(choices, 'click', '[role=menuitemcheckbox]', (_, item) => {
      const set = hidden();
      const isOn = item.getAttribute('aria-checked') === 'true';
      if (isOn) set.add(item.dataset.column);
      else set.delete(item.dataset.column);
      item.setAttribute('aria-checked', String(!isOn));
      localStorage.setItem(hiddenKey, JSON.stringify([...set]));
      showColumns();
    });
  }

  // ---- keys: j and k move, Enter opens what the row is about
  function move(step) {
    const rows = all('tr[data-id]', body);
    const at = rows.findIndex((tr) => tr.classList.contains('is-at'));
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
    rows[at]?.classList.remove('is-at');
    next?.classList.add('is-at');
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  }
  bindKey('j', () => move(1), t('words.keys_next'));
  bindKey('k', () => move(-1), t('words.keys_previous'));
  body.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !event.target.matches('tr[data-id]')) return;
    event.preventDefault();
    (find('[data-primary]', event.target) ?? find('[aria-haspopup=menu]', event.target))?.click();
  });

  readAddress();
  load();
  return { reload, search, filters, rows: () => state.rows, row: (wanted) => state.rows.find((row) => String(key(row)) === String(wanted)) };
}
