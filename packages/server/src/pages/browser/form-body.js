import { readChosenAmount } from '../../links/page/chosen-amount.ts';
import { inputsOf } from './items.js';
import { make } from './make.js';
import { decimalsOf } from './names.js';
import { find } from './page.js';

/** @import { Fault } from './refusals.js' */
/** @import { PaymentsFile } from 'splwright-client/payments-file' */

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */

/**
 * The controls of a form that are fields of its request.
 * @param {HTMLFormElement} form
 */
export function controlsOf(form) {
  return /** @type {Control[]} */ ([...form.querySelectorAll('[data-kind]')]);
}

/**
 * The body of the request that a form is filled in for, and the faults in its fields. A field that is empty or has its default is absent.
 * Each control is marked with the pointer under which the request has its value.
 * @param {HTMLFormElement} form
 * @returns {Promise<{ body: Record<string, unknown>, faults: Fault[] }>}
 */
export async function readBody(form) {
  /** @type {Record<string, unknown>} */
  const body = {};
  /** @type {Fault[]} */
  const faults = [];
  for (const control of controlsOf(form)) {
    const { id: name, dataset } = control;
    const value = await valueIn(control, faults);
    if (value !== undefined && String(value) !== dataset.default) body[name] = value;
  }
  return { body, faults };
}

/**
 * The value of a control; none of an empty one.
 * @param {Control} control
 * @param {Fault[]} faults to which those of the value are added
 * @returns {Promise<unknown>}
 */
async function valueIn(control, faults) {
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
      const read = await readTableOf(/** @type {HTMLTextAreaElement} */ (control));
      faults.push(...read.faults.map((fault) => ({ pointer: `/${name}`, ...fault })));
      return read.payments;
    }
    case 'bytes':
      return trimmed.startsWith('[') ? numbersOf(value) : trimmed;
    default:
      // A memo may begin with a space; an address that was pasted must not.
      return name === 'memo' || name === 'yid' ? value : sentText(control, `/${name}`, faults);
  }
}

/**
 * The items of a list that are filled in; none if it has none.
 * @param {Element} list
 * @param {Fault[]} faults
 */
function itemsOf(list, faults) {
  // What was marked before counts other items.
  for (const marked of list.querySelectorAll('[data-pointer]')) marked.removeAttribute('data-pointer');
  const rows = [...list.children].map(inputsOf).filter((inputs) => inputs.some(({ value }) => value.trim() !== ''));
  const items = rows.map((inputs, row) => {
    const members = inputs.map((input) => {
      const member = input.dataset.member ?? '';
      input.dataset.pointer = `/${list.id}/${row}${member && `/${member}`}`;
      return [member, sentText(input, input.dataset.pointer, faults)];
    });
    return members[0]?.[0] === '' ? members[0][1] : Object.fromEntries(members.filter(([, text]) => text !== ''));
  });
  return items.length === 0 ? undefined : items;
}

/**
 * The text of an input as it is sent: an amount in whole tokens is sent in base units where the API wants these.
 * @param {Control} input
 * @param {string} pointer
 * @param {Fault[]} faults
 */
function sentText(input, pointer, faults) {
  const text = input.value.trim();
  if (text === '' || input.dataset.units === undefined) return text;
  const mint = /** @type {HTMLInputElement | null} */ (find('token_mint_address'))?.value.trim() ?? '';
  const decimals = decimalsOf(mint);
  const { amount, fault } =
    decimals === undefined
      ? { fault: 'The decimals of this token are not known here. Choose a token of the sandbox.' }
      : readChosenAmount(text, { minAmount: 0n, maxAmount: anyAmount, decimals });
  if (fault !== undefined) faults.push({ pointer, detail: fault });
  return String(amount ?? text);
}

// What is too much the service says.
const anyAmount = 10n ** 60n;

/**
 * An array of integers as it stands in a reply; any other text as it is, for the service to refuse.
 * @param {string} text
 */
function numbersOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * What was last read of each table: a refusal of the service is about that, whatever was typed since.
 * @type {WeakMap<Element, PaymentsFile>}
 */
const readings = new WeakMap();

/**
 * Reads a table that is not empty. What reads it is loaded when it is wanted.
 * @param {HTMLTextAreaElement} area
 */
export async function readTableOf(area) {
  const { readTable, summarizePayments } = await import('./payments-table.js');
  const reading = readTable(area.value, (area.dataset.columns ?? '').split(','));
  readings.set(area, reading);
  const faults = reading.faults.map(({ line, column, detail }) => ({
    line,
    detail: `Line ${line}, column ${column}: ${detail}`,
  }));
  return { payments: reading.payments, faults, words: faults[0]?.detail ?? summarizePayments(reading.payments) };
}

/** A table is pasted, dropped as a file or chosen; below it stands what it pays in all, or why it cannot be read. */
export function followTables() {
  for (const area of /** @type {NodeListOf<HTMLTextAreaElement>} */ (document.querySelectorAll('[data-columns]'))) {
    followTable(area);
  }
}

/** @param {HTMLTextAreaElement} area */
function followTable(area) {
  const sum = make('span', { class: 'sum' });
  const picker = make('input', { type: 'file', accept: '.csv,.tsv,.txt,text/csv', 'aria-label': 'Read a CSV file' });
  const bar = make('div', { class: 'table-bar' }, sum, make('label', { class: 'file' }, 'Read a CSV file', picker));
  area.parentElement?.after(bar);
  const show = async () => {
    sum.textContent = area.value.trim() === '' ? 'No payments' : (await readTableOf(area)).words;
  };
  const read = async (/** @type {File | undefined} */ file) => {
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

/**
 * Which line of a table a JSON pointer such as `/transfers/17/memo` leads to; none for other fields.
 * @param {Element} field
 * @param {string} pointer
 */
export function lineOf(field, pointer) {
  const [, , index = ''] = pointer.split('/');
  return /^[0-9]+$/.test(index) ? readings.get(field)?.lines[Number(index)] : undefined;
}

/**
 * Selects a line of a table, so that it is seen.
 * @param {HTMLTextAreaElement} area
 * @param {number} line
 */
export function selectLine(area, line) {
  const lines = area.value.split(/\r\n|\r|\n/);
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  area.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
  const height = Number.parseFloat(getComputedStyle(area).lineHeight) || 20;
  area.scrollTop = Math.max(0, (line - 3) * height);
}
