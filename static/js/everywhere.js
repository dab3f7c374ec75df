// Behaviour of markup that any page may have: banners, filters on a phone, copying, tabs.

import { all, find, on } from './dom.js';
import { busy } from './form.js';
import { t } from './i18n.js';
import { fail, toast } from './toast.js';

on(document, 'click', '.banner [data-action=hide]', (_, button) => button.closest('.banner').remove());

on(document, 'click', '[data-action=filters]', (_, button) => {
  const isOpen = button.closest('.filters').classList.toggle('is-open');
  button.setAttribute('aria-expanded', String(isOpen));
});

on(document, 'click', '[data-copy]', async (_, button) => {
  const source = button.dataset.copy ? find(button.dataset.copy) : button.previousElementSibling;
  await busy(button, () => navigator.clipboard.writeText(source.value ?? source.textContent)).then(() => toast(t('words.copied')), fail);
});

on(document, 'click', '[role=tab]', (_, tab) => {
  for (const each of all('[role=tab]', tab.closest('[role=tablist]'))) {
    const isChosen = each === tab;
    each.setAttribute('aria-selected', String(isChosen));
    each.tabIndex = isChosen ? 0 : -1;
    document.getElementById(each.getAttribute('aria-controls')).hidden = !isChosen;
  }
});
on(document, 'keydown', '[role=tab]', (event, tab) => {
  const step = { ArrowRight: 'nextElementSibling', ArrowLeft: 'previousElementSibling' }[event.key];
  const next = step && tab[step];
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.click();
});
