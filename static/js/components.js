// The page that shows every component.

import { el, find, on } from './dom.js';
import { badge, tag } from './badge.js';
import { areaChart, ringChart, strip } from './chart.js';
import { ask, closeDialog, show, tell } from './dialog.js';
import { bindForm } from './form.js';
import { t } from './i18n.js';
import { menu } from './menu.js';
import { rangePicker } from './range.js';
import { listTable } from './table.js';
import { timeElement } from './time.js';
import { toast } from './toast.js';

rangePicker(find('#filterTime'));
const KINDS = ['ok', 'ok', 'ok', 'fail', 'ok', 'warn', 'ok', 'run'];
const jobs = listTable({
  id: 'sample_list',
  path: '/jobinfo/pageList',
  form: find('#filters'),
  params: ({ jobGroup, triggerStatus, jobDesc }) => ({ jobGroup, triggerStatus, jobDesc, executorHandler: '', author: '' }),
  empty: { icon: 'jobs' },
  columns: [
    (row) => row.id,
    (row) => row.jobDesc,
    (row) => el('span', null, tag(row.scheduleType), ' ', el('span', { class: 'mono' }, row.scheduleConf)),
    (row) => row.glueType,
    (row) => row.author,
    (row) => strip(KINDS.slice(0, row.id % 9).map((kind) => ({ kind }))),
    (row) => timeElement(row.updateTime, { relative: true }),
    (row) => (row.triggerStatus ? badge('ok', 'RUNNING') : badge('idle', 'STOP')),
    (row) => menu(t('words.operate'), [
      { label: 'Run Once', icon: 'play', class: 'job_trigger', run: () => toast('Run Once') },
      { label: 'Query Log', icon: 'runs', href: '#' },
      '-',
      { label: t('words.edit'), icon: 'edit', class: 'update' },
      { label: t('words.delete'), icon: 'trash', danger: true, run: () => ask(t('components.question'), { danger: true }) },
    ], { id: row.id }),
  ],
});

const day = (n) => `2026-12-${String(n + 1).padStart(2, '0')}`;
areaChart(find('#lineChart'), {
  caption: 'Date distribution',
  labels: Array.from({ length: 8 }, (_, n) => day(n)),
  series: [
    { name: t('words.success'), kind: 'ok', values: [412, 438, 401, 455, 232, 120, 160, 305] },
    { name: t('words.failure'), kind: 'fail', values: [9, 4, 22, 6, 2, 0, 0, 2] },
    { name: t('words.running'), kind: 'run', values: [0, 0, 0, 1, 0, 0, 3, 8] },
  ],
});
ringChart(find('#pieChart'), {
  caption: 'Percentage distribution',
  parts: [{ name: t('words.success'), kind: 'ok', value: 1943 }, { name: t('words.failure'), kind: 'fail', value: 45 }, { name: t('words.running'), kind: 'run', value: 12 }],
});

const actions = {
  toast: () => toast(t('components.saved')),
  undo: () => toast(t('components.saved'), { action: { label: 'Undo', run: () => toast('Undone') } }),
  bad: () => toast('java.net.ConnectException: Connection refused', { kind: 'fail' }),
  ask: () => ask(t('components.question'), { detail: t('components.detail') }).then((yes) => toast(String(yes))),
  danger: () => ask(t('components.question'), { detail: t('components.detail'), danger: true }),
  box: () => tell(t('components.saved')),
  side: () => show('Trigger Msg', el('p', null, 'Job trigger type: Cron trigger'), { shape: 'side' }),
};
for (const [name, run] of Object.entries(actions)) on(document, 'click', `[data-action=${name}]`, run);

const dialog = find('#addModal');
bindForm(find('form', dialog), {
  send: async () => {
    closeDialog(dialog);
    toast(t('components.saved'));
    await jobs.reload();
  },
});
