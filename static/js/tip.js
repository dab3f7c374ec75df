// Tips: what an element with `data-tip` means, on hover and on focus. Never the only place of a name.

import { closeFloating, el, openFloating } from './dom.js';

const tip = el('div', { class: 'tip', role: 'tooltip', id: 'tip', hidden: true });
let timer;
let anchor;

function shown(target) {
  anchor = target;
  tip.textContent = target.dataset.tip;
  (target.closest('dialog') ?? document.body).append(tip);
  tip.hidden = false;
  target.setAttribute('aria-describedby', 'tip');
  openFloating(tip, target);
}

function gone() {
  clearTimeout(timer);
  if (!anchor) return;
  closeFloating(tip);
  tip.hidden = true;
  anchor.removeAttribute('aria-describedby');
  anchor = undefined;
}

const over = (ms) => (event) => {
  const target = event.target instanceof Element && event.target.closest('[data-tip]');
  if (target === anchor) return;
  gone();
  if (target) timer = setTimeout(() => target.isConnected && shown(target), ms);
};

document.addEventListener('pointerover', over(350));
document.addEventListener('focusin', (event) => event.target.matches(':focus-visible') && over(0)(event));
document.addEventListener('focusout', gone);
document.addEventListener('pointerdown', gone);
document.addEventListener('keydown', (event) => event.key === 'Escape' && gone());
