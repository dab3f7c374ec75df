// Executors: the list, adding and editing, the machines of each, and how one registers.

import { all, el, find, icon, on } from './dom.js';
import { tag } from './badge.js';
import { post } from './api.js';
import { ask, closeDialog, openDialog } from './dialog.js';
import { bindForm, fillForm, setError } from './form.js';
import { fillGuide } from './guide.js';
import { t } from './i18n.js';
import { menu } from './menu.js';
import { listTable } from './table.js';
import { fail, toast } from './toast.js';

const isManual = (form) => find('[name=addressType][value="1"]', form).checked;

/** The list of addresses may be written for manual registration alone. */
function lockAddresses(form) {
  const field = find('[name=addressList]', form);
  field.readOnly = !isManual(form);
  field.required = isManual(form);
}

function wire(dialog, path) {
  const form = find('form', dialog);
  form.addEventListener('filled', () => lockAddresses(form));
  on(form, 'change', '[name=addressType]', () => {
    lockAddresses(form);
    const field = find('[name=addressList]', form);
    if (!isManual(form)) {
      field.value = '';
      setError(field, '');
    }
  });
  bindForm(form, {
    check: () => {
      const addresses = find('[name=addressList]', form).value.split(',');
      const isWrong = isManual(form) && !addresses.every((address) => /^https?:\/\/\S+$/i.test(address.trim()));
      return { addressList: isWrong ? t('executors.address_rule') : '' };
    },
    send: async (values) => {
      values.set('addressList', (values.get('addressList') ?? '').split(',').map((address) => address.trim()).join(','));
      await post(path, values);
      closeDialog(dialog);
      toast(t('executors.saved'));
      await groups.reload();
    },
  });
  return form;
}

wire(find('#addModal'), '/jobgroup/save');
const updateDialog = find('#updateModal');
const updateForm = wire(updateDialog, '/jobgroup/update');

function edit(row) {
  fillForm(updateForm, { ...row, addressType: row.addressType ? 1 : 0 });
  openDialog(updateDialog);
}

async function remove(row) {
  if (!(await ask(t('executors.delete_question'), { detail: `${row.title} (${row.appname})`, danger: true }))) return;
  await post('/jobgroup/remove', { id: row.id }).then(() => (toast(t('executors.deleted')), groups.reload()), fail);
}

function showMachines(row) {
  const dialog = find('#showRegistryListModal');
  find('.data', dialog).replaceChildren(el('ol', { class: 'machines' }, row.registryList.map((address) => el('li', null,
    el('span', { class: 'mono' }, address),
    el('button', { class: 'button quiet small icon-only', type: 'button', 'aria-label': `${t('words.copy_text')} ${address}`, data: { copy: '' } }, icon('copy'))))));
  openDialog(dialog);
}

function showGuide(appName) {
  fillGuide(appName);
  openDialog(find('#guideModal'));
}
on(document, 'click', '[data-action=guide]', (_, button) => showGuide(button.dataset.app || undefined));

const guideButton = (label, app) => el('button', { class: 'link-button', type: 'button', data: { action: 'guide', app } }, label);
const machines = (row) => row.registryList?.length
  ? el('button', { class: 'button small show_registryList', type: 'button', onclick: () => showMachines(row) }, t('executors.show', row.registryList.length))
  : el('span', { class: 'row' }, el('span', { class: 'muted' }, t('executors.empty')), !row.addressType && guideButton(t('guide.open'), row.appname));

const form = find('#filters');
const isFiltered = () => all('input', form).some((field) => field.value.trim());
const groups = listTable({
  id: 'jobgroup_list',
  path: '/jobgroup/pageList',
  form,
  empty: {
    icon: 'executors',
    get title() { return isFiltered() ? undefined : t('executors.none'); },
    get text() { return isFiltered() ? undefined : t('executors.none_text'); },
    get action() { return guideButton(t('guide.open'), ''); },
  },
  columns: [
    (row) => row.id,
    (row) => el('span', { class: 'strong mono' }, row.appname),
    (row) => row.title,
    (row) => tag(t(row.addressType ? 'executors.manual' : 'executors.automatic')),
    machines,
    (row) => menu(t('words.operate'), [
      { label: t('words.edit'), icon: 'edit', class: 'opt_edit', run: () => edit(row) },
      '-',
      { label: t('words.delete'), icon: 'trash', class: 'opt_del', danger: true, run: () => remove(row) },
    ], { id: row.id }),
  ],
});
