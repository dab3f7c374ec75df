// The lines of a log on the page. They stand in blocks; of a long log only the blocks near the window are filled, the
// others keep their height. A short log is there as a whole, so that the browser's own search and copies have all of it.

import { el } from './dom.js';
import { t } from './i18n.js';
import { level, lineParts, plain } from './log_line.js';

const BLOCK = 200;
/** Lines up to which all blocks stay filled. */
const WHOLE = 5000;

/** Shows lines in `box`, which scrolls. Gives `{append, lines, errors, find, reveal, search, setFollow, atEnd, toEnd}`; `onmove` is told when the end is reached or left. */
export function logView(box, { onmove }) {
  const lines = [];
  const errors = [];
  const blocks = [];
  let [words, hit, isFollowing, lineHeight] = ['', 0, true, 20];
  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const block = blocks[target.dataset.block];
      block.isNear = isIntersecting;
      if (isIntersecting) fill(block);
      else if (lines.length > WHOLE) empty(block);
    }
  }, { root: box, rootMargin: '1500px 0px' });

  function lineElement(n, isLast) {
    const text = lines[n - 1];
    const link = el('a', { class: 'log-n', href: `#L${n}`, tabindex: '-1', 'data-n': n, 'aria-label': t('runs.line', n) });
    const kind = level(plain(text));
    return el('span', { class: `log-line${kind && ` is-${kind}`}${n === hit ? ' is-hit' : ''}`, id: `L${n}` }, link, lineParts(text, words), isLast ? '' : '\n');
  }

  const lastOf = (block) => Math.min(lines.length, block.first + BLOCK - 1);

  function fill(block, anew = false) {
    const last = lastOf(block);
    if (anew || block.filled > last) block.filled = 0;
    if (block.filled === last) return;
    if (!block.filled) block.node.replaceChildren();
    else if (block.node.lastChild) block.node.lastChild.append('\n');
    const from = block.filled ? block.filled + 1 : block.first;
    const nodes = [];
    for (let n = from; n <= last; n++) nodes.push(lineElement(n, n === last));
    block.node.append(...nodes);
    block.node.style.height = '';
    block.filled = last;
  }

  /** What a block that is not filled takes. */
  const estimate = (block) => (block.node.style.height = `${(lastOf(block) - block.first + 1) * lineHeight}px`);

  function empty(block) {
    if (!block.filled) return;
    block.node.style.height = `${block.node.offsetHeight}px`;
    block.node.replaceChildren();
    block.filled = 0;
  }

  function append(more) {
    if (!more.length) return;
    const stay = isFollowing;
    for (const line of more) {
      lines.push(line);
      if (level(plain(line)) === 'error') errors.push(lines.length);
    }
    while (blocks.length * BLOCK < lines.length) {
      const node = el('div', { class: 'log-block', 'data-block': blocks.length });
      blocks.push({ node, first: blocks.length * BLOCK + 1, filled: 0, isNear: false });
      box.append(node);
      near.observe(node);
    }
    const isWhole = lines.length <= WHOLE;
    const began = Math.floor((lines.length - more.length) / BLOCK);
    for (const block of blocks.slice(began)) {
      if (isWhole || block.isNear) fill(block);
      else if (block.filled !== lastOf(block)) {
        empty(block);
        estimate(block);
      }
    }
    box.style.setProperty('--digits', String(Math.max(3, String(lines.length).length)));
    if (stay) toEnd();
  }

  const atEnd = () => box.scrollHeight - box.scrollTop - box.clientHeight < 24;
  let isOwn = false;
  function toEnd() {
    isOwn = true;
    box.scrollTop = box.scrollHeight;
    // The last blocks are filled only now, and take what they take.
    requestAnimationFrame(() => {
      if (isFollowing) box.scrollTop = box.scrollHeight;
      isOwn = false;
    });
  }
  let before = 0;
  box.addEventListener('scroll', () => {
    const isUp = box.scrollTop < before - 2;
    before = box.scrollTop;
    if (!isOwn) onmove({ isUp, isEnd: atEnd() });
  }, { passive: true });

  /** Brings a line into view and marks it. */
  function reveal(n) {
    const block = blocks[Math.floor((n - 1) / BLOCK)];
    if (!block) return;
    document.getElementById(`L${hit}`)?.classList.remove('is-hit');
    hit = n;
    fill(block);
    block.node.scrollIntoView({ block: 'nearest' });
    const place = () => document.getElementById(`L${n}`)?.scrollIntoView({ block: 'center' });
    document.getElementById(`L${n}`)?.classList.add('is-hit');
    place();
    requestAnimationFrame(place); // neighbours were filled meanwhile
  }

  /** Numbers of the lines with these words. */
  function search(wanted) {
    words = wanted.toLowerCase();
    for (const block of blocks) if (block.filled) fill(block, true);
    const found = [];
    if (words) lines.forEach((line, n) => plain(line).toLowerCase().includes(words) && found.push(n + 1));
    return found;
  }

  const measure = () => {
    lineHeight = Number.parseFloat(getComputedStyle(box).lineHeight) || 20;
  };
  measure();

  return { append, lines, errors, reveal, search, toEnd, atEnd, has: (line) => words && plain(line).toLowerCase().includes(words), setFollow: (on) => (isFollowing = on), hit: () => hit };
}
