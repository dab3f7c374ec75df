// The time filter: presets, or two moments by hand; the value is `A - B` in the server's zone, as the server reads it.

import { closeFloating, el, find, icon, openFloating } from './dom.js';
import { t } from './i18n.js';
import { now, serverZone, stamp, wall } from './time.js';

const DAY = 864e5;
const day = (ms) => stamp(ms, serverZone).slice(0, 10);
const month = (ms) => day(ms).slice(0, 7);
const whole = (a, b) => [`${a} 00:00:00`, `${b} 23:59:59`];
const noon = (text) => wall(`${text} 12:00:00`, serverZone);

/** What a preset means now. */
const PRESETS = {
  hour: () => [stamp(now() - 36e5, serverZone), stamp(now(), serverZone)],
  today: () => whole(day(now()), day(now())),
  yesterday: () => whole(day(noon(day(now())) - DAY), day(noon(day(now())) - DAY)),
  this_month: () => whole(`${month(now())}-01`, lastOf(now())),
  last_month: () => {
    const before = noon(`${month(now())}-01`) - DAY;
    return whole(`${month(before)}-01`, day(before));
  },
  week: () => whole(day(noon(day(now())) - 6 * DAY), day(now())),
  month: () => whole(day(noon(day(now())) - 29 * DAY), day(now())),
};

function lastOf(ms) {
  const next = noon(`${month(ms)}-28`) + 4 * DAY;
  return day(noon(`${month(next)}-01`) - DAY);
}

const text = ([from, to]) => `${from} - ${to}`;

/**
 * Wires a read-only text field (component `field.range`) as a range. `presets` names the ones that are offered, `start` the
 * one at the beginning unless the field has a value. `change` events tell of a new value.
 * Gives `{value, bounds, set}`.
 */
export function rangePicker(input, { presets = Object.keys(PRESETS), start = 'today' } = {}) {
  let chosen = input.value ? 'custom' : start;
  if (!input.value) input.value = input.defaultValue = text(PRESETS[start]());

  const [from, to] = [0, 1].map(() => el('input', { class: 'input', type: 'datetime-local', step: '1' }));
  const choose = (name) => {
    chosen = name;
    for (const item of list.children) item.setAttribute('aria-selected', String(item.dataset.range === name));
    if (PRESETS[name]) [from.value, to.value] = PRESETS[name]().map((each) => each.replace(' ', 'T'));
    else from.focus();
  };
  const item = (name) => el('li', {
    role: 'option', tabindex: '0', data: { range: name },
    onclick: () => (choose(name), PRESETS[name] && apply()),
    onkeydown: (event) => (event.key === 'Enter' || event.key === ' ') && (event.preventDefault(), event.target.click()),
  }, t(`words.range_${name}`));
  const list = el('ul', { class: 'ranges', role: 'listbox', 'aria-label': t('words.range') }, [...presets, 'custom'].map(item));
  const panel = el('div', { class: 'picker', role: 'group', 'aria-label': t('words.range') },
    el('div', { class: 'parts' }, list,
      el('div', { class: 'bounds' },
        el('label', { class: 'field' }, el('span', { class: 'field-label' }, t('words.range_from')), from),
        el('label', { class: 'field' }, el('span', { class: 'field-label' }, t('words.range_to')), to))),
    el('div', { class: 'foot' }, el('span', { class: 'zone' }, icon('globe'), serverZone),
      el('button', { class: 'button small', type: 'button', onclick: () => close(true) }, t('words.cancel')),
      el('button', { class: 'button small primary', type: 'button', data: { action: 'apply' }, onclick: () => apply() }, t('words.ok'))));
  input.after(panel);
  for (const field of [from, to]) field.addEventListener('input', () => choose('custom') ?? field.focus());

  const close = (focus) => {
    closeFloating(panel);
    input.setAttribute('aria-expanded', 'false');
    if (focus) input.focus();
  };
  const apply = () => {
    if (!from.value || !to.value) return;
    const bounds = [from.value, to.value].map((each) => each.replace('T', ' ').padEnd(19, ':00')).sort();
    close(true);
    set(bounds);
  };
  const set = (bounds) => {
    input.value = text(bounds);
    input.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const open = () => {
    [from.value, to.value] = input.value.split(' - ').map((each) => each.replace(' ', 'T'));
    for (const each of list.children) each.setAttribute('aria-selected', String(each.dataset.range === chosen));
    input.setAttribute('aria-expanded', 'true');
    openFloating(panel, input, { onclose: () => input.setAttribute('aria-expanded', 'false') });
  };
  input.addEventListener('click', open);
  input.addEventListener('keydown', (event) => {
    if (['Enter', ' ', 'ArrowDown'].includes(event.key)) {
      event.preventDefault();
      open();
      find('[aria-selected=true]', list)?.focus();
    }
  });
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close(true);
    if (event.target.parentElement !== list || !['ArrowDown', 'ArrowUp'].includes(event.key)) return;
    event.preventDefault();
    event.target[event.key === 'ArrowDown' ? 'nextElementSibling' : 'previousElementSibling']?.focus();
  });
  return { value: () => input.value, bounds: () => input.value.split(' - '), set };
}
