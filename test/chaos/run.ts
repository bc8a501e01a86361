import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { type ReliabilityResults, reliabilityDocument } from './document.ts';
import { describeMeasured, type Measured } from './measured.ts';
import { sections } from './sections.ts';

const names = sections.map(({ name }) => name);
const usage = `usage: npm run chaos -- [--only NAME [--row NUMBER]]
  NAME is one of ${names.join(', ')}. Without it everything is run. What was run takes its place in docs/reliability.md.
  NUMBER is of a fault in its list there, the first being 1: only that one is run.`;

const { values } = parseArgs({
  options: { only: { type: 'string' }, row: { type: 'string' } },
});
const { only } = values;
const row = values.row === undefined ? undefined : Number(values.row) - 1;
const rows = sections.find(({ name }) => name === only)?.measurements.length ?? 0;
const isRow = row === undefined || (Number.isInteger(row) && row >= 0 && row < rows);
if ((only !== undefined && !names.includes(only)) || !isRow) {
  console.error(usage);
  process.exit(64);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

// What was measured last of each section is kept next to the page, so that one section can be run again by itself.
const kept = new URL('./results.json', import.meta.url);
const missed: string[] = [];
for (const { name, measurements } of sections) {
  if (only !== undefined && only !== name) continue;
  const single = row === undefined ? undefined : measurements[row];
  if (single !== undefined && row !== undefined) {
    const measured = show(await withCleanup(single));
    keep((results) => {
      const all = results.sections[name]?.measured;
      if (!all || all.length !== measurements.length) throw new Error(`run the whole of ${name} first`);
      all[row] = measured;
    });
    continue;
  }
  const measured: Measured[] = [];
  for (const measure of measurements) measured.push(show(await withCleanup(measure)));
  const result = { machine: describeMachine(), measured };
  keep((results) => {
    results.sections[name] = result;
  });
}
console.log(missed.length === 0 ? '\nevery requirement was met' : `\n${missed.length} not met:\n${missed.join('\n')}`);
process.exitCode = missed.length === 0 ? 0 : 1;

async function withCleanup<T>(use: (t: { after(finish: () => Promise<void>): void }) => Promise<T>): Promise<T> {
  const finishes: (() => Promise<void>)[] = [];
  try {
    return await use({ after: (finish) => void finishes.push(finish) });
  } finally {
    for (const finish of finishes.reverse()) await finish();
  }
}

function keep(put: (results: ReliabilityResults) => void): void {
  const results: ReliabilityResults = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : { sections: {} };
  put(results);
  // A line for each measurement.
  writeFileSync(kept, `${JSON.stringify(results).replaceAll('{"injected":', '\n{"injected":')}\n`);
  writeFileSync(new URL('../../docs/reliability.md', import.meta.url), reliabilityDocument(sections, results));
}

function show<T extends Measured>(result: T): T {
  console.log(`\n${describeMeasured(result)}`);
  for (const { required, measured: was, isMet } of result.checks) {
    if (!isMet) missed.push(`${result.injected}: ${required}: ${was}`);
  }
  return result;
}

function describeMachine(): string {
  const processors = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const date = new Date().toISOString().slice(0, 10);
  return `Measured on ${date}, on ${processors.length} processors (${processors[0]?.model.trim()}) with ${memory}, Node ${process.version}.`;
}
