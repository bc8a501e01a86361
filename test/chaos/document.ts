import { type Check, type Measured, unbounded } from './measured.ts';
import type { Section } from './sections.ts';

/** What was measured last of each section, by its name; what was never run is absent. */
export interface ReliabilityResults {
  sections: Record<string, { machine: string; measured: Measured[] }>;
}

const introduction = `# What happens when the upstream fails

What the service did when its RPC nodes were made to time out, limit rates, lag and answer nonsense, mostly for 10 seconds. It
used two nodes, under a steady load: latency counts from the moment at which a request was due.

- **p99** is the latency that 99 of 100 requests did not exceed while the fault lasted, and after it the bound: twice the p99
  before the fault and the **hedge delay**, the time after which a second node is asked.
- A **failed request** is one whose answer was not a transaction.
- A blockhash is **alive** when the ledger still accepts it as the reply arrives. A **secret** is that of a node's URL, in a log
  line, problem, metric or \`/readyz\`.

Service, nodes and load share one machine. \`npm run chaos\` repeats all of it in about half an hour and writes this page;
\`npm run chaos -- --only one\` repeats one section. \`npm test -- chaos\` runs short forms of the same scenarios.
`;

/** Writes the document: every section that was measured, in their order, with what was required and where it was not met. */
export function reliabilityDocument(sections: readonly Section[], { sections: results }: ReliabilityResults): string {
  const measured = Object.values(results).flatMap((result) => result.measured);
  const missed = measured.flatMap(({ checks }) => checks).filter(({ isMet }) => !isMet).length;
  const verdict =
    missed === 0
      ? 'Every requirement was met.'
      : `${missed} requirement${missed === 1 ? ' was' : 's were'} **not met**, and marked.`;
  const machines = new Set(Object.values(results).map(({ machine }) => machine));
  const texts = sections.flatMap(({ name, title, words }) => {
    const result = results[name];
    return result ? [`## ${title}\n\n${words === '' ? '' : `${words}\n\n`}${sectionText(result.measured)}`] : [];
  });
  return [introduction, `${[...machines].join(' ')} ${verdict}\n`, ...texts].join('\n');
}

// What is required of every scenario of a section is said once.
function sectionText(measured: readonly Measured[]): string {
  const [first, ...others] = measured.map(({ checks }) => new Set(checks.map(({ required }) => required)));
  const shared = others.reduce((one, other) => one.intersection(other), first ?? new Set());
  shared.delete(unbounded);
  const faults = measured.map(({ injected, checks }) => {
    const parts = checks
      .filter((each) => !each.isMet || each.isTiming || !shared.has(each.required))
      .map(describeCheck);
    return `- ${injected}${parts.length > 0 ? ': ' : ''}${parts.join('; ')}\n`;
  });
  const required = shared.size > 0 ? `\nRequired: ${[...shared].join('; ')}.\n` : '';
  return faults.join('') + required;
}

function describeCheck({ required, measured, isMet, isTiming }: Check): string {
  if (!isMet) return `**not met:** ${required}: ${measured}`;
  return isTiming ? measured : required;
}
