// The list of runs.

import { all, el, find } from './dom.js';
import { base, list, post } from './api.js';
import { badge } from './badge.js';
import { ask, closeDialog, openDialog, show } from './dialog.js';
import { bindForm } from './form.js';
import { count, t } from './i18n.js';
import { menu } from './menu.js';
import { facts, noteElements } from './note.js';
import { rangePicker } from './range.js';
import { listTable } from './table.js';
import { duration, instant, now, timeElement, zone } from './time.js';
import { fail, toast } from './toast.js';

const form = find('#filters');
const [groupField, jobField, timeField] = ['jobGroup', 'jobId', 'filterTime'].map((id) => document.getElementById(id));
const clearing = find('#clearLogModal');
const chosen = (select) => select.selectedOptions[0]?.text ?? '';

// ---- what jobs are called
const names = new Map();
const learn = (jobs) => jobs.forEach((job) => names.set(job.id, job.jobDesc));
learn([...jobField.options].slice(1).map((option) => ({ id: Number(option.value), jobDesc: option.text })));

/** Names what rows show and no filter has named; a server that knows no names leaves the ids. */
async function nameJobs(rows) {
  const ids = [...new Set(rows.map((row) => row.jobId))].filter((id) => !names.has(id));
  if (!ids.length) return;
  ids.forEach((id) => names.set(id, ''));
  learn(await post('/console/jobinfo/names', { jobIds: ids.join(',') }).catch(() => []));
  for (const place of all('[data-job-name]')) place.textContent = names.get(Number(place.dataset.jobName)) ?? '';
}

// ---- the filter of jobs follows that of executors
let jobsOf = groupField.value;

async function fillJobs(jobId = '0') {
  const group = (jobsOf = groupField.value);
  jobField.length = 1;
  const ask = (path) => post(path, { jobGroup: group });
  const jobs = await ask('/console/jobinfo/names').catch(() => ask('/joblog/getJobsByGroup')).catch((error) => (fail(error), []));
  if (group !== groupField.value) return;
  learn(jobs);
  jobField.append(...jobs.map((job) => el('option', { value: job.id }, job.jobDesc)));
  jobField.value = jobs.some((job) => String(job.id) === jobId) ? jobId : '0';
}

// What the server chose came from the address; the list takes the unchosen for the rule, and the address for what differs.
function settle() {
  const query = new URLSearchParams(location.search);
  for (const select of [groupField, jobField]) {
    const { value } = select;
    for (const option of select.options) option.defaultSelected = option.index === 0;
    select.value = value;
    if (value !== select.options[0]?.value) query.set(select.id, value);
  }
  history.replaceState(null, '', query.size || [...query].length ? `?${query}` : location.pathname);
}
settle();

groupField.addEventListener('change', () => fillJobs());
groupField.addEventListener('filled', () => {
  if (groupField.value === jobsOf) return;
  const jobId = new URLSearchParams(location.search).get('jobId') ?? '0';
  fillJobs(jobId).then(() => jobId !== '0' && runs.reload());
});
rangePicker(timeField);
timeField.addEventListener('change', () => runs.search());

// ---- notes
const runFacts = (row) => facts([
  [t('runs.log_id'), String(row.id)],
  [t('runs.job'), [String(row.jobId), names.get(row.jobId)].filter(Boolean).join(' · ')],
  [t('runs.address'), row.executorAddress],
  [t('runs.handler'), row.executorHandler],
  [t('runs.param'), row.executorParam && el('span', { class: 'pre' }, row.executorParam)],
  [t('runs.sharding'), row.executorShardingParam],
  [t('runs.retries'), String(row.executorFailRetryCount)],
]);

const note = (label, title, content) =>
  el('button', { class: 'link-button logTips', type: 'button', onclick: () => show(title, content(), { shape: 'wide' }) }, label);

const message = (text, title) => (text ? note(t('runs.show'), title, () => noteElements(text)) : el('span', { class: 'none-yet' }, t('runs.none')));

// ---- cells
function result(code, { good, bad }) {
  if (code === 0) return '';
  if (code === 200) return badge('ok', good);
  if (code === 502) return badge('fail', t('words.timeout'));
  return badge('fail', code === 500 ? bad : String(code));
}

const isUnderWay = (row) => row.triggerCode === 200 && row.handleCode === 0;
const second = (...content) => el('span', { class: 'second' }, content);

/** How long it took; rows know whole seconds. */
const length = (ms) => (ms < 1000 ? '< 1 s' : duration(ms).replace(/\.\d /, ' '));

function whenHandled(row) {
  const [from, to] = [instant(row.triggerTime), instant(row.handleTime)];
  return [timeElement(row.handleTime), to >= from && second(t('runs.took', length(to - from)))];
}

