// The window of the rolling log.

import { find, on } from './dom.js';
import { post } from './api.js';
import { badge } from './badge.js';
import { ask } from './dialog.js';
import { count, t } from './i18n.js';
import { logSource } from './log_source.js';
import { logView } from './log_view.js';
import { duration, now } from './time.js';
import { fail, toast } from './toast.js';

const box = find('#logConsole');
const running = find('#logConsoleRunning');
const place = (name) => find(`[data-place=${name}]`);
const [endPlace, foundPlace, morePlace, killButton, moreButton] = [place('end'), place('found'), place('more'), find('.logKill'), find('.log-more')];
const [follow, wrap] = ['follow', 'wrap'].map((name) => find(`input[name=${name}]`));
const search = find('.log-search');
const { logId, jobId } = box.dataset;
const number = (name) => (box.dataset[name] ? Number(box.dataset[name]) : undefined);
const [triggerCode, triggerTime] = [number('triggerCode'), number('triggerTime')];
let [handleCode, handleTime] = [number('handleCode'), number('handleTime')];
const isReadable = triggerCode === 200 || handleCode !== 0;
const wasOver = handleCode > 0;

// ---- state
function sayState() {
  const isRun = isReadable && handleCode === 0 && !running.hidden;
  let sign = badge('fail', handleCode && ![500, 502].includes(handleCode) ? String(handleCode) : t(handleCode === 502 ? 'words.timeout' : 'words.failure'));
  if (isRun) sign = badge('run', t('words.running'));
  else if (handleCode === 200) sign = badge('ok', t('words.success'));
  else if (isReadable && handleCode === 0) sign = '';
  place('state').replaceChildren(sign);
  killButton.hidden = !isRun;
}
function sayAge() {
  const to = handleTime ?? (running.hidden ? undefined : now());
  place('age').textContent = triggerTime && to >= triggerTime ? (to - triggerTime < 1000 ? '< 1 s' : duration(to - triggerTime).replace(/\.\d /, ' ')) : '';
}
sayState();
sayAge();
setInterval(sayAge, 1000);

// ---- lines
let unseen = 0;
const view = logView(box, {
  onmove({ isUp, isEnd }) {
    // Whoever scrolls up reads; whoever comes back to the end follows again.
    if (isUp && !isEnd && follow.checked) setFollow(false);
    else if (isEnd && !follow.checked) setFollow(true);
  },
});

function setFollow(isOn) {
  follow.checked = isOn;
  view.setFollow(isOn);
  if (isOn) unseen = 0;
  sayMore();
}

function sayMore() {
  moreButton.hidden = follow.checked;
  morePlace.textContent = unseen ? t('runs.more_lines', count(unseen)) : t('runs.to_end');
}

