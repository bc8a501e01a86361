import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resultsUrl } from './read-results.ts';
import { renderReadmeRows, withReadmeRows } from './readme-rows.ts';
import { resultsDocument, type Surroundings, targetTable } from './results-document.ts';
import type { Section } from './section.ts';
import { type Result, targets } from './targets.ts';

const documentUrl = new URL('../RESULTS.md', import.meta.url);
const checksUrl = new URL('../checks/CHECKS.md', import.meta.url);
const readmeUrl = new URL('../../README.md', import.meta.url);

/**
 * Writes what a full run measured: `results.json`, `RESULTS.md` and the README's rows. Returns the table of targets.
 *
 * Throws when a target was not measured.
 */
export function writeReport(surroundings: Surroundings, sections: readonly Section[]): string {
  const measured = sections.flatMap((section) => section.results);
  const results = targets.map(({ id }): Result => {
    const result = measured.find((each) => each.id === id);
    if (!result || !Number.isFinite(result.ratio)) throw new Error(`${id} was not measured`);
    return result;
  });
  const checks = existsSync(checksUrl)
    ? readFileSync(checksUrl, 'utf8').trim()
    : 'Not run yet: `npm run bench -- --checks`.';
  writeFileSync(resultsUrl, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(documentUrl, resultsDocument(surroundings, results, sections, checks));
  writeFileSync(readmeUrl, withReadmeRows(readFileSync(readmeUrl, 'utf8'), renderReadmeRows(results)));
  return targetTable(results);
}
