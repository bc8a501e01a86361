import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { renderCapacityRows } from './capacity-rows.ts';
import { withMeasuredRows } from './measured-rows.ts';
import { mergeRuns } from './merge-runs.ts';
import { resultsUrl } from './read-results.ts';
import { renderReadmeRows } from './readme-rows.ts';
import { resultsDocument, type Surroundings, targetTable } from './results-document.ts';
import type { Section } from './section.ts';

const documentUrl = new URL('../RESULTS.md', import.meta.url);
const checksUrl = new URL('../checks/CHECKS.md', import.meta.url);
const readmeUrl = new URL('../../README.md', import.meta.url);
const capacityUrl = new URL('../../docs/operate/capacity.md', import.meta.url);

/**
 * Writes what full runs measured: `results.json`, `RESULTS.md`, and the rows of the README and of `docs/operate/capacity.md`. Returns the table of targets.
 *
 * Throws when a target was not measured.
 */
export function writeReport(surroundings: Surroundings, runs: readonly (readonly Section[])[]): string {
  const sections = runs.at(-1) ?? [];
  const results = mergeRuns(runs.map((run) => run.flatMap((section) => section.results)));
  const checks = existsSync(checksUrl)
    ? readFileSync(checksUrl, 'utf8').trim()
    : 'Not run yet: `npm run bench -- --checks`.';
  writeFileSync(resultsUrl, `${JSON.stringify(results, null, 2)}\n`);
  const document = resultsDocument(surroundings, results, sections, checks);
  writeFileSync(documentUrl, document);
  writeRows(readmeUrl, renderReadmeRows(results));
  writeRows(capacityUrl, renderCapacityRows(document));
  return targetTable(results);
}

function writeRows(document: URL, rows: string): void {
  writeFileSync(document, withMeasuredRows(readFileSync(document, 'utf8'), rows));
}
