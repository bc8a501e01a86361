import type { Problem } from 'splwright-client';
import { find, make, makeButton } from './dom.ts';
import { type Fault, lineOf, selectLine } from './form.ts';
import { withNames } from './names.ts';
import { hasApiKey } from './service.ts';

// What holds a field, or the fields of an item, and the place for their faults.
const boxes = '.item, .field';

/** Removes the faults of a refusal from the form. */
export function clearRefusal(): void {
  find('refusal')?.replaceChildren();
  clearFaultsIn(document);
}

/** Removes the faults of a field that is edited, and of those that share its place for them. */
export function clearFaultOf(field: EventTarget | null): void {
  if (!(field instanceof Element) || !field.hasAttribute('aria-invalid')) return;
  const box = field.closest(boxes);
  if (box) clearFaultsIn(box);
}

function clearFaultsIn(part: ParentNode): void {
  for (const fault of part.querySelectorAll('.fault')) fault.replaceChildren();
  for (const control of part.querySelectorAll('[aria-invalid]')) control.removeAttribute('aria-invalid');
}

/** Shows why there is no answer: every fault once, at its field or, if it has none, at the button. */
export function showRefusal({ status, body }: { status: number; body: Partial<Problem> }): void {
  const faults = body.errors ?? [{ pointer: '', detail: body.detail ?? 'The reply could not be read.' }];
  const code = body.code && make('a', { href: body.type, target: '_blank', rel: 'noopener' }, body.code);
  const note = make('p', { class: 'code' }, status ? `${status} ` : '', code);
  if (status === 401) showAtKey(body);
  else showFaults(body.title ?? 'Refused', faults, note);
}

/** Shows at the field of the API key, which stands above all forms, that it is missing or not accepted. */
function showAtKey({ detail = '' }: Partial<Problem>): void {
  clearRefusal();
  const key = find('api-key');
  find('api-key-fault')?.replaceChildren(hasApiKey() ? detail : 'Paste your API key here.');
  key?.setAttribute('aria-invalid', 'true');
  key?.focus();
}

/** Shows faults, each once: at its field, in a table sorted by line, or at the button. The first field at fault has the focus. */
export function showFaults(title: string, faults: readonly Fault[], note?: Node): void {
  clearRefusal();
  const placed = faults.map((fault) => {
    const field = fieldOf(fault);
    const row = field && lineOf(field, fault.pointer);
    return { ...fault, field, row, lineAt: fault.line ?? row ?? 0 };
  });
  placed.sort((one, other) => one.lineAt - other.lineAt);
  const others = placed.filter(({ field }) => !field).map(({ detail }) => make('p', {}, withNames(detail)));
  find('refusal')?.replaceChildren(make('h2', {}, title), ...others, ...(note ? [note] : []));
  for (const { field, row, lineAt, ...fault } of placed) {
    if (!field) continue;
    const text = `${row === undefined ? '' : `Line ${row}: `}${withNames(withoutPath(fault))}`;
    showAt(field, lineAt === 0 ? make('p', {}, text) : makeButton(text, 'line', () => showLine(field, lineAt)));
  }
  const first = document.querySelector<HTMLElement>('[aria-invalid]') ?? find('refusal');
  first?.focus();
  const atFirst = placed.find(({ field }) => field === first);
  if (atFirst) showLine(first, atFirst.lineAt);
}

function showAt(field: HTMLElement, fault: HTMLElement): void {
  const place = field.closest(boxes)?.querySelector('.fault');
  place?.append(fault);
  field.setAttribute('aria-invalid', 'true');
  if (place && !place.id) {
    place.id = `fault${(field.dataset.pointer ?? '').replaceAll('/', '-')}`;
    field.setAttribute('aria-describedby', place.id);
  }
  const details = field.closest('details');
  if (details) details.open = true;
}

/** A fault's sentence with the field of an item called by its name alone: the page shows which item it is. */
function withoutPath({ pointer, detail }: Fault): string {
  const [, list, index, member] = pointer.split('/');
  return member === undefined ? detail : detail.replaceAll(`${list}/${index}/${member}`, member);
}

function showLine(field: Element | null, line: number): void {
  if (line === 0 || !(field instanceof HTMLTextAreaElement)) return;
  field.focus();
  selectLine(field, line);
}

/** The field that a fault is in, or the one that holds what its pointer leads to. */
function fieldOf({ pointer, code = '' }: Fault): HTMLElement | undefined {
  const item = document.querySelector<HTMLElement>(`[data-pointer="${CSS.escape(pointer)}"]`);
  if (item) return item;
  // The page has one amount, the API has several fields of one.
  if (code.startsWith('amount_') && pointer === '') return find('amount_decimal') ?? find('amount') ?? undefined;
  const name = pointer.split('/')[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
  const field = name ? find(name) : null;
  return field?.matches('[data-kind]') ? field : undefined;
}
