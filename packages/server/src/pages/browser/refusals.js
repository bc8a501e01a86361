import { lineOf, selectLine } from './form-body.js';
import { make } from './make.js';
import { find } from './page.js';

/** @import { ServiceReply } from './service.js' */
/**
 * What is wrong with a request.
 * @typedef {{ pointer: string, detail: string, line?: number }} Fault `line`: that of a table, where the detail names it
 */

/** Removes the faults of a refusal from the form. */
export function clearRefusal() {
  find('refusal')?.replaceChildren();
  for (const fault of document.querySelectorAll('.fault')) fault.replaceChildren();
  for (const control of document.querySelectorAll('[aria-invalid]')) control.removeAttribute('aria-invalid');
}

/**
 * Shows why there is no answer: every fault at its field, and all of them above the form, each leading to its field.
 * @param {ServiceReply} reply
 */
export function showRefusal({ status, body }) {
  /** @type {Fault[]} */
  const faults = body.errors ?? [{ pointer: '', detail: body.detail ?? 'The reply cannot be read.' }];
  const code = body.code && make('a', { href: body.type, target: '_blank', rel: 'noopener' }, body.code);
  const note = make('p', { class: 'code' }, status ? `${status} ` : '', code || '');
  showFaults(body.title ?? 'Refused', faults, note, body.detail);
}

/**
 * Shows faults, at their fields and all of them above the form.
 * @param {string} title
 * @param {readonly Fault[]} faults
 * @param {Node} [note]
 * @param {string} [detail] what is to be said where no fault says more
 */
export function showFaults(title, faults, note, detail) {
  clearRefusal();
  const items = faults.map((fault) => {
    const field = fieldOf(fault.pointer);
    if (!field) return make('li', {}, fault.detail);
    const row = lineOf(field, fault.pointer);
    const text = row === undefined ? fault.detail : `Line ${row}: ${fault.detail}`;
    const line = fault.line ?? row;
    find(`${field.id}-fault`)?.append(make('span', {}, text));
    field.setAttribute('aria-invalid', 'true');
    const details = field.closest('details');
    if (details) details.open = true;
    const link = make('a', { href: `#${field.id}` }, text);
    link.addEventListener('click', (event) => {
      event.preventDefault();
      field.focus();
      if (line !== undefined && field instanceof HTMLTextAreaElement) selectLine(field, line);
    });
    return make('li', {}, link);
  });
  const alert = find('refusal');
  const rest = detail && !faults.some((fault) => detail.includes(fault.detail)) ? make('p', {}, detail) : undefined;
  alert?.replaceChildren(
    make('h2', {}, title),
    ...(rest ? [rest] : []),
    make('ul', {}, ...items),
    ...(note ? [note] : []),
  );
  alert?.focus();
}

/**
 * The field that a JSON pointer leads to, or the one that holds what it leads to.
 * @param {string} pointer
 */
function fieldOf(pointer) {
  const name = pointer.split('/')[1];
  const field = name ? find(name.replaceAll('~1', '/').replaceAll('~0', '~')) : null;
  return field?.matches('[data-kind]') ? field : undefined;
}
