// The page about jobs: the list, its row menus and the dialogs.

import { all, el, find, on } from './dom.js';
import { base, post } from './api.js';
import { badge } from './badge.js';
import { ask, closeDialog, openDialog, show } from './dialog.js';
import { bindForm, fillForm } from './form.js';
import { t } from './i18n.js';
import { menu } from './menu.js';
import { listTable } from './table.js';
import { timeElement } from './time.js';
import { fail, toast } from './toast.js';

const COLUMNS = 'xxl_columns_job_list';
const HIDDEN_AT_FIRST = ['param', 'added', 'updated', 'email'];
if (localStorage.getItem(COLUMNS) === null) localStorage.setItem(COLUMNS, JSON.stringify(HIDDEN_AT_FIRST));

/** What a new script starts as. */
const FIRST_SOURCE = {
  GLUE_GROOVY: 'import com.xxl.job.core.handler.IJobHandler\n\nclass Job extends IJobHandler {\n    void execute() {\n    }\n}\n',
  GLUE_SHELL: '#!/bin/bash\necho "param: $1"\nexit 0\n',
  GLUE_PYTHON: 'import sys\n\nprint("param:", sys.argv[1] if len(sys.argv) > 1 else "")\nsys.exit(0)\n',
  GLUE_PYTHON2: 'import sys\n\nprint "param:", sys.argv[1]\nsys.exit(0)\n',
  GLUE_PHP: '<?php\necho "param: " . $argv[1] . "\\n";\nexit(0);\n',
  GLUE_NODEJS: 'console.log("param:", process.argv[2]);\nprocess.exit(0);\n',
  GLUE_POWERSHELL: 'Write-Host "param: $($args[0])"\nexit 0\n',
};

const labels = (select) => new Map([...select.options].map((option) => [option.value, option.text]));
const filters = find('#filters');
const addDialog = find('#addModal');
const updateDialog = find('#updateModal');
const triggerDialog = find('#jobTriggerModal');
const addForm = find('form', addDialog);
const groups = labels(addForm.elements.jobGroup);
const glueTypes = labels(addForm.elements.glueType);
const firstRemark = addForm.elements.glueRemark.value;

// ---- what the row menus do
const operate = (row, name, path, danger) => async () => {
  const what = `${row.id} ${row.jobDesc}`;
  const [question, detail] = {
    start: [t('jobs.start_question'), t('jobs.start_detail', what)],
    stop: [t('jobs.stop_question'), t('jobs.stop_detail', what)],
    remove: [t('jobs.delete_question'), t('jobs.delete_detail', what)],
  }[name];
  if (!(await ask(question, { detail, danger }))) return;
  await post(path, { id: row.id }).then(() => (toast(t('jobs.done')), jobs.reload()), fail);
};

const listed = (items, none) => (items?.length ? el('ol', null, items.map((item) => el('li', null, item))) : none);

const showNodes = (row) => post('/jobgroup/loadById', { id: row.jobGroup })
  .then((group) => show(t('jobs.nodes'), listed(group.registryList, t('jobs.no_nodes'))), fail);

const nextTimes = (scheduleType, scheduleConf) => post('/jobinfo/nextTriggerTime', { scheduleType, scheduleConf });

const showNext = (row) => nextTimes(row.scheduleType, row.scheduleConf)
  .then((times) => show(t('jobs.next_times'), listed(times, t('jobs.never'))), fail);

function fillJob(form, row) {
  fillForm(form, { schedule_conf_CRON: '', schedule_conf_FIX_RATE: '', schedule_conf_FIX_DELAY: '', ...row, [`schedule_conf_${row.scheduleType}`]: row.scheduleConf });
}

function edit(row) {
  fillJob(find('form', updateDialog), row);
  openDialog(updateDialog);
}

function copy(row) {
  fillJob(addForm, { ...row, glueRemark: row.glueRemark || firstRemark });
  openDialog(addDialog);
}

function run(row) {
  fillForm(find('form', triggerDialog), { id: row.id, executorParam: row.executorParam, addressList: '' });
  openDialog(triggerDialog);
}