function handled(row) {
  if (!isUnderWay(row)) return result(row.handleCode, { good: t('words.success'), bad: t('words.failure') });
  const from = instant(row.triggerTime);
  return [badge('run', t('words.running')), from !== undefined && second(t('runs.since', length(now() - from)))];
}

// ---- what can be done with a run
async function kill(row) {
  if (!(await ask(t('runs.kill_question'), { detail: `${names.get(row.jobId) || row.jobId} · ${t('runs.log_id')} ${row.id}`, danger: true }))) return;
  await post('/joblog/logKill', { id: row.id }).then(() => (toast(t('runs.killed')), runs.reload()), fail);
}

async function rerun(row) {
  const detail = `${names.get(row.jobId) || row.jobId}\n${row.executorParam || t('runs.rerun_empty')}`;
  if (!(await ask(t('runs.rerun_question'), { detail }))) return;
  const sent = { id: row.jobId, executorParam: row.executorParam ?? '', addressList: '' };
  await post('/jobinfo/trigger', sent).then(() => {
    toast(t('runs.rerun_done'), { action: { label: t('words.refresh'), run: () => runs.reload() } });
  }, fail);
}

function actions(row) {
  const hasLog = row.triggerCode === 200 || row.handleCode !== 0;
  return menu(t('words.operate'), [
    hasLog && { label: t('runs.rolling'), icon: 'log', class: 'logDetail', href: `${base}/joblog/logDetailPage?id=${row.id}`, target: '_blank', attrs: { _id: row.id, 'data-primary': '' } },
    { label: t('runs.see_jobs'), icon: 'runs', href: `${base}/joblog?jobId=${row.jobId}` },
    { label: t('runs.rerun'), icon: 'play', class: 'logRerun', run: () => rerun(row) },
    isUnderWay(row) && '-',
    isUnderWay(row) && { label: t('runs.kill'), icon: 'kill', class: 'logKill', attrs: { _id: row.id }, danger: true, run: () => kill(row) },
  ], { id: row.id });
}

const runs = listTable({
  id: 'joblog_list', path: '/joblog/pageList', form,
  empty: { icon: 'runs', title: t('runs.nothing'), text: t('runs.nothing_text') },
  columns: [
    (row) => el('div', { class: 'run-job' },
      el('span', null, note(String(row.jobId), t('runs.about'), () => runFacts(row)), ' ', el('span', { class: 'strong', 'data-job-name': row.jobId }, names.get(row.jobId) ?? '')),
      second(`${t('runs.log_id')} ${row.id}`)),
    () => '',
    (row) => [timeElement(row.triggerTime), second(timeElement(row.triggerTime, { relative: true }))],
    (row) => result(row.triggerCode, { good: t('runs.success'), bad: t('runs.failure') }) || badge('idle', t('runs.waiting')),
    (row) => message(row.triggerMsg, t('runs.trigger_msg')),
    whenHandled,
    handled,
    (row) => message(row.handleMsg, t('runs.handle_msg')),
    actions,
  ],
});
find('#joblog_list').addEventListener('loaded', (event) => nameJobs(event.detail.rows));

const zoneName = find('[data-run-zone]');
const sayZone = () => (zoneName.textContent = zone());
sayZone();
document.addEventListener('zone', sayZone);

// ---- cleaning
find('#clearLog').addEventListener('click', () => {
  const fields = find('form', clearing).elements;
  [fields.jobGroup.value, fields.jobId.value] = [groupField.value, jobField.value || '0'];
  find('.jobGroupText', clearing).value = chosen(groupField);
  find('.jobIdText', clearing).value = chosen(jobField) || t('runs.all');
  openDialog(clearing);
});

const EVERYTHING = '9';

/** Asks once more before everything of a scope goes, and says how much that is. */
async function isMeant(values) {
  if (values.get('type') !== EVERYTHING) return true;
  const scope = { jobGroup: values.get('jobGroup'), jobId: values.get('jobId'), logStatus: -1, filterTime: '', start: 0, length: 1 };
  const total = await list('/joblog/pageList', scope).then((found) => count(found.total), () => t('runs.clear_unknown'));
  const [group, job] = ['.jobGroupText', '.jobIdText'].map((place) => find(place, clearing).value);
  return ask(t('runs.clear_question'), { detail: t('runs.clear_scope', group, job, total), danger: true });
}

bindForm(find('form', clearing), {
  send: async (values) => {
    if (!(await isMeant(values))) return;
    await post('/joblog/clearLog', values);
    closeDialog(clearing);
    toast(t('runs.cleared'));
    await runs.reload();
  },
});
