// The command palette: everything by name. Pages add commands and sources of their own.

import { all, el, find, icon, later } from './dom.js';
import { closeDialog } from './dialog.js';
import { t } from './i18n.js';

const commands = [];
const sources = [];

/** Adds a command: `{title, group, icon, hint, href, run, words}`; `words` are further words that find it. */
export const addCommand = (command) => commands.push(command);

/** Adds a source: `async (text, signal) => [command, …]`, asked when two letters or more were typed. */
export const addSource = (source) => sources.push(source);

const matches = (words, { title, words: more = '' }) => words.every((word) => `${title} ${more}`.toLowerCase().includes(word));

function build() {
  const input = el('input', { class: 'input', type: 'text', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'palette-list', 'aria-autocomplete': 'list', autocomplete: 'off', placeholder: t('words.palette_hint'), 'aria-label': t('words.palette') });
  const list = el('ul', { id: 'palette-list', role: 'listbox', 'aria-label': t('words.palette') });
  const dialog = el('dialog', { class: 'dialog palette', id: 'palette', 'aria-label': t('words.palette') },
    el('div', { class: 'affix' }, icon('search'), input, el('span', { class: 'keys' }, el('kbd', null, 'Esc'))), list);
  let at = 0;
  let asked;

  const items = () => all('[role=option]', list);
  const mark = (n) => {
    const found = items();
    at = found.length ? (n + found.length) % found.length : 0;
    found.forEach((item, i) => item.setAttribute('aria-selected', String(i === at)));
    if (found[at]) input.setAttribute('aria-activedescendant', found[at].id);
    else input.removeAttribute('aria-activedescendant');
    found[at]?.scrollIntoView({ block: 'nearest' });
  };
  const take = (command) => {
    closeDialog(dialog);
    if (command.href) location.assign(command.href);
    else command.run();
  };
  const say = (found) => {
    const groups = Map.groupBy ? Map.groupBy(found, ({ group }) => group) : found.reduce((map, each) => map.set(each.group, [...(map.get(each.group) ?? []), each]), new Map());
    let n = 0;
    list.replaceChildren(...[...groups].flatMap(([group, members]) => [
      el('li', { role: 'presentation' }, group),
      ...members.map((command) => el('li', { role: 'option', id: `palette-${n++}`, onclick: () => take(command) }, icon(command.icon ?? 'chevron-right'), el('span', { class: 'truncate' }, command.title), command.hint && el('small', null, command.hint))),
    ]));
    if (!found.length) list.append(el('li', { class: 'empty', role: 'presentation' }, t('words.nothing')));
    mark(0);
  };
  const narrow = () => {
    const text = input.value.trim().toLowerCase();
    const words = text.split(/\s+/).filter(Boolean);
    const found = commands.filter((command) => matches(words, command));
    say(found);
    asked?.abort();
    if (text.length >= 2 && sources.length) further(text, found);
  };
  const further = later(async (text, found) => {
    const mine = (asked = new AbortController());
    const more = await Promise.allSettled(sources.map((source) => source(text, mine.signal)));
    if (!mine.signal.aborted) say([...more.flatMap(({ value }) => value ?? []), ...found]);
  }, 160);

  input.addEventListener('input', narrow);
  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') mark(at + 1);
    else if (event.key === 'ArrowUp') mark(at - 1);
    else if (event.key === 'Enter') items()[at]?.click();
    else return;
    event.preventDefault();
  });
  dialog.addEventListener('click', (event) => event.target === dialog && closeDialog(dialog));
  document.body.append(dialog);
  return Object.assign(dialog, { start: () => ((input.value = ''), narrow(), dialog.showModal(), input.focus()) });
}

/** Opens it. */
export function openPalette() {
  if (find('dialog[open]')) return;
  (find('#palette') ?? build()).start();
}

document.addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
    event.preventDefault();
    openPalette();
  }
});
