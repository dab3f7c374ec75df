// Where the lines of a log come from: events of the server, or, where they do not get through, asking again and again.

import { base, post } from './api.js';
import { decode } from './log_line.js';

const PAUSE = 3000;

/**
 * Reads the log of a run from its first line on. `onlines(lines)`, `ontrouble(text)` when the executor does not answer,
 * `onend({handleCode, reason, text})` once; a page that is not looked at reads nothing.
 */
export function logSource(id, { onlines, ontrouble, onend }) {
  let [next, isOver, events, timer] = [1, false, undefined, undefined];

  function take(from, text, to) {
    // After a break the server may begin with what is here already.
    const lines = text.split('\n').slice(Math.max(0, next - from));
    next = to;
    onlines(lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)));
  }

  function end(how) {
    stop();
    isOver = true;
    onend(how);
  }

  function stop() {
    events?.close();
    events = undefined;
    clearTimeout(timer);
  }

  function listen() {
    events = new EventSource(`${base}/console/joblog/tail?id=${id}&from=${next}`);
    events.addEventListener('lines', ({ data, lastEventId }) => {
      const { from, text } = JSON.parse(data);
      if (Number(lastEventId) > next) take(from, text, Number(lastEventId));
    });
    events.addEventListener('trouble', ({ data }) => ontrouble(JSON.parse(data).text));
    events.addEventListener('end', ({ data }) => end(JSON.parse(data)));
    events.addEventListener('error', () => {
      // The browser opens a broken connection again by itself; a refused one it gives up.
      if (events?.readyState !== EventSource.CLOSED) return;
      stop();
      poll();
    });
  }

  async function poll() {
    try {
      const page = await post('/joblog/logDetailCat', { logId: id, fromLineNum: next });
      const hasLines = page.fromLineNum === next && page.toLineNum >= next;
      if (hasLines) take(next, decode(page.logContent).replace(/\n$/, ''), page.toLineNum + 1);
      else if (page.end) return end({ handleCode: 0, reason: 'finished', text: '' });
      timer = setTimeout(poll, hasLines ? PAUSE / 10 : PAUSE);
    } catch (error) {
      ontrouble(error.message);
      timer = setTimeout(poll, PAUSE);
    }
  }

  const start = () => (window.EventSource ? listen() : poll());
  // A connection held by each window in the background would soon be all that the browser opens to one host.
  document.addEventListener('visibilitychange', () => {
    if (isOver) return;
    stop();
    if (!document.hidden) start();
  });
  start();
}
