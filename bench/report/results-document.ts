import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { type Section, sectionToMarkdown } from './section.ts';
import { type Result, targets } from './targets.ts';

/** What was there before the first measurement. */
export interface Surroundings {
  date: string;
  machine: string;
  /** Tasks that ran or waited to run, over the last minute, before the benchmark began. */
  load: number;
}

/** Looks at the machine. */
export function lookAround(): Surroundings {
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${processors.length} × ${processors[0]?.model ?? 'unknown processor'}, ${memory} GiB, Linux ${release()}`,
    load: loadavg()[0] ?? 0,
  };
}

/** The whole of `RESULTS.md`. */
export function resultsDocument(
  surroundings: Surroundings,
  results: readonly Result[],
  sections: readonly Section[],
  checks: string,
): string {
  const short = results.filter(({ met }) => !met);
  return `${[
    '# Results',
    'Written by `npm run bench`; not to be edited. All figures are of one run on one machine: compare ratios, not times.',
    [
      `- ${surroundings.date}, ${surroundings.machine}`,
      `- Node ${process.versions.node}; ${peerVersions()}`,
      `- load average before the run: ${surroundings.load.toFixed(2)}`,
    ].join('\n'),
    targetTable(results),
    '## What falls short',
    short.length === 0 ? 'Nothing: every figure is reached.' : short.map(shortfall).join('\n'),
    ...sections.map(sectionToMarkdown),
    '## Checks',
    checks,
  ].join('\n\n')}\n`;
}

/** The targets and what was measured, as a Markdown table. */
export function targetTable(results: readonly Result[]): string {
  const rows = results.map(({ id, ratio, met }) => {
    const target = targets.find((each) => each.id === id);
    return `| \`${id}\` | ${target?.what} | ${ratio} | ${target?.bound} ${target?.target} | ${met ? 'yes' : '**no**'} |`;
  });
  return ['| id | what | measured | wanted | reached |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

function shortfall({ id, ratio }: Result): string {
  const target = targets.find((each) => each.id === id);
  return `- \`${id}\` is ${ratio}, wanted ${target?.bound} ${target?.target}.`;
}

function peerVersions(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const isManifest = typeof manifest === 'object' && manifest !== null && 'dependencies' in manifest;
  return Object.entries(isManifest ? (manifest.dependencies ?? {}) : {})
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
}
