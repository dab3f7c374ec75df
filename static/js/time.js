// Times in the zone that the reader chose: that of the server, in which jobs are planned, or that of the browser.

import { all, el, remember } from './dom.js';
import { locale } from './i18n.js';

const root = document.documentElement;
/** A zone as browsers name it; old ones know no bare offsets, then UTC must do. */
function known(name) {
  for (const each of [name, name.replace(/^(GMT|UTC)(?=[+-])/, '')]) {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: each }).resolvedOptions().timeZone;
    } catch {
      // the next form, then
    }
  }
  return 'UTC';
}

const SERVER = known(root.dataset.zone || 'UTC');
const BROWSER = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** How far the server's clock is ahead of the browser's, as far as this page knows. */
const ahead = root.dataset.now ? Number(root.dataset.now) - Date.now() : 0;

/** Now, by the server's clock. */
export const now = () => Date.now() + ahead;

/** `server` or `browser`. */
export const zoneChoice = () => root.dataset.zoneChoice ?? 'server';

/** The zone in which times are shown. */
export const zone = () => (zoneChoice() === 'browser' ? BROWSER : SERVER);

/** Whether both zones are the same, so that there is nothing to choose. */
export const zonesDiffer = SERVER !== BROWSER;

export const serverZone = SERVER;
export const browserZone = BROWSER;

const formats = new Map();
function parts(ms, zone) {
  if (!formats.has(zone)) {
    formats.set(zone, new Intl.DateTimeFormat('en-GB', {
      timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
    }));
  }
  return Object.fromEntries(formats.get(zone).formatToParts(ms).map(({ type, value }) => [type, value]));
}

/** `2026-12-01 05:08:27` in a zone; that of the reader unless another is named. */
export function stamp(ms, inZone = zone()) {
  const p = parts(ms, inZone);
  return `${p.year}-${p.month}-${p.day} ${p.hour}:${p.minute}:${p.second}`;
}

/** Milliseconds of what the server sends: a number, an ISO text with offset, or a bare time of the server's zone. */
export function instant(value) {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'number') return value;
  if (/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value)) return wall(value, SERVER);
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Milliseconds of a wall time `YYYY-MM-DD HH:mm:ss` in a zone; in a gap or a fold one of the possible moments. */
export function wall(text, inZone = zone()) {
  const [y, mo, d, h, mi, s] = text.match(/\d+/g).map(Number);
  const asUtc = Date.UTC(y, mo - 1, d, h ?? 0, mi ?? 0, s ?? 0);
  const offset = (ms) => {
    const p = parts(ms, inZone);
    return Date.UTC(p.year, p.month - 1, p.day, p.hour, p.minute, p.second) - ms;
  };
  return asUtc - offset(asUtc - offset(asUtc));
}

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
const STEPS = [['second', 60, 1e3], ['minute', 60, 6e4], ['hour', 24, 36e5], ['day', 30, 864e5], ['month', 12, 2592e6], ['year', Infinity, 31536e6]];

/** `3 min. ago`, `in 2 hr.` */
export function ago(ms) {
  const away = ms - now();
  for (const [unit, most, size] of STEPS) {
    const n = Math.round(away / size);
    if (Math.abs(n) < most) return relative.format(n, unit);
  }
  return '';
}

/** `850 ms`, `12.3 s`, `4 min 05 s`, `2 h 10 min` */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 6e4) return `${(ms / 1000).toFixed(ms < 1e4 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 6e4);
  if (minutes < 60) return `${minutes} min ${String(Math.floor((ms % 6e4) / 1000)).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

function paint(node) {
  const ms = Number(node.dataset.ms);
  const exact = stamp(ms);
  const isRelative = 'relative' in node.dataset;
  node.textContent = isRelative ? ago(ms) : exact;
  if (isRelative) node.dataset.tip = `${exact} ${zone()}`;
}

/** An element that shows a time and keeps up with the zone; `relative` shows how long ago, with the exact time as tip. */
export function timeElement(value, { relative: isRelative = false } = {}) {
  const ms = instant(value);
  if (ms === undefined) return '';
  const node = el('time', { datetime: new Date(ms).toISOString(), data: { ms } });
  if (isRelative) node.dataset.relative = '';
  paint(node);
  return node;
}

const repaint = (selector) => all(selector).forEach(paint);

/** Chooses the zone, for this page and those to come. */
export function setZone(choice) {
  root.dataset.zoneChoice = choice;
  remember('xxl_zone', choice);
  repaint('time[data-ms]');
  document.dispatchEvent(new CustomEvent('zone', { detail: choice }));
}

repaint('time[data-ms]');
setInterval(() => document.hidden || repaint('time[data-relative]'), 20000);
