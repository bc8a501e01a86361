import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RpcFailure, startHistory } from './history-node.ts';

const sample = (numSlots: unknown, samplePeriodSecs: unknown = 60) => [{ slot: 9, numSlots, samplePeriodSecs }];

test('The time of a slot is that of the newest sample, and is asked for once a minute', async (t) => {
  let samples: unknown = sample(300);
  const { reader, clock, callsOf } = await startHistory(t, { getRecentPerformanceSamples: () => samples });
  const calls = () => callsOf('getRecentPerformanceSamples');
  assert.deepEqual(await Promise.all([reader.readSlotMs(), reader.readSlotMs()]), [200, 200]);
  assert.deepEqual(calls()[0]?.params, [1]);
  samples = sample(150);
  clock.ahead += 59_000;
  assert.equal(await reader.readSlotMs(), 200);
  assert.equal(calls().length, 1);
  clock.ahead += 1_000;
  assert.equal(await reader.readSlotMs(), 400);
  assert.equal(calls().length, 2);
});

test('No time of a slot is known where a node has no sample, of no slot, or does not say it', async (t) => {
  for (const samples of [[], sample(0), sample(300, 0), sample('300'), ['x'], 'x', new RpcFailure(-32601)]) {
    const { reader } = await startHistory(t, { getRecentPerformanceSamples: () => samples });
    assert.equal(await reader.readSlotMs(), undefined, JSON.stringify(samples));
  }
});
