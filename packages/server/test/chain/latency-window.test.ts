import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LatencyWindow } from '../../src/chain/upstream-connection.ts';

function percentileAfter(samples: readonly number[]): number | undefined {
  const window = new LatencyWindow();
  for (const sample of samples) window.add(sample);
  return window.percentile95;
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

test('Of few latencies no percentile is known', () => {
  assert.equal(percentileAfter(upTo(9)), undefined);
  assert.equal(percentileAfter(upTo(10)), 10);
});

test('95 of 100 latencies are within the percentile, in whatever order they come', () => {
  assert.equal(percentileAfter(upTo(64)), 61);
  assert.equal(percentileAfter(upTo(64).toReversed()), 61);
});

test('Only the latest 64 count', () => {
  assert.equal(percentileAfter([...upTo(1_024), ...Array.from({ length: 64 }, () => 5)]), 5);
});

test('Of just the latest 64 the 61st is the percentile: 3 of them may be slower', () => {
  const latest = (fast: number): readonly number[] =>
    Array.from({ length: 1_152 }, (_, index) => (index < 1_152 - fast ? 1_000 : 5));
  assert.equal(percentileAfter(latest(61)), 5);
  assert.equal(percentileAfter(latest(60)), 1_000);
});
