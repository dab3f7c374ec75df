// Charts as SVG, drawn from numbers: stacked areas over days, a ring, bars and strips in a row of a list.

import { el, svg } from './dom.js';
import { count, t } from './i18n.js';

const WIDTH = 720;
const HEIGHT = 260;
const PAD = { top: 12, right: 12, bottom: 28, left: 48 };

/** Round numbers up to at least `most`, four or five of them. */
function ticks(most) {
  const rough = Math.max(1, most) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough));
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, n) => n * step);
}

/** The numbers again as a table, for whoever does not see the picture. */
function asTable(caption, labels, series) {
  return el('table', { class: 'sr-only' }, el('caption', null, caption),
    el('thead', null, el('tr', null, el('td', null), series.map(({ name }) => el('th', { scope: 'col' }, name)))),
    el('tbody', null, labels.map((label, n) => el('tr', null, el('th', { scope: 'row' }, label), series.map(({ values }) => el('td', null, count(values[n])))))));
}

/**
 * Stacked areas: `{caption, labels, series: [{name, kind, values}]}`; kind is `ok`, `fail`, `run` or `accent`.
 * A press on a name of the legend hides that series.
 */
export function areaChart(root, { caption, labels, series }) {
  const off = new Set();
  const tip = el('div', { class: 'chart-tip', 'aria-hidden': 'true' });

  function draw() {
    const shown = series.filter(({ name }) => !off.has(name));
    const stacks = [];
    shown.reduce((below, { values }) => {
      const above = values.map((value, n) => value + below[n]);
      stacks.push({ below, above });
      return above;
    }, labels.map(() => 0));
    const scale = ticks(Math.max(1, ...(stacks.at(-1)?.above ?? [])));
    const top = scale.at(-1);
    const x = (n) => PAD.left + (labels.length < 2 ? 0.5 : n / (labels.length - 1)) * (WIDTH - PAD.left - PAD.right);
    const y = (value) => HEIGHT - PAD.bottom - (value / top) * (HEIGHT - PAD.top - PAD.bottom);
    const line = (values) => values.map((value, n) => `${n ? 'L' : 'M'}${x(n).toFixed(1)} ${y(value).toFixed(1)}`).join('');
    const every = Math.ceil(labels.length / 8);
    const cursor = svg('line', { class: 'cursor', y1: PAD.top, y2: HEIGHT - PAD.bottom, visibility: 'hidden' });
    const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-hidden': 'true' },
      scale.map((value) => [
        svg('line', { class: 'gridline', x1: PAD.left, x2: WIDTH - PAD.right, y1: y(value), y2: y(value) }),
        svg('text', { x: PAD.left - 8, y: y(value) + 4, 'text-anchor': 'end' }, count(value)),
      ]),
      labels.map((label, n) => n % every === 0 && svg('text', { x: x(n), y: HEIGHT - 8, 'text-anchor': 'middle' }, label.replace(/^\d{4}-/, ''))),
      shown.map(({ kind }, i) => svg('g', { class: `series-${kind}` },
        svg('path', { class: 'area', d: `${line(stacks[i].above)}L${[...stacks[i].below.keys()].reverse().map((n) => `${x(n).toFixed(1)} ${y(stacks[i].below[n]).toFixed(1)}`).join('L')}Z` }),
        svg('path', { class: 'line', d: line(stacks[i].above) }),
        labels.length < 32 && stacks[i].above.map((value, n) => svg('circle', { class: 'point', cx: x(n), cy: y(value), r: 3.5 })))),
      cursor);
    picture.addEventListener('pointermove', (event) => {
      const box = picture.getBoundingClientRect();
      const place = ((event.clientX - box.left) / box.width) * WIDTH;
      const n = Math.max(0, Math.min(labels.length - 1, Math.round(((place - PAD.left) / (WIDTH - PAD.left - PAD.right)) * (labels.length - 1))));
      cursor.setAttribute('x1', x(n));
      cursor.setAttribute('x2', x(n));
      cursor.setAttribute('visibility', 'visible');
      tip.replaceChildren(el('b', null, labels[n]), el('ul', { class: 'legend' }, series.map(({ name, kind, values }) => el('li', { class: `series-${kind}` }, el('i', { class: 'swatch' }), name, el('b', null, count(values[n]))))));
      tip.classList.add('is-open');
      const left = (x(n) / WIDTH) * box.width;
      tip.style.left = `${left > box.width / 2 ? left - tip.offsetWidth - 12 : left + 12}px`;
      tip.style.top = '8px';
    });
    picture.addEventListener('pointerleave', () => {
      cursor.setAttribute('visibility', 'hidden');
      tip.classList.remove('is-open');
    });
    const total = ({ values }) => values.reduce((a, b) => a + b, 0);
    const legend = el('div', { class: 'legend' }, series.map((each) => el('button', {
      type: 'button', class: `series-${each.kind}`, 'aria-pressed': String(!off.has(each.name)),
      onclick: () => (off.has(each.name) ? off.delete(each.name) : off.size < series.length - 1 && off.add(each.name), draw()),
    }, el('i', { class: 'swatch' }), each.name, el('b', null, count(total(each))))));
    root.classList.add('chart');
    root.replaceChildren(legend, picture, tip, asTable(caption, labels, series));
  }
  draw();
}

