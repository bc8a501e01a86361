import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { mergeRuns } from '../bench/report/merge-runs.ts';
import { readResults } from '../bench/report/read-results.ts';
import { readmeRowsOf, renderReadmeRows } from '../bench/report/readme-rows.ts';
import { judgeRatio, type Result, targets } from '../bench/report/targets.ts';

it('several runs are reported by their median, their number and their range', () => {
  const run = (ratio: number): Result[] => targets.map(({ id }) => judgeRatio(id, ratio));
  for (const result of mergeRuns([run(7), run(1), run(2)])) {
    const { id, ratio, runs, lowest, highest } = result;
    assert.deepEqual([ratio, runs, lowest, highest], [2, 3, 1, 7], id);
  }
  assert.throws(() => mergeRuns([run(1), run(2).slice(1)]), /was not measured/);
});

// No benchmark runs here: what the last one wrote must hang together.
describe('the results of the benchmark', () => {
  const results = readResults();

  it('have one row for each target, in their order', () => {
    assert.deepEqual(
      results.map(({ id }) => id),
      targets.map(({ id }) => id),
    );
  });

  it('say truly which targets are met', () => {
    assert.deepEqual(
      results.map(({ id, ratio }) => judgeRatio(id, ratio)),
      results.map(({ id, ratio, target, met }) => ({ id, ratio, target, met })),
    );
  });

  it('are what the README shows', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    assert.equal(readmeRowsOf(readme), renderReadmeRows(results));
  });

  it('are what bench/RESULTS.md shows', () => {
    const document = readFileSync(new URL('../bench/RESULTS.md', import.meta.url), 'utf8');
    for (const { id, ratio, met } of results) {
      const row = document.split('\n').find((line) => line.startsWith(`| \`${id}\` |`));
      assert.match(
        row ?? '',
        new RegExp(`\\| ${ratio} \\| at (?:least|most) [0-9.]+ \\| ${met ? 'yes' : '\\*\\*no\\*\\*'} \\|$`),
      );
    }
  });
});
