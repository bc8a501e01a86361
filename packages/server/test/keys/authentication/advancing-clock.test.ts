import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { advancingClock } from '../../../src/keys/authentication/authenticator.ts';

describe('advancingClock', () => {
  it('follows its clock forwards, and advances with elapsed time when that is set back', () => {
    const clock = { now: 1000, elapsed: 50 };
    const read = advancingClock(
      () => clock.now,
      () => clock.elapsed,
    );
    const moments = [];
    for (const [now, elapsed] of [
      [1000, 50],
      [9000, 60],
      [2000, 70],
      [2000, 70],
      [2030, 100],
      [9999, 110],
    ] as const) {
      Object.assign(clock, { now, elapsed });
      moments.push(read());
    }
    assert.deepEqual(moments, [1000, 9000, 9010, 9010, 9040, 9999]);
  });
});
