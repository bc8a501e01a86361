import { type Measured, unbounded } from './measured.ts';
import type { Section } from './sections.ts';

/** What was measured last of each section, by its name; what was never run is absent. */
export interface ReliabilityResults {
  sections: Record<string, { machine: string; measured: Measured[] }>;
}

const introduction = `# What happens when the upstream fails

The service ran on two Solana nodes under a steady load, while its nodes were made to fail, mostly for 10 seconds. A **failed
request** is one whose answer was not a transaction. **p99** is the latency that 99 of 100 requests did not exceed during the fault,
with its bound: twice the p99 before it, and 250 ms. A blockhash is **alive** when the ledger still accepts it as the reply arrives.
A **secret** is the URL of a node, in a log line, problem, metric or \`/readyz\`.

\`npm run chaos\` repeats all of it in about half an hour, on one machine, and writes this page; \`npm run chaos -- --only one\` repeats
one row.
`;

/** Writes the document: a row for every section that was measured, in their order, and what was not met. */
export function reliabilityDocument(sections: readonly Section[], { sections: results }: ReliabilityResults): string {
  const rows = sections.flatMap(({ name, title, words }) => {
    const result = results[name];
    if (!result) return [];
    const [required, worst] = [requiredOfAll(result.measured), worstPercentile(result.measured)];
    return [`| **${title}.** ${words} | ${result.measured.length} | ${required} | ${worst} |`];
  });
  const missed = Object.values(results).flatMap(({ measured }) => measured.flatMap(describeMissed));
  const machines = new Set(Object.values(results).map(({ machine }) => machine));
  const table = ['| what fails | runs | required of each | slowest p99 |', '|---|---|---|---|', ...rows].join('\n');
  const verdict = missed.length === 0 ? 'Every requirement was met.' : `**Not met:**\n\n${missed.join('\n')}`;
  return `${introduction}\n${table}\n\n${[...machines].join(' ')} ${verdict}\n`;
}

function requiredOfAll(measured: readonly Measured[]): string {
  const [first, ...others] = measured.map(
    ({ checks }) => new Set(checks.filter(({ required }) => required !== unbounded).map(({ required }) => required)),
  );
  const shared = others.reduce((one, other) => one.intersection(other), first ?? new Set());
  return shared.size > 0 ? [...shared].join('; ') : 'requirements of its own';
}

/** The slowest p99 of a section in milliseconds, with the bound that it had. */
function worstPercentile(measured: readonly Measured[]): string {
  const timings = measured.flatMap(({ checks }) => checks).filter(({ isTiming }) => isTiming);
  const found = timings.flatMap((each) => {
    const [text, milliseconds] = /p99 (\d+)(?: of \d+)?/.exec(each.measured) ?? [];
    return text === undefined ? [] : [{ text: text.slice('p99 '.length), milliseconds: Number(milliseconds) }];
  });
  const worst = found.toSorted((one, other) => other.milliseconds - one.milliseconds)[0];
  return worst ? `${worst.text} ms` : '';
}

function describeMissed({ injected, checks }: Measured): readonly string[] {
  return checks
    .filter(({ isMet }) => !isMet)
    .map(({ required, measured }) => `- ${injected}: ${required}: ${measured}`);
}
