// The texts of the page: a JSON block in it that the server wrote in the reader's language.

const block = document.getElementById('texts');
const texts = block ? JSON.parse(block.textContent) : {};

/** The language of the page: `en`, `zh_CN` or `zh_TC`. */
export const language = document.documentElement.dataset.lang ?? 'en';
/** The same as a browser calls it. */
export const locale = document.documentElement.lang || 'en';

/** The text of a key `file.name`, with `{0}`, `{1}` … replaced. A key that is not there shows itself. */
export function t(key, ...args) {
  const [file, name] = key.split('.');
  const text = texts[file]?.[name] ?? key;
  return args.length === 0 ? text : text.replace(/\{(\d)\}/g, (whole, n) => args[n] ?? whole);
}

const numbers = new Intl.NumberFormat(locale);
/** A whole number with its thousands apart. */
export const count = (n) => numbers.format(n);
