// The first page: sums, charts of a range of days, and what fails and runs now. It keeps itself up to date.

import { el, find } from './dom.js';
import { badge } from './badge.js';
import { base, post } from './api.js';
import { areaChart, ringChart } from './chart.js';
import { count, t } from './i18n.js';
import { rangePicker } from './range.js';
import { now, stamp, timeElement } from './time.js';
import { fail } from './toast.js';

const EVERY = 20000;
const range = rangePicker(find('#filterTime'), { presets: ['today', 'yesterday', 'this_month', 'last_month', 'week', 'month'], start: 'week' });
const figure = (id, text) => (find(`#${id} .value`).textContent = text);

let drawn = '';
async function drawReport() {
  const [startDate, endDate] = range.bounds();
  const report = await post('/chartInfo', { startDate, endDate });
  const [ended, ok] = [report.triggerCountSucTotal + report.triggerCountFailTotal, report.triggerCountSucTotal];
  figure('rate', ended ? `${((100 * ok) / ended).toFixed(ok === ended ? 0 : 2)} %` : '–');
  // Drawn again only when something changed: a pointer may rest on it, a series may be hidden.
  const wanted = JSON.stringify(report);
  if (wanted === drawn) return;
  drawn = wanted;
  const of = (key, name, kind) => ({ name: t(name), kind, values: report[`triggerDayCount${key}List`], value: report[`triggerCount${key}Total`] });
  const series = [of('Suc', 'words.success', 'ok'), of('Fail', 'words.failure', 'fail'), of('Running', 'words.running', 'run')];
  areaChart(find('#lineChart'), { caption: find('#lineChart').previousElementSibling.textContent, labels: report.triggerDayList, series });
  ringChart(find('#pieChart'), { caption: find('#pieChart').previousElementSibling.textContent, parts: series });
}

const run = (sign) => (each) => el('li', null,
  sign(each),
  el('a', { class: 'truncate', href: `${base}/joblog?jobId=${each.jobId}` }, each.jobDesc ?? t('report.gone', each.jobId)),
  el('span', { class: 'muted nowrap' }, timeElement(each.triggerTime, { relative: true })),
  each.address ? el('a', { class: 'nowrap', href: `${base}/joblog/logDetailPage?id=${each.id}`, target: '_blank', rel: 'noopener', 'aria-label': `${t('report.log')} ${each.id}` }, t('report.log')) : el('span'));

function drawRuns(id, runs, none, sign) {
  find(`#${id}`).replaceChildren(runs.length ? el('ul', { class: 'latest' }, runs.map(run(sign))) : el('p', { class: 'muted' }, none));
}

async function drawNow() {
  const overview = await post('/console/overview');
  for (const id of ['jobs', 'runs', 'executors']) figure(id, count(overview[id]));
  drawRuns('failed', overview.failed, t('report.failed_none'), (each) => badge('fail', each.isTriggerFailed ? t('report.not_reached') : t('words.failure')));
  drawRuns('running', overview.running, t('report.running_none'), () => badge('run', t('words.running')));
}

let last = now();
let timer;
async function refresh() {
  clearTimeout(timer);
  const outcomes = await Promise.allSettled([drawReport(), drawNow()]);
  const wrong = outcomes.find(({ reason }) => reason)?.reason;
  if (!wrong) last = now();
  find('#refreshed').textContent = t(wrong ? 'report.stale' : 'report.refreshed', stamp(last).slice(11));
  timer = setTimeout(() => document.hidden || refresh(), EVERY);
  return wrong;
}

find('#filterTime').addEventListener('change', () => refresh().then((wrong) => wrong && fail(wrong)));
document.addEventListener('visibilitychange', () => document.hidden || refresh());
document.addEventListener('zone', () => refresh());
refresh().then((wrong) => wrong && fail(wrong));
