// A line of a log as elements: how bad it is, colours of a terminal, matches of a search. What is not a colour goes.

import { el } from './dom.js';

// Escape sequences: colours, other controls of the cursor, titles of windows, and the rest in short.
const ESCAPE = /\u001b(?:\[([\d;:]*)m|\[[\d;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g;
const COLOURS = ['', 'fail', 'ok', 'warn', 'run', 'violet', 'cyan', ''];
const BREAK = '<br>';
/** Letters of a line that are shown; copies and downloads have them all. */
const MOST = 20000;

/** A line without its escape sequences. */
export const plain = (line) => (line.includes('\u001b') ? line.replace(ESCAPE, '') : line);

const ERROR = /\b(?:ERROR|FATAL|SEVERE|CRITICAL|Traceback)\b|^\s*(?:Caused by: |Exception in thread )|^[\w.$]+(?:Exception|Error)(?::|$)/;
const WARN = /\bWARN(?:ING)?\b/;
const QUIET = /\b(?:DEBUG|TRACE)\b|^\s+at [\w.$/<>]+\(/;

/** `error`, `warn`, `quiet` or nothing. */
export function level(line) {
  if (ERROR.test(line)) return 'error';
  if (WARN.test(line)) return 'warn';
  return QUIET.test(line) ? 'quiet' : '';
}

/** The line as runs of text of one colour. */
function runs(line) {
  if (!line.includes('\u001b')) return [{ text: line }];
  const found = [];
  let [at, colour, bold] = [0, '', false];
  const take = (to) => to > at && found.push({ text: line.slice(at, to), kind: [colour && `ansi-${colour}`, bold && 'ansi-bold'].filter(Boolean).join(' ') });
  for (const match of line.matchAll(ESCAPE)) {
    take(match.index);
    at = match.index + match[0].length;
    if (match[1] === undefined) continue;
    const codes = match[1].split(/[;:]/).map(Number);
    for (let n = 0; n < codes.length; n++) {
      const code = codes[n];
      if (code === 0) [colour, bold] = ['', false];
      else if (code === 1 || code === 22) bold = code === 1;
      else if (code === 38 || code === 48) n += codes[n + 1] === 5 ? 2 : 4; // exact colours: not those of this page
      else if (code === 39) colour = '';
      else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) colour = COLOURS[code % 10];
    }
  }
  take(line.length);
  return found;
}

/** Text cut at matches of the words that are looked for, and after breaks that stand as words in old executors' logs. */
function parts(text, words) {
  const found = [];
  const put = (piece) => {
    for (let at; (at = piece.indexOf(BREAK)) >= 0; piece = piece.slice(at + BREAK.length)) found.push(piece.slice(0, at), el('span', { class: 'log-br' }, BREAK));
    found.push(piece);
  };
  if (!words) return put(text), found;
  const lower = text.toLowerCase();
  let at = 0;
  for (let hit; (hit = lower.indexOf(words, at)) >= 0; at = hit + words.length) {
    put(text.slice(at, hit));
    found.push(el('mark', null, text.slice(hit, hit + words.length)));
  }
  put(text.slice(at));
  return found;
}

/** What a line is made of. `words` are in small letters. */
export function lineParts(line, words) {
  const shown = line.length > MOST ? `${line.slice(0, MOST)} … (+${line.length - MOST})` : line;
  return runs(shown).flatMap(({ text, kind }) => (kind ? el('span', { class: kind }, parts(text, words)) : parts(text, words)));
}

const NAMED = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
/** The text behind the entities of `logDetailCat`. */
export const decode = (text) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => NAMED[name]);