/** A ring of parts: `{caption, parts: [{name, kind, value}], note}`; the middle shows the sum and the note. */
export function ringChart(root, { caption, parts, note = '' }) {
  const sum = parts.reduce((all, { value }) => all + value, 0);
  const [r, inner, c] = [92, 62, 110];
  const at = (turn, radius) => `${(c + radius * Math.sin(turn * 2 * Math.PI)).toFixed(2)} ${(c - radius * Math.cos(turn * 2 * Math.PI)).toFixed(2)}`;
  let from = 0;
  const slice = ({ name, kind, value }) => {
    const share = sum ? Math.min(value / sum, 0.99999) : 0;
    if (!share) return undefined;
    const to = from + share;
    const big = share > 0.5 ? 1 : 0;
    const path = svg('path', { class: 'slice', d: `M${at(from, r)}A${r} ${r} 0 ${big} 1 ${at(to, r)}L${at(to, inner)}A${inner} ${inner} 0 ${big} 0 ${at(from, inner)}Z` },
      svg('title', null, `${name} : ${count(value)} (${percent(value)})`));
    from = to;
    return svg('g', { class: `series-${kind}` }, path);
  };
  const percent = (value) => `${(sum ? (100 * value) / sum : 0).toFixed(value && value / sum < 0.1 ? 2 : 1)}%`;
  root.classList.add('chart', 'ring');
  root.replaceChildren(
    svg('svg', { viewBox: '0 0 220 220', 'aria-hidden': 'true' },
      !sum && svg('circle', { class: 'gridline', cx: c, cy: c, r: (r + inner) / 2, fill: 'none', 'stroke-width': r - inner }),
      parts.map(slice), svg('text', { class: 'middle', x: c, y: c + 4 }, count(sum)), svg('text', { class: 'middle-note', x: c, y: c + 22 }, note)),
    el('ul', { class: 'legend' }, parts.map(({ name, kind, value }) => el('li', { class: `series-${kind}` }, el('i', { class: 'swatch' }), name, el('b', null, count(value)), el('span', { class: 'muted' }, percent(value))))),
    asTable(caption, parts.map(({ name }) => name), [{ name: caption, values: parts.map(({ value }) => value) }]));
}

/** Bars in a line of text. `label` says in words what they show. */
export function sparkBars(values, label) {
  const most = Math.max(1, ...values);
  const step = 100 / Math.max(1, values.length);
  return svg('svg', { class: 'sparkline', viewBox: '0 0 100 24', preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
    values.map((value, n) => {
      const height = Math.max(1, (value / most) * 24);
      return svg('rect', { x: n * step, y: 24 - height, width: step * 0.7, height, rx: 1 });
    }));
}

const WORDS = { ok: 'words.success', fail: 'words.failure', run: 'words.running', warn: 'words.timeout', none: 'words.none' };

/** The last runs, oldest first: `[{kind, tip, href}]`, filled up to `length` with blanks. */
export function strip(runs, length = 10) {
  const blanks = Array.from({ length: Math.max(0, length - runs.length) }, () => ({ kind: 'none' }));
  const shown = [...blanks, ...runs.slice(-length)];
  const ok = runs.filter(({ kind }) => kind === 'ok').length;
  return el('span', { class: 'strip', role: 'img', 'aria-label': t('words.strip', ok, runs.length) },
    shown.map(({ kind, tip, href }) => el(href ? 'a' : 'i', { class: kind, href, 'data-tip': tip ?? (kind === 'none' ? undefined : t(WORDS[kind])), tabindex: href && '-1' })));
}
