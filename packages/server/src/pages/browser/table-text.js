/**
 * Reads a table as spreadsheets export it: comma, semicolon or tab between cells, quotes where a cell has them, the names of the columns
 * in the first line. A cell that is empty is absent from its row; several references have spaces between them.
 * @param {string} text
 * @param {readonly string[]} columns
 * @returns {{ rows: Record<string, unknown>[], lines: number[], faults: string[] }} `lines`: the line of each row, from 1 on
 */
export function readTable(text, columns) {
  const separator = separatorOf(text);
  const { records, isOpen } = readRecords(text.replace(/^\ufeff/, ''), separator);
  const [header, ...others] = records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (!header) return { rows: [], lines: [], faults: [] };
  const names = header.cells.map((cell) => cell.trim().toLowerCase());
  const faults = headerFaults(names, columns);
  if (isOpen) faults.push('A quote is not closed: what comes after it counts as one cell.');
  if (faults.length > 0) return { rows: [], lines: [], faults };
  for (const { cells, line } of others) {
    const extra = cells.slice(names.length).some((cell) => cell.trim() !== '');
    if (extra) faults.push(`Line ${line} has ${cells.length} cells; the first line names ${names.length} columns.`);
  }
  const rows = others.map(({ cells }) => {
    /** @type {Record<string, unknown>} */
    const row = {};
    for (const [index, name] of names.entries()) {
      const cell = cells[index] ?? '';
      if (cell.trim() === '') continue;
      if (name === 'references') row[name] = cell.trim().split(/\s+/);
      else row[name] = name === 'memo' ? cell : cell.trim();
    }
    return row;
  });
  return { rows, lines: others.map(({ line }) => line), faults };
}

/**
 * @param {readonly string[]} names
 * @param {readonly string[]} columns
 */
function headerFaults(names, columns) {
  const known = `The columns are ${columns.join(', ')}.`;
  if (!names.some((name) => columns.includes(name))) {
    return [`The first line must name the columns, such as ${columns.slice(0, 2).join(',')}. ${known}`];
  }
  const unknown = names
    .filter((name) => !columns.includes(name))
    .map((name) => `There is no column "${name}". ${known}`);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return [...unknown, ...twice.map((name) => `The column ${name} is there twice.`)];
}

/**
 * What stands between the cells of the first line.
 * @param {string} text
 */
function separatorOf(text) {
  const first = text.trimStart().split(/[\r\n]/, 1)[0] ?? '';
  return ['\t', ';', ','].find((each) => first.includes(each)) ?? ',';
}

/**
 * Cells as RFC 4180 writes them: within quotes anything, two quotes being one.
 * @param {string} text
 * @param {string} separator
 */
function readRecords(text, separator) {
  /** @type {{ cells: string[], line: number }[]} */
  const records = [];
  /** @type {string[]} */
  let cells = [];
  let cell = '';
  let isOpen = false;
  let line = 1;
  let firstLine = 1;
  const end = () => {
    records.push({ cells: [...cells, cell], line: firstLine });
    cells = [];
    cell = '';
    firstLine = line;
  };
  const plain = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  for (let at = 0; at < plain.length; at += 1) {
    const character = plain.charAt(at);
    if (character === '\n') line += 1;
    if (isOpen) {
      if (character !== '"') cell += character;
      else if (plain.charAt(at + 1) === '"') cell += plain.charAt(++at);
      else isOpen = false;
    } else if (character === '"' && cell.trim() === '') {
      cell = '';
      isOpen = true;
    } else if (character === separator) {
      cells.push(cell);
      cell = '';
    } else if (character === '\n') {
      end();
    } else {
      cell += character;
    }
  }
  end();
  return { records, isOpen };
}
