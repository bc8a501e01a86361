import type { BatchTransfer } from './requests.ts';

type Field = 'to_address' | 'token_mint_address' | 'amount' | 'amount_decimal' | 'memo' | 'references';

/** The function of Papa Parse that is used: give it the module. */
interface Papa {
  parse(
    text: string,
    options: { delimiter: string; newline: '\n' },
  ): { data: string[][]; errors: { row?: number | undefined }[] };
}

/** The columns of a file by the names in its first line, in lower case, and the fields that their cells become. */
export type PaymentColumns = Readonly<Record<string, Field>>;

/** What makes a file unreadable, at a line of the text and a cell of that line, both counted from 1. */
export interface PaymentsFileFault {
  line: number;
  column: number;
  /** What is wrong and what to do, as a sentence. */
  detail: string;
}

/** What a file asks to be paid. With a fault it has no payments: none may be made before all of it can be read. */
export interface PaymentsFile {
  payments: BatchTransfer[];
  /** The line of the file where each payment begins, from 1 on. */
  lines: number[];
  faults: PaymentsFileFault[];
}

interface Row {
  cells: string[];
  line: number;
  /** Its text in the file. */
  source: string;
}

/** What a row may not have, at the index of a cell. */
type Report = (row: Row, index: number, detail: string) => void;

// What base58 of 32 bytes looks like; whether it is an address is for the service to say.
const isAddress = (text: string): boolean => /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text);

/** How amounts are written, and what to say of one that is written otherwise. Base units are a u64, fractions up to 255 digits. */
const amountFields = {
  amount: {
    isWritten: (text: string) => /^[1-9][0-9]{0,19}$/.test(text),
    remedy: 'Write base units in digits alone, such as 1500000.',
  },
  amount_decimal: {
    isWritten: (text: string) => /^(?:0|[1-9][0-9]{0,19})(?:\.[0-9]{1,255})?$/.test(text) && /[1-9]/.test(text),
    remedy: 'Write digits with a point before decimals and no other separator, such as 1234.50.',
  },
} as const;

/**
 * Reads payments as spreadsheets export them: the names of the columns in the first line, then a line for each payment, with commas,
 * semicolons or tabs between cells, and quotes around cells that need them. Lines without a cell are left out.
 *
 * `papa` is the module `papaparse`. Whatever could be read in two ways is a fault; every fault of the file is reported, or the first
 * one that hides the rest of it. A line break within a cell becomes a line feed. Never throws.
 */
export function readPayments(papa: Papa, text: string, columns: PaymentColumns): PaymentsFile {
  const faults: PaymentsFileFault[] = [];
  const report: Report = ({ line }, index, detail) => faults.push({ line, column: index + 1, detail });
  const { rows, delimiter, broken } = readRows(papa, text);
  const [header, ...others] = rows;
  const known = Object.keys(columns).join(', ');
  if (broken)
    report(broken.row, broken.index, 'a quote is not closed, or something other than a separator follows it.');
  else if (!header) faults.push({ line: 1, column: 1, detail: `the file is empty. Its columns are ${known}.` });
  else if (others.length === 0 && !header.cells.some((cell) => isAddress(cell.trim())))
    report(header, 0, 'no payment follows the names of the columns.');
  if (!header || faults.length > 0) return { payments: [], lines: [], faults };
  const fields = readHeader(header, columns, report);
  const frame = { header, fields, hasPointOfThousands: delimiter !== ',' };
  const payments = faults.length > 0 ? [] : others.flatMap((row) => readPayment(row, frame, report) ?? []);
  if (faults.length > 0) return { payments: [], lines: [], faults };
  return { payments, lines: others.map(({ line }) => line), faults };
}

