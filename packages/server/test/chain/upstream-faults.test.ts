import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  blamesUpstream,
  type FaultKind,
  malformed,
  nonsense,
  tooSlow,
  type UpstreamFault,
  unavailable,
} from '../../src/chain/upstream-faults.ts';

test('an upstream is to blame for whatever it did, but not for what it does not take nor for the little time it had', () => {
  const kinds: Readonly<Record<FaultKind, boolean>> = {
    connection: true,
    timeout: true,
    hurried: false,
    rate_limited: true,
    http_status: true,
    node: true,
    refused: false,
    too_large: false,
    malformed: true,
    lagging: true,
    other_cluster: true,
  };
  for (const [kind, isToBlame] of Object.entries(kinds)) {
    assert.equal(blamesUpstream(nonsense(kind as FaultKind, 'it did')), isToBlame, kind);
  }
  assert.equal(blamesUpstream(new Error('anything else')), true);
});

test('one that takes too long is a 504, of the kind that is asked for', () => {
  assert.equal(tooSlow().kind, 'timeout');
  assert.equal(tooSlow('hurried').kind, 'hurried');
  for (const fault of [tooSlow(), tooSlow('hurried')]) {
    assert.deepEqual([fault.code, fault.reason], ['upstream_timeout', 'it did not answer in time']);
  }
});

test('one that cannot serve says in how many whole seconds to try again, at least one', () => {
  const afterRest = (restMs: number | undefined): UpstreamFault =>
    unavailable('rate_limited', 'it is busy', { restMs });
  for (const [rest, seconds] of [
    [undefined, 1],
    [0, 1],
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [30_000, 30],
  ] as const) {
    const fault = afterRest(rest);
    assert.deepEqual([fault.code, fault.retryAfterSeconds], ['upstream_unavailable', seconds]);
    assert.equal(fault.restMs, rest);
  }
});

test('an invalid answer is a 502 that keeps its cause, and has no Retry-After', () => {
  const cause = new Error('why');
  const fault = malformed('it is HTML', cause);
  assert.deepEqual([fault.kind, fault.code, fault.cause], ['malformed', 'upstream_error', cause]);
  assert.equal(fault.retryAfterSeconds, undefined);
  assert.match(fault.message, /makes no sense: it is HTML\.$/);
});
