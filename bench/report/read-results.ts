import { readFileSync } from 'node:fs';
import type { Result } from './targets.ts';

/** Where the results of the last full run are. */
export const resultsUrl = new URL('../results.json', import.meta.url);

/** The results of the last full run, in the order of the targets. Throws when the file is missing or is no list of them. */
export function readResults(): Result[] {
  const rows: unknown = JSON.parse(readFileSync(resultsUrl, 'utf8'));
  if (!Array.isArray(rows) || !rows.every(isResult)) throw new TypeError('bench/results.json is no list of results');
  return rows;
}

function isResult(row: unknown): row is Result {
  if (typeof row !== 'object' || row === null || !('id' in row && 'ratio' in row && 'target' in row && 'met' in row)) {
    return false;
  }
  const { id, ratio, target, met } = row;
  const hasNumbers = typeof ratio === 'number' && typeof target === 'number';
  return typeof id === 'string' && hasNumbers && typeof met === 'boolean';
}
