import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readU16, readU64, writeU32, writeU64 } from '../../src/bytes/little-endian.ts';

test('an integer is written to its own bytes and no others', () => {
  const data = new Uint8Array(14).fill(0xee);
  writeU32(data, 1, 0x8403_0201);
  assert.deepEqual([...data.subarray(0, 6)], [0xee, 1, 2, 3, 0x84, 0xee]);
  writeU64(data, 5, 0x8807_0605_8403_0201n);
  assert.deepEqual([...data.subarray(4)], [0x84, 1, 2, 3, 0x84, 5, 6, 7, 0x88, 0xee]);
  assert.equal(readU64(data, 5), 0x8807_0605_8403_0201n);
  assert.equal(readU16(data, 5), 0x0201);
});
