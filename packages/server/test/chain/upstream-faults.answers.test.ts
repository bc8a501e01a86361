import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blamesUpstream, type FaultKind, faultOfNodeError, faultOfStatus } from '../../src/chain/upstream-faults.ts';
import type { ProblemCode } from '../../src/problems.ts';

const meanings: readonly [kind: FaultKind, problem: ProblemCode, codes: readonly number[]][] = [
  ['node', 'upstream_unavailable', [-32001, -32004, -32005, -32007, -32009, -32014, -32016, -32603]],
  ['rate_limited', 'upstream_unavailable', [429, -32429]],
  ['refused', 'upstream_error', [-32600, -32601, -32602, -32700, -32011, -32015]],
  ['too_large', 'upstream_error', [-32615]],
  ['node', 'upstream_error', [-32000, 0, 1]],
];

test("A node's own error says what it means for the request, and for the node", () => {
  for (const [kind, problem, codes] of meanings) {
    for (const code of codes) {
      const fault = faultOfNodeError('getSlot', { code, message: 'no' });
      assert.deepEqual([fault.kind, fault.code], [kind, problem], `${code}`);
      assert.equal(blamesUpstream(fault), kind !== 'refused' && kind !== 'too_large');
      assert.match(fault.message, new RegExp(`getSlot with error ${code}\\b`));
    }
  }
});

test('The rest that a node asks for is honoured, up to half a minute', () => {
  const inTenSeconds = new Date(Date.now() + 10_000).toUTCString();
  for (const [retryAfter, min, max] of [
    ['0', undefined, undefined],
    ['2', 2_000, 2_000],
    ['86400', 30_000, 30_000],
    [inTenSeconds, 8_000, 10_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', undefined, undefined],
    ['soon', undefined, undefined],
    [undefined, undefined, undefined],
    [['2', '3'], undefined, undefined],
  ] as const) {
    for (const status of [429, 503]) {
      const fault = faultOfStatus(status, retryAfter);
      const rest = fault?.restMs;
      if (min === undefined) assert.equal(rest, undefined);
      else assert.ok(rest !== undefined && rest >= min && rest <= max, `${retryAfter}: ${rest}`);
      assert.equal(fault?.retryAfterSeconds, Math.max(1, Math.ceil((rest ?? 0) / 1000)));
    }
  }
});

test('A status that a JSON-RPC error may come with is no fault by itself', () => {
  for (const status of [200, 400, 401, 403, 404, 500]) assert.equal(faultOfStatus(status, undefined), undefined);
});
