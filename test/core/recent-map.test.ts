import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RecentMap } from '../../src/core/recent-map.ts';

test('what was set last is always there, and never more than twice the size is kept', () => {
  const keys = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 300 });
  fc.assert(
    fc.property(keys, (sequence) => {
      const map = new RecentMap<number, string>(8);
      for (const key of sequence) {
        map.set(key, `value of ${key}`);
        assert.equal(map.get(key), `value of ${key}`);
      }
      const kept = Array.from({ length: 41 }, (_, key) => map.get(key)).filter((value) => value !== undefined);
      assert.ok(kept.length <= 16, `${kept.length} are kept`);
    }),
  );
});

test('a key that is read again and again stays, however many others come', () => {
  const map = new RecentMap<string, number>(4);
  map.set('treasury', 1);
  for (let index = 0; index < 1_000; index++) {
    map.set(`customer ${index}`, index);
    assert.equal(map.get('treasury'), 1);
  }
  assert.equal(map.get('customer 0'), undefined);
});
