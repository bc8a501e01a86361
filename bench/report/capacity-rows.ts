// Of what a process can do at most: the rest is for bursts, and for the time until another process is there.
const plannedShare = 0.6;
const plannedRates = [1_000, 10_000, 50_000];

const underLoad = 'The service under load';
const connections = 'As connections grow';
const batches = 'A batch of 1,000 recipients';
const outcomes = 'What became of a transfer';

/**
 * The tables of `docs/operate/capacity.md`, made from the text of `RESULTS.md` and from nothing else.
 *
 * Throws a `RangeError` when a section, a row or a column is no longer there.
 */
export function renderCapacityRows(document: string): string {
  const cell = (section: string, row: string, column: string): string => cellOf(document, section, row, column);
  const load = (column: string): string => cell(underLoad, 'splwright', column);
  const at = (count: string, column: string): string => cell(connections, count, column);
  const batch = (column: string): string =>
    cell(batches, 'splwright over HTTP, all checks, recipients never seen', column);
  const beside = (row: string): string => cell('Batches and others', row, 'figure');
  const calls = (row: string): string =>
    `${cell(outcomes, row, 'calls for one')}; ${cell(outcomes, row, 'calls each, of these')} each of 100`;
  const perProcess = Number(load('requests/s').replaceAll(',', ''));
  const machine = /^- [\d-]+, (.+)$/m.exec(document)?.[1];
  if (machine === undefined) throw new RangeError('the results name no machine');
  return [
    '| one process | measured |',
    '|---|---|',
    ...[
      ['single transfers a second, 64 connections', load('requests/s')],
      ['processor time of one, 64 connections', `${load('processor µs/request')} µs`],
      [
        'the same with 16, 4 and 1 connections',
        `${['16', '4', '1'].map((count) => at(count, 'processor µs/request')).join(', ')} µs`,
      ],
      ['upstream calls for one, 64 connections', load('upstream calls/request')],
      ['memory under that load', `${load('resident MiB')} MiB resident`],
      ['memory with 512 connections', `${at('512', 'resident MiB')} MiB resident`],
      [
        'memory once 1,000,000 wallets were seen',
        `${cell('As distinct wallets grow', '1,000,000', 'resident MiB')} MiB resident`,
      ],
      ['memory after a thousand batches', `${beside('resident MiB after a thousand batches')} MiB resident`],
      ['processor time of a batch of 1,000', `${batch('processor ms')} ms`],
      ['upstream calls for a batch of 1,000', batch('upstream calls')],
      ['99th percentile of single transfers, alone', `${beside('p99 of single transfers alone, ms')} ms`],
      ['the same next to ten batches of 1,000 all the time', `${beside('p99 beside ten batches, ms')} ms`],
      ['upstream calls for the outcome of a landed transfer', calls('signed, landed')],
      ['upstream calls for the outcome of an expired one', calls('signed, expired')],
    ].map(row),
    '',
    `| single transfers a second | processes, at ${plannedShare * 100} % of what one can do, and one more |`,
    '|---|---|',
    ...plannedRates.map((rate) =>
      row([rate.toLocaleString('en'), String(Math.ceil(rate / (perProcess * plannedShare)) + 1)]),
    ),
    '',
    `Measured on ${machine}.`,
  ].join('\n');
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function cellOf(document: string, section: string, name: string, column: string): string {
  const lines = document.split(`\n## ${section}\n`)[1]?.split('\n## ')[0]?.split('\n') ?? [];
  const [head = [], , ...rows] = lines
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));
  const value = rows.find(([first]) => first === name)?.[head.indexOf(column)];
  if (value === undefined) throw new RangeError(`the results have no ${column} of ${name} in ${section}`);
  return value;
}
