import { lineOf, selectLine } from './form-body.js';
import { make, makeButton } from './make.js';
import { withNames } from './names.js';
import { find } from './page.js';

/** @import { ServiceReply } from './service.js' */
/**
 * What is wrong with a request.
 * @typedef {{ pointer: string, detail: string, code?: string, line?: number }} Fault `line`: that of a table, where the detail names it
 */

// What holds a field, or the fields of an item, and the place for their faults.
const boxes = '.item, .field';

/** Removes the faults of a refusal from the form. */
export function clearRefusal() {
  find('refusal')?.replaceChildren();
  for (const fault of document.querySelectorAll('.fault')) fault.replaceChildren();
  for (const control of document.querySelectorAll('[aria-invalid]')) control.removeAttribute('aria-invalid');
}

/**
 * Removes the faults of a field that is edited, and of those that share its place for them.
 * @param {EventTarget | null} field
 */
export function clearFaultOf(field) {
  if (!(field instanceof Element) || !field.hasAttribute('aria-invalid')) return;
  const box = field.closest(boxes);
  box?.querySelector('.fault')?.replaceChildren();
  for (const control of box?.querySelectorAll('[aria-invalid]') ?? []) control.removeAttribute('aria-invalid');
}

/**
 * Shows why there is no answer: every fault once, at its field or, if it has none, at the button.
 * @param {ServiceReply} reply
 */
export function showRefusal({ status, body }) {
  /** @type {Fault[]} */
  const faults = body.errors ?? [{ pointer: '', detail: body.detail ?? 'The reply cannot be read.' }];
  const code = body.code && make('a', { href: body.type, target: '_blank', rel: 'noopener' }, body.code);
  const note = make('p', { class: 'code' }, status ? `${status} ` : '', code || '');
  showFaults(body.title ?? 'Refused', faults, note);
}

/**
 * Shows faults, each once: at its field, in a table sorted by line, or at the button. The first field at fault has the focus.
 * @param {string} title
 * @param {readonly Fault[]} faults
 * @param {Node} [note]
 */
export function showFaults(title, faults, note) {
  clearRefusal();
  const placed = faults.map((fault) => {
    const field = fieldOf(fault);
    return { ...fault, field, row: field && lineOf(field, fault.pointer) };
  });
  placed.sort((one, other) => lineAt(one) - lineAt(other));
  const others = placed.filter(({ field }) => !field).map(({ detail }) => make('p', {}, withNames(detail)));
  find('refusal')?.replaceChildren(make('h2', {}, title), ...others, ...(note ? [note] : []));
  for (const { field, ...fault } of placed) if (field) showAt(field, fault);
  const first = /** @type {HTMLElement | null} */ (document.querySelector('[aria-invalid]')) ?? find('refusal');
  first?.focus();
  const line = placed.find(({ field }) => field === first);
  if (line) showLine(first, lineAt(line));
}

/**
 * The line of a table that a fault is in; 0 of one that is in none.
 * @param {{ line?: number, row?: number | undefined }} fault
 */
function lineAt({ line, row }) {
  return line ?? row ?? 0;
}

/**
 * @param {HTMLElement} field
 * @param {Fault & { row?: number | undefined }} fault
 */
function showAt(field, fault) {
  const place = field.closest(boxes)?.querySelector('.fault');
  const text = `${fault.row === undefined ? '' : `Line ${fault.row}: `}${withNames(withoutPath(fault))}`;
  const line = lineAt(fault);
  place?.append(line === 0 ? make('p', {}, text) : makeButton(text, 'line', () => showLine(field, line)));
  field.setAttribute('aria-invalid', 'true');
  if (place && !place.id) {
    place.id = `fault${(field.dataset.pointer ?? '').replaceAll('/', '-')}`;
    field.setAttribute('aria-describedby', place.id);
  }
  const details = field.closest('details');
  if (details) details.open = true;
}

/**
 * What is wrong, with the field of an item called by its name alone: the page shows which item it is.
 * @param {Fault} fault
 */
function withoutPath({ pointer, detail }) {
  const [, list, index, member] = pointer.split('/');
  return member === undefined ? detail : detail.replaceAll(`${list}/${index}/${member}`, member);
}

/**
 * @param {Element | null} field
 * @param {number} line
 */
function showLine(field, line) {
  if (line === 0 || !(field instanceof HTMLTextAreaElement)) return;
  field.focus();
  selectLine(field, line);
}

/**
 * The field that a fault is in, or the one that holds what its pointer leads to.
 * @param {Fault} fault
 */
function fieldOf({ pointer, code = '' }) {
  const item = /** @type {HTMLElement | null} */ (document.querySelector(`[data-pointer="${CSS.escape(pointer)}"]`));
  if (item) return item;
  // The page has one amount, the API has several fields of one.
  if (code.startsWith('amount_') && pointer === '') return find('amount_decimal') ?? find('amount') ?? undefined;
  const name = pointer.split('/')[1];
  const field = name ? find(name.replaceAll('~1', '/').replaceAll('~0', '~')) : null;
  return field?.matches('[data-kind]') ? field : undefined;
}
