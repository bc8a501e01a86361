import type { PaymentsFile } from 'splwright-client/payments-file';
import { readChosenAmount } from '../../links/page/chosen-amount.ts';
import { find, make } from './dom.ts';
import { decimalsOf, followPicks, withNames } from './names.ts';

export interface Fault {
  pointer: string;
  detail: string;
  code?: string;
  /** That of a table, where the detail names it. */
  line?: number;
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * The body of the request that a form is filled in for, and the faults in its fields. A field that is empty or has its default is absent.
 * Each item of a list is marked with the pointer under which the request has its value.
 */
export async function readBody(form: HTMLFormElement): Promise<{ body: Record<string, unknown>; faults: Fault[] }> {
  const body: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const control of form.querySelectorAll<Control>('[data-kind]')) {
    const value = await valueIn(control, faults);
    if (value !== undefined && String(value) !== control.dataset.default) body[control.id] = value;
  }
  return { body, faults };
}

/** The value of a control, `undefined` of an empty one. Adds its faults. */
async function valueIn(control: Control, faults: Fault[]): Promise<unknown> {
  const { id: name, dataset } = control;
  if (dataset.kind === 'items') return itemsOf(control, faults);
  if (dataset.kind === 'flag') return 'checked' in control && control.checked;
  const { value } = control;
  const trimmed = value.trim();
  if (trimmed === '') return undefined;
  switch (dataset.kind) {
    case 'choice':
      return JSON.parse(value);
    case 'integer':
      return /^-?[0-9]{1,15}$/.test(trimmed) ? Number(value) : value;
    case 'objects': {
      const read = await readTable(control);
      faults.push(...read.faults.map((fault) => ({ pointer: `/${name}`, ...fault })));
      return read.payments;
    }
    case 'json':
      return jsonOf(value);
    case 'bytes':
      return trimmed.startsWith('[') ? jsonOf(value) : trimmed;
    default:
      // A memo may begin with a space; an address that was pasted must not.
      return name === 'memo' || name === 'yid' ? value : sentText(control, `/${name}`, faults);
  }
}

/** The items of a list that are filled in, `undefined` if it has none. An input without a member is itself the item. */
function itemsOf(list: Element, faults: Fault[]): unknown {
  // What was marked before counts other items.
  for (const marked of list.querySelectorAll('[data-pointer]')) marked.removeAttribute('data-pointer');
  const rows = Array.from(list.children, (item) => [...item.querySelectorAll<HTMLInputElement>('[data-member]')]);
  const isFilled = ({ type, checked, value }: HTMLInputElement) =>
    type === 'checkbox' ? checked : value.trim() !== '';
  const filled = rows.filter((inputs) => inputs.some(isFilled));
  const items = filled.map((inputs, row) => {
    const members = inputs.map((input) => {
      const member = input.dataset.member ?? '';
      input.dataset.pointer = `/${list.id}/${row}${member && `/${member}`}`;
      return [member, sentText(input, input.dataset.pointer, faults)] as const;
    });
    const [[member, text] = []] = members;
    return member === '' ? text : Object.fromEntries(members.filter(([, each]) => each !== ''));
  });
  return items.length === 0 ? undefined : items;
}

// What is too much the service says.
const anyAmount = { minAmount: 0n, maxAmount: 10n ** 60n, least: '0', most: 'the greatest amount' };

/** The text of an input as it is sent: an amount in whole tokens is sent in base units where the API wants these. */
function sentText(input: Control, pointer: string, faults: Fault[]): string {
  const text = input.value.trim();
  if (text === '' || input.dataset.units === undefined) return text;
  const decimals = decimalsOf(find<HTMLInputElement>('token_mint_address')?.value.trim() ?? '');
  const { amount, fault } =
    decimals === undefined
      ? { fault: 'This page does not know the decimals of this token. Choose a sandbox token.' }
      : readChosenAmount(text, { ...anyAmount, decimals });
  if (fault !== undefined) faults.push({ pointer, detail: fault });
  return String(amount ?? text);
}