let [found, at, wantedLine] = [[], -1, Number(/^#L(\d+)$/.exec(location.hash)?.[1] ?? 0)];
if (wantedLine) setFollow(false);

function sayCounts() {
  place('lines').textContent = t('runs.lines', count(view.lines.length));
  const button = find('[data-action=next-error]');
  button.disabled = view.errors.length === 0;
  place('errors').textContent = view.errors.length ? count(view.errors.length) : '';
}

function take(lines) {
  const before = view.lines.length;
  view.append(lines);
  lines.forEach((line, n) => view.has(line) && found.push(before + n + 1));
  endPlace.textContent = '';
  if (!follow.checked) unseen += lines.length;
  sayCounts();
  sayFound();
  sayMore();
  if (wantedLine && wantedLine <= view.lines.length) {
    view.reveal(wantedLine);
    wantedLine = 0;
  }
}

function end(how) {
  running.hidden = true;
  if (how.handleCode > 0 && !wasOver) handleTime = now();
  handleCode = how.handleCode || handleCode;
  const isWell = how.reason === 'finished';
  const words = isWell ? t(wasOver ? 'runs.load_end' : 'runs.rolling_end') : t(how.reason === 'full' ? 'runs.end_full' : 'runs.end_unreachable', how.text);
  endPlace.textContent = isWell && how.text ? `${words} ${how.text}` : words;
  endPlace.className = `log-end ${isWell ? 'ok' : 'fail'}`;
  sayState();
  sayAge();
}

function trouble(text) {
  endPlace.textContent = t('runs.trouble', text);
  endPlace.className = 'log-end fail';
}

if (isReadable) logSource(logId, { onlines: take, ontrouble: trouble, onend: end });
sayCounts();
sayMore();
if (!isReadable) moreButton.hidden = true;

// ---- search
function sayFound() {
  const words = search.elements.q.value;
  foundPlace.textContent = !words ? '' : found.length ? t('runs.found', at < 0 ? '–' : count(at + 1), count(found.length)) : t('runs.found_none');
}

function go(step) {
  if (!found.length) return;
  // From where the last stop was, whichever button led there.
  if (at < 0) at = step > 0 ? found.findIndex((n) => n > view.hit()) - 1 : found.length;
  at = (at + step + found.length) % found.length;
  setFollow(false);
  view.reveal(found[at]);
  sayFound();
}

let waiting;
search.elements.q.addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    [found, at] = [view.search(search.elements.q.value), -1];
    sayFound();
  }, 150);
});
search.addEventListener('submit', (event) => {
  event.preventDefault();
  go(1);
});
search.elements.q.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && event.shiftKey) {
    event.preventDefault();
    go(-1);
  }
});
on(document, 'click', '[data-action=find-previous]', () => go(-1));
on(document, 'click', '[data-action=next-error]', () => {
  const next = view.errors.find((n) => n > view.hit()) ?? view.errors[0];
  setFollow(false);
  view.reveal(next);
  at = -1;
});

// ---- switches and buttons
follow.addEventListener('change', () => {
  setFollow(follow.checked);
  if (follow.checked) view.toEnd();
});
moreButton.addEventListener('click', () => {
  setFollow(true);
  view.toEnd();
  box.focus({ preventScroll: true });
});
const WRAP = 'xxl_log_wrap';
wrap.checked = localStorage.getItem(WRAP) === '1';
const sayWrap = () => {
  box.classList.toggle('wraps', wrap.checked);
  if (follow.checked) view.toEnd();
};
sayWrap();
wrap.addEventListener('change', () => {
  localStorage.setItem(WRAP, wrap.checked ? '1' : '0');
  sayWrap();
});

const copy = (text, done) => (navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))).then(() => toast(done), () => toast(t('runs.copy_failed'), { kind: 'warn' }));
on(document, 'click', '[data-action=copy]', () => copy(view.lines.join('\n'), t('runs.copied', count(view.lines.length))));
on(document, 'click', '[data-action=download]', () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([view.lines.join('\n'), '\n'], { type: 'text/plain;charset=utf-8' }));
  link.download = `xxl-job-${jobId}-${logId}.log`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});
on(box, 'click', '.log-n', (event, link) => {
  event.preventDefault();
  const n = Number(link.dataset.n);
  history.replaceState(null, '', `#L${n}`);
  setFollow(false);
  view.reveal(n);
  copy(location.href, t('runs.link_copied', n));
});
window.addEventListener('hashchange', () => {
  const n = Number(/^#L(\d+)$/.exec(location.hash)?.[1] ?? 0);
  if (n) view.reveal(n);
});
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input')) return;
  const keys = {
    '/': () => search.elements.q.focus(),
    f: () => follow.click(),
    w: () => wrap.click(),
    e: () => find('[data-action=next-error]').click(),
    n: () => go(1),
    N: () => go(-1),
    End: () => moreButton.click(),
  };
  if (!keys[event.key] || find('dialog[open]')) return;
  event.preventDefault();
  keys[event.key]();
});

killButton.addEventListener('click', async () => {
  if (!(await ask(t('runs.kill_question'), { detail: `${t('runs.log_id')} ${logId}`, danger: true }))) return;
  await post('/joblog/logKill', { id: logId }).then(() => {
    toast(t('runs.killed'));
    killButton.hidden = true;
  }, fail);
});
