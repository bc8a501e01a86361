import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LimitedKeys } from '../../src/app/limited-keys.ts';
import type { ProblemCode } from '../../src/problems.ts';

function start() {
  const clock = { now: 5 };
  const lines: unknown[] = [];
  const counted: string[] = [];
  const limited = (keyId: string, code: ProblemCode) => void counted.push(`${keyId} ${code}`);
  const keys = new LimitedKeys({ warn: (fields: unknown) => lines.push(fields) }, () => clock.now, limited);
  return { clock, lines, keys, counted };
}

test('A key that is limited is named in the log once a minute for each reason, and one that is refused otherwise is not', () => {
  const { clock, lines, keys, counted } = start();
  for (let count = 0; count < 5; count += 1) {
    keys.note('key_1', 'rate_limited');
    keys.note('key_1', 'overloaded');
    keys.note('key_2', 'rate_limited');
    keys.note('key_2', 'invalid_request');
    keys.note('key_2', 'upstream_timeout');
  }
  const each = [
    { key_id: 'key_1', code: 'rate_limited' },
    { key_id: 'key_1', code: 'overloaded' },
    { key_id: 'key_2', code: 'rate_limited' },
  ];
  assert.deepEqual(lines, each);
  assert.deepEqual(
    keys.current.map(({ keyId, code }) => ({ key_id: keyId, code })),
    each,
  );
  assert.equal(counted.length, 15, 'each refusal by a limit is counted');
  clock.now += 60_000;
  assert.deepEqual(keys.current, []);
  keys.note('key_2', 'rate_limited');
  assert.deepEqual(lines, [...each, { key_id: 'key_2', code: 'rate_limited' }]);
});

test('Many limited keys write a hundred lines a minute at most', () => {
  const { lines, keys } = start();
  for (let key = 0; key < 1_000; key += 1) keys.note(`key_${key}`, 'rate_limited');
  assert.equal(lines.length, 100);
});
