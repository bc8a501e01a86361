import { median } from '../statistics.ts';
import { judgeRatio, type Result, targets } from './targets.ts';

/** Holds the middle ratio of several runs against each target, with the range. Throws when a target was not measured. */
export function mergeRuns(runs: readonly (readonly Result[])[]): Result[] {
  return targets.map(({ id }): Result => {
    const ratios = runs.map((results) => {
      const ratio = results.find((each) => each.id === id)?.ratio;
      if (ratio === undefined || !Number.isFinite(ratio)) throw new Error(`${id} was not measured`);
      return ratio;
    });
    const range = { runs: runs.length, lowest: Math.min(...ratios), highest: Math.max(...ratios) };
    return { ...judgeRatio(id, median(ratios)), ...range };
  });
}
