// Finding and building elements. Text goes in as text: nothing here, or anywhere in these modules, parses markup.

export const find = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

const SVG = 'http://www.w3.org/2000/svg';
const SPRITE = new URL('../icons.svg', import.meta.url).pathname;

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'class') node.setAttribute('class', value);
    else if (name === 'data') Object.assign(node.dataset, value);
    else if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'disabled' || name === 'selected') node[name] = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(9).filter((child) => child !== undefined && child !== null && child !== false));
  return node;
}

/** `el('a', {class: 'x', href: '/', onclick: f, data: {id: 1}}, 'text', child, …)`; empty properties and children are left out. */
export const el = (tag, props, ...children) => fill(document.createElement(tag), props, children);

/** The same for SVG. */
export const svg = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

/** An icon of the sprite; it says nothing to a screen reader. */
export const icon = (name, more = '') =>
  svg('svg', { class: `icon ${more}`.trim(), 'aria-hidden': 'true' }, svg('use', { href: `${SPRITE}#${name}` }));

/** Listens at `root` for events on whatever matches `selector`, now or later. */
export function on(root, type, selector, handler) {
  root.addEventListener(type, (event) => {
    const hit = event.target instanceof Element && event.target.closest(selector);
    if (hit && root.contains(hit)) handler(event, hit);
  });
}

/** Calls `f` once the calls have stopped for `ms`. */
export function later(f, ms) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...args), ms);
  };
}

/** An id that is free in this page. */
let ids = 0;
export const freshId = (stem) => `${stem}-${++ids}`;

const scroll = { capture: true, passive: true };
const floating = new Map();

/**
 * Shows a panel beside its anchor, in the top layer where the browser has one, and keeps it in the window.
 * `onclose` is called when a press elsewhere, Esc, or the page's scrolling closes it.
 */
export function openFloating(panel, anchor, { align = 'start', onclose, wide = false } = {}) {
  if (panel.showPopover) {
    panel.popover = 'manual';
    panel.showPopover();
  }
  panel.classList.add('is-open');
  const place = () => {
    const box = anchor.getBoundingClientRect();
    if (wide) panel.style.minWidth = panel.style.maxWidth = `${box.width}px`;
    const { offsetWidth: width, offsetHeight: height } = panel;
    const { clientWidth, clientHeight } = document.documentElement;
    const left = align === 'end' ? box.right - width : box.left;
    const below = box.bottom + 4;
    const fits = below + height <= clientHeight - 4 || box.top < clientHeight - box.bottom;
    panel.style.left = `${Math.max(4, Math.min(left, clientWidth - width - 4))}px`;
    panel.style.top = `${Math.max(4, fits ? Math.min(below, clientHeight - height - 4) : box.top - height - 4)}px`;
  };
  place();
  const close = () => {
    closeFloating(panel);
    onclose?.();
  };
  const away = (event) => {
    if (!panel.contains(event.target) && !anchor.contains(event.target)) close();
  };
  const moved = (event) => {
    if (!panel.contains(event.target)) place();
  };
  document.addEventListener('pointerdown', away, true);
  window.addEventListener('scroll', moved, scroll);
  window.addEventListener('resize', close);
  floating.set(panel, () => {
    document.removeEventListener('pointerdown', away, true);
    window.removeEventListener('scroll', moved, scroll);
    window.removeEventListener('resize', close);
  });
}

/** Hides a panel again. */
export function closeFloating(panel) {
  floating.get(panel)?.();
  floating.delete(panel);
  panel.classList.remove('is-open');
  if (panel.hidePopover && panel.matches(':popover-open')) panel.hidePopover();
}

/** Whether keys belong to what is being typed. */
export const isTyping = (event) =>
  event.isComposing || (event.target instanceof Element && event.target.closest('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]') !== null);

/** A cookie of the whole console that lasts a year; scripts read none that matters. */
export function remember(name, value) {
  const path = document.documentElement.dataset.base || '/';
  document.cookie = `${name}=${encodeURIComponent(value)}; path=${path}; max-age=31536000; samesite=lax`;
}