/** The rows that have something in a cell, and the first one whose quotes make no sense: what comes after it cannot be trusted. */
function readRows(papa: Papa, text: string): { rows: Row[]; delimiter: string; broken?: { row: Row; index: number } } {
  const plain = text.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n');
  // Names of columns have none of the separators: the first one that is there is the one between them.
  const delimiter = /[,;\t]/.exec(plain.trimStart())?.[0] ?? ',';
  const { data, errors } = papa.parse(plain, { delimiter, newline: '\n' });
  const sources = plain.split('\n');
  let line = 1;
  const rows = data.map((cells) => {
    const lineCount = 1 + cells.reduce((count, cell) => count + cell.split('\n').length - 1, 0);
    const row = { cells, line, source: sources.slice(line - 1, line - 1 + lineCount).join('\n') };
    line += lineCount;
    return row;
  });
  const faulty = errors[0] && (errors[0].row ?? data.length - 1);
  // A quote is part of a cell where it is doubled and the cell is quoted; any other one was meant to be something else.
  const isStray = ({ source }: Row, cell: string): boolean =>
    cell.includes('"') && !source.includes(`"${cell.replaceAll('"', '""')}"`);
  for (const [index, row] of rows.entries()) {
    const stray = row.cells.findIndex((cell) => isStray(row, cell));
    if (stray !== -1 || index === faulty)
      return { rows, delimiter, broken: { row, index: stray === -1 ? row.cells.length - 1 : stray } };
  }
  return { rows: rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== '')), delimiter };
}

/** The fields of the columns, in the order of the file. */
function readHeader(header: Row, columns: PaymentColumns, report: Report): (Field | undefined)[] {
  const known = Object.keys(columns).join(', ');
  const names = header.cells.map((cell) => cell.trim().toLowerCase());
  if (header.cells.some((cell) => isAddress(cell.trim()))) {
    report(header, 0, `this is a payment. The first line must name the columns: ${known}.`);
    return [];
  }
  const fields = names.map((name) => (Object.hasOwn(columns, name) ? columns[name] : undefined));
  for (const [index, field] of fields.entries()) {
    const name = names[index] ?? '';
    if (field === undefined)
      report(header, index, `${quoted(name)} is no column. The first line must name the columns: ${known}.`);
    else if (fields.indexOf(field) !== index) report(header, index, `the column ${name} is there twice.`);
  }
  const isMissing = (...wanted: Field[]): boolean => !wanted.some((field) => fields.includes(field));
  const namesOf = (...wanted: Field[]): string =>
    Object.keys(columns)
      .filter((name) => wanted.some((field) => columns[name] === field))
      .join(' or ');
  if (isMissing('to_address')) report(header, names.length, `there is no column ${namesOf('to_address')}.`);
  if (isMissing('amount', 'amount_decimal'))
    report(header, names.length, `there is no column ${namesOf('amount', 'amount_decimal')}.`);
  return fields;
}

interface Columns {
  header: Row;
  fields: readonly (Field | undefined)[];
  /** Spreadsheets separate cells by semicolons where the comma is for decimals: the point may then be for thousands. Tabs are of any country. */
  hasPointOfThousands: boolean;
}

