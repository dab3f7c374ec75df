// What every page of the frame does: sidebar, theme, language, zone and clock, account, palette, keys, tips.

import './tip.js';
import './everywhere.js';
import './choice.js';
import './menu.js';
import { all, find, on, remember } from './dom.js';
import { base, post } from './api.js';
import { ask, closeDialog, openDialog } from './dialog.js';
import { bindForm } from './form.js';
import { t } from './i18n.js';
import { bindKey, showKeys } from './keys.js';
import { addCommand, openPalette } from './palette.js';
import { setTheme, theme, THEMES, toggleSidebar } from './theme.js';
import { browserZone, now, serverZone, setZone, stamp, zone, zoneChoice, zonesDiffer } from './time.js';
import { fail, toast } from './toast.js';

// ---- sidebar
on(document, 'click', '.sidebar-toggle', toggleSidebar);
on(document, 'click', '.drawer-veil', () => document.body.classList.remove('is-drawer-open'));
document.addEventListener('keydown', (event) => event.key === 'Escape' && document.body.classList.remove('is-drawer-open'));

// ---- choices in menus: theme, language, zone
for (const item of all('[data-set-theme]')) item.setAttribute('aria-checked', String(item.dataset.setTheme === theme()));
on(document, 'click', '[data-set-theme]', (_, item) => {
  setTheme(item.dataset.setTheme);
  for (const each of all('[data-set-theme]')) each.setAttribute('aria-checked', String(each === item));
});
export function setLanguage(language) {
  remember('xxl_lang', language);
  location.reload();
}
on(document, 'click', '[data-set-language]', (event, item) => {
  event.preventDefault();
  setLanguage(item.dataset.setLanguage);
});

// ---- clock
const clock = find('#clock');
function tick() {
  clock.textContent = stamp(now()).slice(11);
  setTimeout(tick, 1000 - (now() % 1000) + 5);
}
function sayZone() {
  const name = find('#clock-zone');
  if (name) name.textContent = zone();
  for (const item of all('[data-set-zone]')) item.setAttribute('aria-checked', String(item.dataset.setZone === zoneChoice()));
}
if (clock) {
  tick();
  for (const place of all('[data-zone-name]')) place.textContent = place.dataset.zoneName === 'browser' ? browserZone : serverZone;
  sayZone();
  document.addEventListener('zone', sayZone);
}
on(document, 'click', '[data-set-zone]', (_, item) => setZone(item.dataset.setZone));

// ---- account
async function logOut() {
  if (!(await ask(t('frame.logout_question')))) return;
  try {
    await post('/logout');
    toast(t('frame.logout_done'));
    setTimeout(() => location.assign(`${base}/`), 400);
  } catch (error) {
    fail(error);
  }
}
find('#logoutBtn')?.addEventListener('click', logOut);
const passwordDialog = find('#updatePwdModal');
const changePassword = () => openDialog(passwordDialog);
find('#updatePwd')?.addEventListener('click', changePassword);
if (passwordDialog) {
  bindForm(find('form', passwordDialog), {
    send: async (values) => {
      await post('/user/updatePwd', values);
      toast(t('frame.password_done'));
      closeDialog(passwordDialog);
      await post('/logout').catch(() => undefined);
      setTimeout(() => location.assign(`${base}/`), 400);
    },
  });
}

// ---- palette and keys
on(document, 'click', '[data-action=palette]', () => openPalette());
on(document, 'click', '[data-action=keys]', () => showKeys());
for (const link of all('.sidebar-menu a')) {
  const title = link.textContent.trim();
  addCommand({ title, group: t('frame.pages'), icon: link.dataset.icon, href: link.href, hint: link.dataset.key && `g ${link.dataset.key}` });
  if (link.dataset.key) bindKey(`g ${link.dataset.key}`, () => location.assign(link.href), title);
}
if (find('.sidebar-menu')) {
  for (const choice of THEMES) addCommand({ title: `${t('frame.theme')}: ${t(`frame.theme_${choice}`)}`, group: t('frame.settings'), icon: { auto: 'auto', light: 'sun', dark: 'moon' }[choice], run: () => setTheme(choice) });
  for (const item of all('.topbar [data-set-language]')) addCommand({ title: `${t('frame.language')}: ${item.textContent.trim()}`, group: t('frame.settings'), icon: 'globe', run: () => item.click() });
  if (zonesDiffer) for (const choice of ['server', 'browser']) addCommand({ title: `${t('frame.zone')}: ${t(`frame.zone_${choice}`)}`, group: t('frame.settings'), icon: 'clock', run: () => setZone(choice) });
  addCommand({ title: t('frame.change_password'), group: t('frame.account'), icon: 'key', run: changePassword });
  addCommand({ title: t('frame.logout'), group: t('frame.account'), icon: 'logout', run: logOut });
  bindKey('t', () => setTheme(THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]), t('frame.theme'));
}
