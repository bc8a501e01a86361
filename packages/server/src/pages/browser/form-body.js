import { make } from './make.js';

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
 * @param {HTMLFormElement} form
 * @returns {Promise<{ body: Record<string, unknown>, faults: Fault[] }>}
 */
export async function readBody(form) {
  /** @type {Record<string, unknown>} */
  const body = {};
  /** @type {Fault[]} */
  const faults = [];
  for (const control of controlsOf(form)) {
    const { name, value, dataset } = control;
    if (dataset.kind === 'flag') {
      const checked = 'checked' in control && control.checked;
      if (String(checked) !== dataset.default) body[name] = checked;
      continue;
    }
    if (value.trim() === '') continue;
    switch (dataset.kind) {
      case 'choice':
        body[name] = JSON.parse(value);
        break;
      case 'integer':
        body[name] = /^-?[0-9]{1,15}$/.test(value.trim()) ? Number(value) : value;
        break;
      case 'list':
        body[name] = value.trim().split(/[\s,;]+/);
        break;
      case 'objects': {
        const read = await readTableOf(/** @type {HTMLTextAreaElement} */ (control));
        body[name] = read.payments;
        faults.push(...read.faults.map((fault) => ({ pointer: `/${name}`, ...fault })));
        break;
      }
      case 'bytes':
        body[name] = value.trim().startsWith('[') ? numbersOf(value) : value.trim();
        break;
      default:
        // A memo may begin with a space; an address that was pasted must not.
        body[name] = name === 'memo' || name === 'yid' ? value : value.trim();
    }
  }
  return { body, faults };
}

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
