// Lines for executors: the server does not know under which address it is seen from outside, the browser does.

import { all, find } from './dom.js';
import { base } from './api.js';

const written = new Map();

/** Puts the address of this page, and an app name, into the lines. */
export function fillGuide(appName = 'my-executor') {
  const guide = find('.guide');
  for (const code of all('pre', guide)) {
    if (!written.has(code)) written.set(code, code.textContent);
    code.textContent = written.get(code).replaceAll(guide.dataset.address, location.origin + base).replaceAll('my-executor', appName);
  }
}
