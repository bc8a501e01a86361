import { make } from './make.js';
import { readTable } from './table-text.js';

/** A table is pasted, dropped as a file or chosen; below it stands how many rows it has. */
export function followTables() {
  for (const area of /** @type {NodeListOf<HTMLTextAreaElement>} */ (document.querySelectorAll('[data-columns]'))) {
    followTable(area);
  }
}

/** @param {HTMLTextAreaElement} area */
function followTable(area) {
  const count = make('span', { class: 'rows' });
  const picker = make('input', { type: 'file', accept: '.csv,.tsv,.txt,text/csv', 'aria-label': 'Read a CSV file' });
  const bar = make('div', { class: 'table-bar' }, count, make('label', { class: 'file' }, 'Read a CSV file', picker));
  area.parentElement?.after(bar);
  const show = () => {
    const { rows } = readTable(area.value, columnsOf(area));
    count.textContent = rows.length === 1 ? '1 row' : `${rows.length} rows`;
  };
  const read = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    area.value = (await file.text()).trimEnd();
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
  const [, , index = '', column = ''] = pointer.split('/');
  if (!(field instanceof HTMLTextAreaElement) || !field.dataset.columns || !/^[0-9]+$/.test(index)) return undefined;
  const line = readTable(field.value, columnsOf(field)).lines[Number(index)];
  return line === undefined ? undefined : { line, column };
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

/** @param {HTMLTextAreaElement} area */
function columnsOf({ dataset: { columns = '' } }) {
  return columns.split(',');
}