/** The payment of a line; `undefined` where it has not one amount, which is reported. */
function readPayment(
  row: Row,
  { header, fields, hasPointOfThousands }: Columns,
  report: Report,
): BatchTransfer | undefined {
  const payment: Omit<BatchTransfer, 'amount' | 'amount_decimal'> = { to_address: '' };
  let amount: { amount: string } | { amount_decimal: string } | undefined;
  const { cells } = row;
  if (cells.length !== fields.length) {
    const index = Math.min(cells.length, fields.length);
    const detail = `the line has ${cells.length} cells, and line ${header.line} names ${fields.length} columns.`;
    report(row, index, `${detail} A cell with a separator in it needs quotes.`);
    return undefined;
  }
  for (const [index, field] of fields.entries()) {
    const cell = cells[index] ?? '';
    const trimmed = cell.trim();
    if (cell.includes('\ufffd')) report(row, index, 'a character is lost. Save the file as UTF-8.');
    if (trimmed === '' && field !== 'to_address') continue;
    switch (field) {
      case 'to_address':
        if (!isAddress(trimmed)) report(row, index, `${quoted(trimmed)} is not an address of a wallet.`);
        payment.to_address = trimmed;
        break;
      case 'token_mint_address':
        if (trimmed !== 'SOL' && !isAddress(trimmed))
          report(row, index, `${quoted(trimmed)} is not an address of a mint.`);
        payment.token_mint_address = trimmed;
        break;
      case 'amount':
      case 'amount_decimal': {
        const { isWritten, remedy } = amountFields[field];
        if (!isWritten(trimmed)) report(row, index, `${quoted(trimmed)} is not an amount. ${remedy}`);
        else if (hasPointOfThousands && /^[1-9][0-9]{0,2}\.[0-9]{3}$/.test(trimmed)) {
          const thousands = trimmed.replace('.', '');
          report(row, index, `${quoted(trimmed)} can be read in two ways. Write ${thousands}, or ${trimmed}0.`);
        }
        if (amount) report(row, index, 'the line has two amounts.');
        amount = field === 'amount' ? { amount: trimmed } : { amount_decimal: trimmed };
        break;
      }
      case 'references':
        payment.references = trimmed.split(/\s+/);
        break;
      case 'memo':
        // Spaces around a memo are part of it.
        payment.memo = cell;
    }
  }
  if (amount) return { ...payment, ...amount };
  const amountIndex = fields.findIndex((field) => field === 'amount' || field === 'amount_decimal');
  report(row, amountIndex, 'the line has no amount.');
  return undefined;
}

/** A cell as it is cited: quoted, with invisible characters as their code points, and not more of it than can be read. */
function quoted(cell: string): string {
  const cited = JSON.stringify(cell.length > 60 ? `${cell.slice(0, 59)}…` : cell);
  return cited.replaceAll(invisible, (found) => {
    return `⟨U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

// Spaces of other kinds, which look like the usual one, and characters without width.
const invisible = /(?! )[\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Sums up payments in words: how many to how many wallets, how much in all, and how many have a memo. */
export function summarizePayments(payments: readonly BatchTransfer[]): string {
  const wallets = new Set(payments.map((payment) => payment.to_address)).size;
  const memos = payments.filter(({ memo }) => memo !== undefined).length;
  const mints = [...new Set(payments.map((payment) => payment.token_mint_address))];
  const totals = mints.flatMap((mint) => totalsOf(payments.filter((payment) => payment.token_mint_address === mint)));
  return (
    `${countOf(payments.length, 'payment')} to ${countOf(wallets, 'wallet')}, ${totals.join(' and ')} in all, ` +
    `${memos === 0 ? 'no memos' : countOf(memos, 'memo')}`
  );
}

/** The sums of payments in one token, which is named where they name it. */
function totalsOf(payments: readonly BatchTransfer[]): readonly string[] {
  const mint = payments[0]?.token_mint_address;
  const decimals = payments.flatMap(({ amount_decimal: amount }) => (amount === undefined ? [] : [amount]));
  const units = payments.flatMap(({ amount }) => (amount === undefined ? [] : [String(amount)]));
  const of = mint === undefined ? '' : ` of ${mint}`;
  return [
    ...(decimals.length > 0 ? [`${sumOf(decimals)} tokens${of}`] : []),
    ...(units.length > 0 ? [`${sumOf(units)} base units${of}`] : []),
  ];
}

function countOf(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

/** The exact sum of decimal texts, as decimal text. */
function sumOf(amounts: readonly string[]): string {
  const fractionOf = (amount: string): string => amount.split('.')[1] ?? '';
  const digits = amounts.reduce((most, amount) => Math.max(most, fractionOf(amount).length), 0);
  const units = amounts.reduce((sum, amount) => {
    const [whole = ''] = amount.split('.');
    return sum + BigInt(whole + fractionOf(amount).padEnd(digits, '0'));
  }, 0n);
  const text = String(units).padStart(digits + 1, '0');
  const fraction = text.slice(text.length - digits).replace(/0+$/, '');
  return `${text.slice(0, text.length - digits)}${digits > 0 && fraction !== '' ? `.${fraction}` : ''}`;
}
