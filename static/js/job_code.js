// The window of a script: editing, versions, saving.

import { find, on } from './dom.js';
import { post } from './api.js';
import { closeDialog, openDialog } from './dialog.js';
import { bindForm } from './form.js';
import { t } from './i18n.js';
import { toast } from './toast.js';

const { jobId } = find('#ideWindow').dataset;
const editor = find('#glueSource');
const dialog = find('#saveModal');
// The text as it was stored: what a field gives has lost its CRs.
const stored = (id) => find(`#${id}`).textContent.replace(/^\n/, '');
const hasCr = stored('version_now').includes('\r\n');
const source = () => (hasCr ? editor.value.replaceAll('\n', '\r\n') : editor.value);

editor.value = stored('version_now');
editor.hidden = false;
let saved = editor.value;

on(document, 'click', '.source_version', (_, item) => {
  editor.value = stored(item.dataset.version);
  editor.focus();
});

function save() {
  find('form', dialog).reset();
  openDialog(dialog);
}
find('#save').addEventListener('click', save);
find('[data-action=close-window]').addEventListener('click', () => window.close());
document.addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key !== 's') return;
  event.preventDefault();
  if (!dialog.open) save();
});
// Tab is a letter here; Esc, then Tab leaves.
let leaves = false;
editor.addEventListener('keydown', (event) => {
  if (event.key === 'Tab' && !event.shiftKey && !leaves) {
    event.preventDefault();
    editor.setRangeText('    ', editor.selectionStart, editor.selectionEnd, 'end');
  }
  leaves = event.key === 'Escape';
});
window.addEventListener('beforeunload', (event) => editor.value !== saved && event.preventDefault());

bindForm(find('form', dialog), {
  send: async (values) => {
    values.set('id', jobId);
    values.set('glueSource', source());
    await post('/jobcode/save', values);
    saved = editor.value;
    closeDialog(dialog);
    toast(t('script.saved'));
    // The list of versions is anew.
    setTimeout(() => window.location.reload(), 700);
  },
});
