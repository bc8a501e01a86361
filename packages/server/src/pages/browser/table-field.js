import { make } from './make.js';

/** @import { PaymentsFile } from 'splwright-client/payments-file' */

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
