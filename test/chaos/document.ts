import type { Measured } from './measured.ts';
import type { Section } from './sections.ts';
import type { Holding, SoakMeasured } from './soak.ts';

/** What was measured last of each section, by its name, and of the soak; what was never run is absent. */
export interface ReliabilityResults {
  sections: Record<string, { machine: string; measured: Measured[] }>;
  soak?: { machine: string; measured: SoakMeasured };
}

const introduction = `# What happens when the upstream fails

splwright reads the chain through RPC nodes that time out, limit rates, lag and answer nonsense. This page shows what the service
did when its nodes were made to fail. The service ran as a separate process and used two nodes over sockets. Both nodes served one
embedded ledger, each behind a proxy that fails on command. The load was steady: requests were sent on schedule, however slow the
answers were, and latency counts from the moment at which a request was due.

- A **failed request** is one whose answer was not a transaction.
- **p99** is the latency that 99 of 100 requests did not exceed, among those that were waiting when the fault began and those that
  were due while it lasted. **Calm** is the same service before the fault. The **hedge delay** is the time after which a second
  node is asked: the recent 95th percentile.
- Every blockhash is looked up in the ledger as it arrives: "at most 4 slots old" means that all were alive and none went backwards.

Service, nodes and load share one machine. \`npm run chaos\` repeats all of it in about half an hour and writes this page;
\`npm run chaos -- --only one\` repeats one section. \`npm test\` runs short forms of the same scenarios.
`;

/** Writes the document: every section that was measured, in their order, each with where and when that was. */
export function reliabilityDocument(
  sections: readonly Section[],
  { sections: results, soak }: ReliabilityResults,
): string {
  const measured = Object.values(results).flatMap((result) => result.measured);
  const missed = [...measured, ...(soak ? [soak.measured] : [])]
    .flatMap(({ checks }) => checks)
    .filter(({ isMet }) => !isMet).length;
  const verdict =
    missed === 0
      ? 'Every requirement was met.'
      : `${missed} requirement${missed === 1 ? ' was' : 's were'} **not met**, and marked.`;
  const tables = sections.flatMap(({ name, title, words }) => {
    const result = results[name];
    return result ? [`## ${title}\n\n${words} ${result.machine}\n\n${table(result.measured)}\n`] : [];
  });
  const soakText = soak
    ? `## A long run at half of the capacity\n\n${soak.machine}\n\n${table([soak.measured])}\n\n${holdingsTable(soak.measured.holdings)}\n`
    : '';
  return [introduction, `${verdict}\n`, ...tables, soakText].join('\n');
}

// A column for each requirement, since the scenarios of a section share most of them. One that all met alike is a line below.
function table(measured: readonly Measured[]): string {
  const names = [...new Set(measured.flatMap(({ checks }) => checks.map(({ required }) => required)))];
  const columns = names.map((name) => ({ name, cells: measured.map((each) => cellOf(each, name)) }));
  const isShared = (cells: readonly string[]): boolean => cells.length > 1 && new Set(cells).size === 1;
  const shown = columns.filter(({ cells }) => !isShared(cells));
  const shared = columns.filter(({ cells }) => isShared(cells));
  const lines = [
    row(['injected', ...shown.map(({ name }) => name)]),
    row(Array.from({ length: shown.length + 1 }, () => '---')),
    ...measured.map(({ injected }, index) => row([injected, ...shown.map(({ cells }) => cells[index] ?? '')])),
  ];
  if (shared.length > 0)
    lines.push('', `In every row: ${shared.map(({ name, cells }) => `${name} (${cells[0]})`).join('; ')}.`);
  return lines.join('\n');
}

function cellOf({ checks }: Measured, name: string): string {
  const found = checks.find(({ required }) => required === name);
  if (!found) return '';
  return found.isMet ? found.measured : `**not met:** ${found.measured}`;
}

const shownHoldings = 5;

function holdingsTable(holdings: readonly Holding[]): string {
  const step = Math.max(1, Math.floor((holdings.length - 1) / (shownHoldings - 1)));
  const shown = holdings.filter((_, index) => index % step === 0);
  const rows = shown.map(({ at, residentMebibytes, heapMebibytes, handles }) =>
    row([`${at} s`, `${residentMebibytes} MiB`, `${heapMebibytes} MiB`, `${handles}`]),
  );
  const head = row(['after', 'resident memory', 'heap, garbage included', 'open handles']);
  return [head, row(['---', '---', '---', '---']), ...rows].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}