/** Reads a text as JSON; any other text stays as it is, for the service to refuse. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The last reading of each table: a refusal of the service is about that, whatever was typed since. */
const readings = new WeakMap<Element, PaymentsFile>();

/** Reads a table that is not empty: the columns are called as the fields of the API. */
async function readTable(area: Control) {
  const { readPayments, summarizePayments } = await import('splwright-client/payments-file');
  // The page of a form with a table loads Papa Parse as a script of its own.
  const papa: Parameters<typeof readPayments>[0] = Reflect.get(globalThis, 'Papa');
  const columns = (area.dataset.columns ?? '').split(',').map((name) => [name, name]);
  const reading = readPayments(papa, area.value, Object.fromEntries(columns));
  readings.set(area, reading);
  const faults = reading.faults.map(({ line, column, detail }) => ({
    line,
    detail: `Line ${line}, column ${column}: ${detail}`,
  }));
  const words = faults[0]?.detail ?? withNames(summarizePayments(reading.payments));
  return { payments: reading.payments, faults, words };
}

/** A table is pasted, dropped as a file or chosen; below it stands what it pays in all, or why it cannot be read. */
export function followTables(): void {
  for (const area of document.querySelectorAll<HTMLTextAreaElement>('[data-columns]')) followTable(area);
}

function followTable(area: HTMLTextAreaElement): void {
  const sum = make('span', { class: 'sum' });
  const picker = make('input', { type: 'file', accept: '.csv,.tsv,.txt,text/csv', 'aria-label': 'Open a CSV file' });
  const bar = make('div', { class: 'table-bar' }, sum, make('label', { class: 'file' }, 'Open a CSV file', picker));
  area.parentElement?.after(bar);
  const show = async () => {
    sum.textContent = area.value.trim() === '' ? 'No payments yet' : (await readTable(area)).words;
  };
  const read = async (file: File | undefined) => {
    if (!file) return;
    // Not a tab or a separator, which ends a cell.
    area.value = (await file.text()).replace(/[\r\n]+$/, '');
    area.dispatchEvent(new Event('input', { bubbles: true }));
  };
  area.addEventListener('input', show);
  picker.addEventListener('change', () => read(picker.files?.[0]));
  area.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  area.addEventListener('drop', (event) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    read(file);
  });
  show();
}

/** Which line of a table a JSON pointer such as `/transfers/17/memo` leads to; `undefined` of other fields. */
export function lineOf(field: Element, pointer: string): number | undefined {
  const [, , index = ''] = pointer.split('/');
  return /^[0-9]+$/.test(index) ? readings.get(field)?.lines[Number(index)] : undefined;
}

/** Selects a line of a table, so that it is seen. */
export function selectLine(area: HTMLTextAreaElement, line: number): void {
  const lines = area.value.split(/\r\n|\r|\n/);
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  area.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
  const height = Number.parseFloat(getComputedStyle(area).lineHeight) || 20;
  area.scrollTop = Math.max(0, (line - 3) * height);
}

/** Lets people add items to the lists of the form, and remove them. */
export function followItems(): void {
  for (const list of document.querySelectorAll<HTMLElement>('.items')) followList(list);
}

function followList(list: HTMLElement): void {
  const field = list.parentElement;
  const template = field?.querySelector('template');
  const add = field?.querySelector<HTMLButtonElement>('.add');
  add?.addEventListener('click', () => {
    if (template) list.append(template.content.cloneNode(true));
    const item = list.lastElementChild;
    if (!item) return;
    followPicks(item);
    item.querySelector('.remove')?.addEventListener('click', () => {
      item.remove();
      add.focus();
      list.dispatchEvent(new Event('input', { bubbles: true }));
    });
    item.querySelector<HTMLElement>('select, input')?.focus();
  });
}
