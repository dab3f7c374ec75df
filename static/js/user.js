// Users: the list, adding and editing with roles and permitted executors.

import { all, el, find, on } from './dom.js';
import { badge, tag } from './badge.js';
import { post } from './api.js';
import { ask, closeDialog, openDialog } from './dialog.js';
import { bindForm, fillForm } from './form.js';
import { t } from './i18n.js';
import { listTable } from './table.js';
import { fail, toast } from './toast.js';

const SHOWN = 3;
const own = find('#userList').dataset.own;
const names = new Map(all('#addModal [name=permission]').map((box) => [box.value, box.closest('label').textContent.trim()]));

/** Administrators need no permissions: the block goes, and what was ticked with it. */
function showPermissions(form, isChange) {
  const isAdmin = find('[name=role][value="1"]', form).checked;
  find('.permissions', form).hidden = isAdmin;
  if (isChange) for (const box of all('[name=permission]', form)) box.checked = false;
}

function wire(dialog, path) {
  const form = find('form', dialog);
  form.addEventListener('filled', () => {
    showPermissions(form);
    narrow(form, '');
  });
  on(form, 'change', '[name=role]', () => showPermissions(form, true));
  on(form, 'input', '.narrow-groups', (_, field) => narrow(form, field.value));
  bindForm(form, {
    send: async (values) => {
      // One value with commas, as the calls take it.
      values.set('permission', values.getAll('permission').join(','));
      await post(path, values);
      closeDialog(dialog);
      toast(t('users.saved'));
      await users.reload();
    },
  });
  return form;
}

function narrow(form, text) {
  const wanted = text.trim().toLowerCase();
  for (const box of all('[name=permission]', form)) {
    const label = box.closest('label');
    label.classList.toggle('unseen', !label.textContent.toLowerCase().includes(wanted));
  }
}

wire(find('#addModal'), '/user/add');
const updateDialog = find('#updateModal');
const updateForm = wire(updateDialog, '/user/update');

function edit(row) {
  fillForm(updateForm, { ...row, password: '', permission: row.permission ?? '' });
  openDialog(updateDialog);
}

async function remove(row) {
  if (!(await ask(t('users.delete_question'), { detail: row.username, danger: true }))) return;
  await post('/user/remove', { id: row.id }).then(() => (toast(t('users.deleted')), users.reload()), fail);
}

function permissions(row) {
  if (row.role === 1) return el('span', { class: 'muted' }, t('users.everything'));
  const known = (row.permission ?? '').split(',').filter((id) => names.has(id)).map((id) => names.get(id));
  if (known.length === 0) return el('span', { class: 'muted' }, t('users.nothing'));
  const rest = known.slice(SHOWN);
  return el('span', { class: 'row' }, known.slice(0, SHOWN).map(tag), rest.length > 0 && el('span', { class: 'badge square', tabindex: '0', 'data-tip': rest.join(', ') }, t('users.more', rest.length)));
}

const button = (label, more, props) => el('button', { class: `button small ${more}`, type: 'button', ...props }, label);
const users = listTable({
  id: 'user_list',
  path: '/user/pageList',
  form: find('#filters'),
  empty: { icon: 'users' },
  columns: [
    (row) => row.id,
    (row) => el('span', { class: 'row' }, el('span', { class: 'strong' }, row.username), row.username === own && badge('accent', t('users.you'), { sign: 'user' })),
    () => '',
    (row) => (row.role === 1 ? badge('accent', t('users.admin'), { sign: 'shield' }) : badge('idle', t('users.normal'), { sign: 'user' })),
    permissions,
    // The own account is changed by its own dialog: the server refuses anything else.
    (row) => el('p', { id: row.id, class: 'row acts' }, row.username === own
      ? button(t('frame.change_password'), '', { data: { dialog: '#updatePwdModal', primary: '' } })
      : [button(t('words.edit'), 'update', { data: { primary: '' }, onclick: () => edit(row) }), button(t('words.delete'), 'delete', { onclick: () => remove(row) })]),
  ],
});
