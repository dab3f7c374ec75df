// Forms: checked by their attributes before they are sent, sent once, and with words beside what is wrong.

import { all, el, find, freshId, icon, on } from './dom.js';
import { CallError, encode } from './api.js';
import { t } from './i18n.js';

/** What is wrong with a field by its attributes; empty when nothing is. */
export function fault(field) {
  const value = field.value.trim();
  const { minlength, maxlength, pattern, digits, message } = {
    minlength: Number(field.getAttribute('minlength') ?? 0), maxlength: Number(field.getAttribute('maxlength') ?? Infinity),
    pattern: field.getAttribute('pattern'), ...field.dataset,
  };
  if (field.required && (field.type === 'checkbox' ? !field.checked : value === '')) return t('words.required');
  if (value === '') return '';
  if (value.length < minlength || value.length > maxlength) {
    if (minlength && Number.isFinite(maxlength)) return t('words.length_between', minlength, maxlength);
    return minlength ? t('words.length_min', minlength) : t('words.length_max', maxlength);
  }
  if (digits !== undefined && !/^\d+$/.test(value)) return t('words.digits');
  if (pattern && !new RegExp(`^(?:${pattern})$`, 'u').test(value)) return message ?? t('words.pattern');
  return '';
}

/** Shows, or takes away, what is wrong with a field. */
export function setError(field, text) {
  const box = field.closest('.field') ?? field.parentElement;
  let note = find('.error', box);
  if (!note && text) note = box.appendChild(el('div', { class: 'error help-block', id: freshId('error') }));
  if (note) note.textContent = text;
  const help = find('.help', box)?.id;
  if (text) {
    note.id ||= freshId('error');
    field.setAttribute('aria-invalid', 'true');
    field.setAttribute('aria-describedby', help ? `${note.id} ${help}` : note.id);
  } else {
    field.removeAttribute('aria-invalid');
    if (help) field.setAttribute('aria-describedby', help);
    else field.removeAttribute('aria-describedby');
  }
}

const shown = (field) => field.type !== 'hidden' && !field.disabled && !field.closest('[hidden]');
const fields = (form) => [...form.elements].filter((field) => field.name && shown(field) && 'value' in field);

/** Checks a form; `more` gives further words by name. Focus goes to the first field that is wrong. */
export function check(form, more) {
  const extra = more?.(form) ?? {};
  const wrong = fields(form).filter((field) => {
    const text = fault(field) || (extra[field.name] ?? '');
    setError(field, text);
    return text;
  });
  wrong[0]?.focus();
  return wrong.length === 0;
}

/** Says what is wrong with the whole form, above its fields. */
export function setFormError(form, text) {
  find('.form-error', form)?.remove();
  if (!text) return;
  const notice = el('div', { class: 'notice fail form-error', role: 'alert' }, icon('x-circle'), el('div', { class: 'words' }, text));
  const body = find('.dialog-body', form) ?? form;
  body.prepend(notice);
  notice.scrollIntoView({ block: 'nearest' });
}

/** While `work` runs its button shows so and cannot be pressed again. */
export async function busy(button, work) {
  if (button?.getAttribute('aria-busy') === 'true') return undefined;
  button?.setAttribute('aria-busy', 'true');
  if (button) button.disabled = true;
  try {
    return await work();
  } finally {
    button?.removeAttribute('aria-busy');
    if (button) button.disabled = false;
  }
}

/** Names and values of a form, as a browser would send them. */
export const values = (form) => encode(new FormData(form));

/** Puts a row's values into the fields of the same names. Check boxes of a name take a list or a text with commas. */
export function fillForm(form, row) {
  for (const field of form.elements) {
    if (!field.name || !(field.name in row)) continue;
    const value = row[field.name] ?? '';
    if (field.type === 'radio') field.checked = field.value === String(value);
    else if (field.type === 'checkbox') field.checked = (Array.isArray(value) ? value.map(String) : String(value).split(',')).includes(field.value);
    else field.value = value;
  }
  form.dispatchEvent(new CustomEvent('filled', { bubbles: true }));
}

/**
 * Wires a form: `send(values, form)` is called when everything is right, and may throw a `CallError`, whose words are
 * then shown above the fields. `check(form)` may give further faults: `{name: text}`.
 */
export function bindForm(form, { send, check: more }) {
  form.noValidate = true;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    setFormError(form, '');
    if (!check(form, more)) return;
    const button = event.submitter ?? find('[type=submit]', form);
    try {
      await busy(button, () => send(values(form), form));
    } catch (error) {
      if (!(error instanceof CallError)) console.error(error);
      setFormError(form, error.message);
    }
  });
  form.addEventListener('reset', () => {
    setFormError(form, '');
    fields(form).forEach((field) => setError(field, ''));
    setTimeout(() => form.dispatchEvent(new CustomEvent('filled', { bubbles: true })));
  });
  // A field once wrong is looked at again with every letter.
  form.addEventListener('input', ({ target }) => target.getAttribute('aria-invalid') && setError(target, fault(target)));
}

/** A password field's eye. */
on(document, 'click', '[data-action=reveal]', (_, button) => {
  const field = find('input', button.parentElement);
  const isShown = field.type === 'password';
  field.type = isShown ? 'text' : 'password';
  button.setAttribute('aria-pressed', String(isShown));
  all('.icon', button).forEach((old) => old.replaceWith(icon(isShown ? 'eye-off' : 'eye')));
});
