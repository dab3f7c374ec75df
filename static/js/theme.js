// Light, dark, or as the system has it. The server writes the choice into <html>, so no page flashes.

import { remember } from './dom.js';

const root = document.documentElement;

export const THEMES = ['auto', 'light', 'dark'];

/** The choice that is in force. */
export const theme = () => root.dataset.theme ?? 'auto';

/** Chooses, for this page and those to come. */
export function setTheme(choice) {
  root.dataset.theme = choice;
  remember('xxl_theme', choice);
  document.dispatchEvent(new CustomEvent('theme', { detail: choice }));
}

/** The sidebar, wide or narrow, under the cookie that the old console used; on a phone the drawer. */
export function toggleSidebar() {
  if (matchMedia('(max-width: 47.9375rem)').matches) {
    document.body.classList.toggle('is-drawer-open');
    return;
  }
  const state = root.dataset.sidebar === 'off' ? 'on' : 'off';
  root.dataset.sidebar = state;
  remember('xxljob_adminlte_settings', state);
  for (const button of document.querySelectorAll('.sidebar-toggle')) button.setAttribute('aria-expanded', String(state === 'on'));
}
