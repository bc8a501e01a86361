import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProbeSchedule } from '../../src/chain/breaker.ts';
import { type FaultKind, unavailable } from '../../src/chain/upstream-faults.ts';

/** The pauses after so many probes that fail with the same fault. */
function pausesAfter(count: number, kind: FaultKind | undefined, restMs?: number): number[] {
  const schedule = new ProbeSchedule();
  return Array.from({ length: count }, (_, index) => {
    const since = 10_000 * index;
    schedule.postpone(since, kind && unavailable(kind, 'it failed', { restMs }));
    return schedule.dueAt - since;
  });
}

test('the first probe is due at once', () => {
  assert.equal(new ProbeSchedule().dueAt, Number.NEGATIVE_INFINITY);
});

test('the pauses double from a quarter of a second to half a second', () => {
  for (const kind of [undefined, 'connection', 'timeout'] as const) {
    assert.deepEqual(pausesAfter(4, kind), [250, 500, 500, 500]);
  }
});

test('an upstream that limits the rate is given pauses from one second to five', () => {
  assert.deepEqual(pausesAfter(5, 'rate_limited'), [1_000, 2_000, 4_000, 5_000, 5_000]);
});

test('an upstream that asks for a longer rest is given it', () => {
  assert.deepEqual(pausesAfter(3, 'rate_limited', 2_500), [2_500, 2_500, 4_000]);
  assert.deepEqual(pausesAfter(2, 'http_status', 9_000), [9_000, 9_000]);
});

test('after a reset the next pause is the first one again', () => {
  const schedule = new ProbeSchedule();
  schedule.postpone(0, undefined);
  schedule.reset();
  schedule.postpone(0, undefined);
  assert.equal(schedule.dueAt, 250);
  schedule.postponeUntil(30_000);
  assert.equal(schedule.dueAt, 30_000);
});
