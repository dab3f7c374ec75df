// Messages of runs. They are stored as markup: `<br>` between lines, headings in one coloured `<span>`. These two are
// read, everything else is text, so that nothing an executor says can be more than words.

import { el } from './dom.js';

const BREAK = /<br\s*\/?>|\r?\n/i;
const HEADING = /<span style="color:#?\w{1,20};?"\s*>(.*?)<\/span>/gi;
const MARK = /<!--d\d+-->$/;

/** The lines of a message: `{heading}` or `{text}`, empty ones left out. */
export function noteLines(message) {
  const apart = message.replace(MARK, '').replace(HEADING, (_, words) => `\n\u0001${words}\n`);
  return apart.split(BREAK).flatMap((line) => {
    const isHeading = line.startsWith('\u0001');
    const text = isHeading ? line.slice(1).replace(/^[\s>]+|[\s<]+$/g, '') : line.trim();
    return text ? [isHeading ? { heading: text } : { text }] : [];
  });
}

/** A list of names and values; those without a value are left out. */
export const facts = (pairs) =>
  el('dl', { class: 'facts' }, pairs.filter(([, value]) => value !== undefined && value !== null && value !== '').map(([name, value]) => [el('dt', null, name), el('dd', null, value)]));

/** A message as elements: headings, pairs of name and value, and paragraphs. */
export function noteElements(message) {
  const parts = [];
  let pairs = [];
  const flush = () => {
    if (pairs.length) parts.push(facts(pairs));
    pairs = [];
  };
  for (const { heading, text } of noteLines(message)) {
    const pair = text && /^([^：]{1,32})：(.*)$/.exec(text);
    if (pair) {
      pairs.push([pair[1], pair[2] || '–']);
      continue;
    }
    flush();
    parts.push(heading ? el('h3', null, heading) : el('p', null, text));
  }
  flush();
  return el('div', { class: 'note-text' }, parts);
}
