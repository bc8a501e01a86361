import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { describeQuiet, type Quiet, waitForQuiet } from '../quiet-machine.ts';
import { type Section, sectionToMarkdown } from './section.ts';
import { type Result, targets } from './targets.ts';

/** What was there before the first measurement. */
export interface Surroundings {
  date: string;
  machine: string;
  quiet: Quiet;
}

/** Looks at the machine, once it does nothing else or has not for ten minutes. */
export async function lookAround(): Promise<Surroundings> {
  const quiet = await waitForQuiet();
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${processors.length} × ${processors[0]?.model ?? 'unknown processor'}, ${memory} GiB, Linux ${release()}`,
    quiet,
  };
}

/** The whole of `RESULTS.md`. */
export function resultsDocument(
  surroundings: Surroundings,
  results: readonly Result[],
  sections: readonly Section[],
  checks: string,
): string {
  return `${[
    '# Results',
    describeQuiet(surroundings.quiet),
    'Written by `npm run bench`. The first table has the median of all runs and their range, the others are of the last run. ' +
      'Compare ratios, not times.',
    [`- ${surroundings.date}, ${surroundings.machine}`, `- Node ${process.versions.node}; ${peerVersions()}`].join(
      '\n',
    ),
    targetTable(results),
    ...sections.map(sectionToMarkdown),
    '## Checks',
    checks,
  ].join('\n\n')}\n`;
}

/** The targets and what was measured, as a Markdown table. */
export function targetTable(results: readonly Result[]): string {
  const rows = results.map(({ id, ratio, met, runs = 1, lowest = ratio, highest = ratio }) => {
    const target = targets.find((each) => each.id === id);
    return `| \`${id}\` | ${target?.what} | ${runs} | ${lowest} to ${highest} | ${ratio} | ${target?.bound} ${target?.target} | ${met ? 'yes' : '**no**'} |`;
  });
  return [
    '| id | what | runs | range | median | target | met |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function peerVersions(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const isManifest = typeof manifest === 'object' && manifest !== null && 'dependencies' in manifest;
  return Object.entries(isManifest ? (manifest.dependencies ?? {}) : {})
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
}
