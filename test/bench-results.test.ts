import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { renderCapacityRows } from '../bench/report/capacity-rows.ts';
import { measuredRowsOf } from '../bench/report/measured-rows.ts';
import { mergeRuns } from '../bench/report/merge-runs.ts';
import { readResults } from '../bench/report/read-results.ts';
import { renderReadmeRows } from '../bench/report/readme-rows.ts';
import { judgeRatio, type Result, targets } from '../bench/report/targets.ts';

it('several runs are reported by their median, their number and their range', () => {
  const run = (ratio: number): Result[] => targets.map(({ id }) => judgeRatio(id, ratio));
  for (const result of mergeRuns([run(7), run(1), run(2)])) {
    const { id, ratio, runs, lowest, highest } = result;
    assert.deepEqual([ratio, runs, lowest, highest], [2, 3, 1, 7], id);
  }
  assert.throws(() => mergeRuns([run(1), run(2).slice(1)]), /was not measured/);
});

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

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
    assert.equal(measuredRowsOf(read('README.md')), renderReadmeRows(results));
  });

  it('are what docs/operate/capacity.md shows, which says when a table is no longer there', () => {
    const document = read('bench/RESULTS.md');
    assert.equal(measuredRowsOf(read('docs/operate/capacity.md')), renderCapacityRows(document));
    for (const name of ['## The service under load', 'resident MiB', '| 512 |']) {
      assert.throws(() => renderCapacityRows(document.replaceAll(name, 'other')), RangeError, name);
    }
  });

  it('fit into the memory that a pod of Kubernetes requests, twice into its limit', () => {
    const residentMiB = Math.max(
      ...[...read('docs/operate/capacity.md').matchAll(/(\d+) MiB(?= resident)/g)].map(([, text]) => Number(text)),
    );
    const [requested = 0, limit = 0] = [
      ...read('deploy/kubernetes/base/deployment.yaml').matchAll(/^ +memory: (\d+)(Mi|Gi)$/gm),
    ].map(([, amount, unit]) => Number(amount) * (unit === 'Gi' ? 1_024 : 1));
    assert.ok(residentMiB > 100 && requested > residentMiB && limit >= 2 * residentMiB, `${residentMiB} MiB`);
  });

  it('are what bench/RESULTS.md shows', () => {
    const document = read('bench/RESULTS.md');
    for (const { id, ratio, met } of results) {
      const row = document.split('\n').find((line) => line.startsWith(`| \`${id}\` |`));
      assert.match(
        row ?? '',
        new RegExp(`\\| ${ratio} \\| at (?:least|most) [0-9.]+ \\| ${met ? 'yes' : '\\*\\*no\\*\\*'} \\|$`),
      );
    }
  });
});
