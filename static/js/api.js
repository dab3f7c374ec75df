// Calls of the console: form-encoded POST, answered in dialect 2 and in the language of the page.

import { language, t } from './i18n.js';

/** The context path, without a slash at the end. */
export const base = document.documentElement.dataset.base ?? '';

/** A call that the server refused, or that did not reach it; its message is for people. */
export class CallError extends Error {
  constructor(message, code = 0) {
    super(message);
    this.code = code;
  }
}

/** Leads to the login, and from there back to this page. */
export function toLogin() {
  const here = location.pathname.slice(base.length) + location.search;
  location.assign(`${base}/toLogin?back=${encodeURIComponent(here)}`);
}

// A refusal may carry the name of an exception, as the Java admin's does, and a break as markup.
const plain = (msg) => (msg ?? '').replace(/^[\w.]+(Exception|Error): /, '').replace(/<br\s*\/?>/g, '\n') || t('words.failed');

/** Names and values as a form would send them; a list gives its name several times, null and undefined are left out. */
export function encode(params) {
  if (params instanceof FormData || params instanceof URLSearchParams) return new URLSearchParams(params);
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(params ?? {})) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) pairs.append(name, each);
    }
  }
  return pairs;
}

async function call(path, options) {
  let answer;
  try {
    answer = await fetch(base + path, {
      credentials: 'same-origin',
      redirect: 'manual',
      ...options,
      headers: { 'X-XXL-Dialect': '2', 'X-XXL-Lang': language, Accept: 'application/json', ...options.headers },
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new CallError(t('words.unreachable'));
  }
  if (answer.type === 'opaqueredirect' || answer.status === 401) {
    toLogin();
    return new Promise(() => {}); // the page is being left
  }
  let body;
  try {
    body = await answer.json();
  } catch {
    throw new CallError(t('words.bad_answer', answer.status), answer.status);
  }
  if (!answer.ok) throw new CallError(plain(body.msg ?? body.error), answer.status);
  return body;
}

const post_ = (path, params, signal) => call(path, { method: 'POST', body: encode(params), signal });

/** Posts; gives the content of a good answer, throws a `CallError` for a bad one. */
export async function post(path, params, { signal } = {}) {
  const body = await post_(path, params, signal);
  if (body.code !== 200) throw new CallError(plain(body.msg), body.code);
  return body.content;
}

/** Asks for a part of a list: `{rows, total}`. */
export async function list(path, params, { signal } = {}) {
  const body = await post_(path, params, signal);
  if (body.code !== undefined && body.code !== 200) throw new CallError(plain(body.msg), body.code);
  return { rows: body.data ?? [], total: body.recordsTotal ?? 0 };
}

/** Asks for JSON by GET. */
export const get = (path, params) => call(params ? `${path}?${encode(params)}` : path, { method: 'GET' });