const rowMenu = (row) => menu(t('words.operate'), [
  { label: t('jobs.run'), icon: 'play', class: 'job_trigger', run: () => run(row) },
  { label: t('jobs.query_log'), icon: 'runs', href: `${base}/joblog?jobId=${row.id}` },
  { label: t('jobs.nodes'), icon: 'executors', class: 'job_registryinfo', run: () => showNodes(row) },
  row.scheduleType !== 'NONE' && { label: t('jobs.next_times'), icon: 'clock', class: 'job_next_time', run: () => showNext(row) },
  '-',
  row.glueType !== 'BEAN' && { label: 'GLUE IDE', icon: 'code', href: `${base}/jobcode?jobId=${row.id}`, target: '_blank' },
  row.glueType !== 'BEAN' && '-',
  row.triggerStatus === 1
    ? { label: t('jobs.stop'), icon: 'stop', class: 'job_operate', attrs: { _type: 'job_pause' }, run: operate(row, 'stop', '/jobinfo/stop') }
    : { label: t('jobs.start'), icon: 'bolt', class: 'job_operate', attrs: { _type: 'job_resume' }, run: operate(row, 'start', '/jobinfo/start') },
  { label: t('words.edit'), icon: 'edit', class: 'update', run: () => edit(row) },
  { label: t('words.delete'), icon: 'trash', class: 'job_operate', attrs: { _type: 'job_del' }, danger: true, run: operate(row, 'remove', '/jobinfo/remove', true) },
  { label: t('jobs.copy'), icon: 'copy', class: 'job_copy', run: () => copy(row) },
], { id: row.id });

const jobs = listTable({
  id: 'job_list', path: '/jobinfo/pageList', form: filters,
  columns: [
    (row) => String(row.id),
    (row) => groups.get(String(row.jobGroup)) ?? String(row.jobGroup),
    (row) => row.jobDesc,
    (row) => (row.scheduleConf ? `${row.scheduleType}：${row.scheduleConf}` : row.scheduleType),
    (row) => (row.glueType === 'BEAN' ? `BEAN：${row.executorHandler ?? ''}` : glueTypes.get(row.glueType) ?? row.glueType),
    (row) => row.executorParam,
    (row) => timeElement(row.addTime),
    (row) => timeElement(row.updateTime),
    (row) => row.author,
    (row) => row.alarmEmail,
    (row) => (row.triggerStatus === 1 ? badge('ok', t('jobs.running')) : badge('idle', t('jobs.stopped'))),
    rowMenu,
  ],
});

// ---- forms of a job: what is shown follows from the values
let asked = 0;
async function preview(form) {
  const box = find('[data-next]', form);
  const mine = (asked += 1);
  const conf = form.elements.schedule_conf_CRON.value.trim();
  if (!conf || form.elements.scheduleType.value !== 'CRON') return box.replaceChildren();
  const lines = await nextTimes('CRON', conf).then((times) => (times.length ? times : [t('jobs.never')]), (error) => [error.message]);
  if (mine === asked) box.replaceChildren(...lines.map((line) => el('li', null, line)));
  return undefined;
}

function arrange(form) {
  const { scheduleType, glueType, executorHandler } = form.elements;
  for (const box of all('[data-schedule]', form)) box.hidden = box.dataset.schedule !== scheduleType.value;
  const isBean = glueType.value === 'BEAN';
  executorHandler.readOnly = !isBean;
  if (!isBean) executorHandler.value = '';
}

function bindJob(dialog, path) {
  const form = find('form', dialog);
  let waiting;
  form.addEventListener('filled', () => (arrange(form), preview(form)));
  form.addEventListener('change', ({ target }) => {
    arrange(form);
    if (target.name === 'glueType' && form.elements.glueSource) form.elements.glueSource.value = FIRST_SOURCE[target.value] ?? '';
    if (target.name === 'scheduleType') preview(form);
  });
  form.elements.schedule_conf_CRON.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => preview(form), 250);
  });
  bindForm(form, {
    check: () => ({
      ...Object.fromEntries(['CRON', 'FIX_RATE', 'FIX_DELAY'].map((type) => `schedule_conf_${type}`).filter((name) => !form.elements[name].value.trim()).map((name) => [name, t('words.required')])),
      ...(form.elements.glueType.value === 'BEAN' && !form.elements.executorHandler.value.trim() && { executorHandler: t('words.required') }),
    }),
    send: async (values) => {
      const type = values.get('scheduleType');
      values.set('scheduleConf', values.get(`schedule_conf_${type}`) ?? '');
      values.set('glueType', form.elements.glueType.value);
      for (const name of ['executorTimeout', 'executorFailRetryCount']) values.set(name, values.get(name) || '0');
      await post(path, values);
      closeDialog(dialog);
      toast(t('jobs.done'));
      await jobs.reload();
    },
  });
  arrange(form);
}

bindJob(addDialog, '/jobinfo/add');
bindJob(updateDialog, '/jobinfo/update');

bindForm(find('form', triggerDialog), {
  send: async (values) => {
    await post('/jobinfo/trigger', values);
    closeDialog(triggerDialog);
    toast(t('jobs.queued'));
  },
});

on(document, 'click', '.add', () => {
  const group = filters.elements.jobGroup.value;
  if (group !== '-1') addForm.elements.jobGroup.value = group;
  addForm.elements.glueRemark.value = firstRemark;
  arrange(addForm);
  openDialog(addDialog);
});
