// Logging in. Without this script the form posts itself and the answer is JSON; with it the page goes on.

import './menu.js';
import { find, on, remember } from './dom.js';
import { base, post } from './api.js';
import { bindForm } from './form.js';
import { setTheme } from './theme.js';
import { t } from './i18n.js';
import { toast } from './toast.js';

/** Where to go after the login: a page of this console, or its first one. */
function goal() {
  const back = new URLSearchParams(location.search).get('back') ?? '/';
  const isOurs = /^\/(?![/\\])/.test(back) && new URL(base + back, location.href).origin === location.origin;
  return base + (isOurs ? back : '/');
}

const form = find('#loginForm');
bindForm(form, {
  send: async (values) => {
    await post(form.dataset.path, values);
    toast(t('login.done'));
    location.assign(goal());
  },
});
find('[name=userName]', form).focus();

on(document, 'click', '[data-set-theme]', (_, item) => setTheme(item.dataset.setTheme));
on(document, 'click', '[data-set-language]', (event, item) => {
  event.preventDefault();
  remember('xxl_lang', item.dataset.setLanguage);
  location.reload();
});
