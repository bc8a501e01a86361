import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readF64, readU16, readU32, readU64, writeU32, writeU64 } from '../../src/bytes/little-endian.ts';

test('an integer is written to its own bytes and no others', () => {
  const data = new Uint8Array(14).fill(0xee);
  writeU32(data, 1, 0x8403_0201);
  assert.deepEqual([...data.subarray(0, 6)], [0xee, 1, 2, 3, 0x84, 0xee]);
  writeU64(data, 5, 0x8807_0605_8403_0201n);
  assert.deepEqual([...data.subarray(4)], [0x84, 1, 2, 3, 0x84, 5, 6, 7, 0x88, 0xee]);
  assert.equal(readU64(data, 5), 0x8807_0605_8403_0201n);
  assert.equal(readU16(data, 5), 0x0201);
});

test('a number is read as a view of the data reads it, and past the end of the data not at all', () => {
  const readers = [
    { read: readU16, byteLength: 2, viewed: (view: DataView, at: number) => view.getUint16(at, true) },
    { read: readU32, byteLength: 4, viewed: (view: DataView, at: number) => view.getUint32(at, true) },
    { read: readU64, byteLength: 8, viewed: (view: DataView, at: number) => view.getBigUint64(at, true) },
    { read: readF64, byteLength: 8, viewed: (view: DataView, at: number) => view.getFloat64(at, true) },
  ];
  const parts = fc.record({
    bytes: fc.uint8Array({ minLength: 4, maxLength: 24 }),
    start: fc.nat(3),
    offset: fc.nat(24),
  });
  fc.assert(
    fc.property(parts, fc.constantFrom(...readers), ({ bytes, start, offset }, { read, byteLength, viewed }) => {
      // A part of something larger: what follows it is not its own.
      const data = bytes.subarray(start, -1);
      const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
      if (offset + byteLength > data.length) assert.throws(() => read(data, offset), RangeError);
      else assert.equal(read(data, offset), viewed(view, offset));
    }),
  );
});

test('a number past the end of the data says which byte is missing, and of how many', () => {
  assert.throws(() => readU16(new Uint8Array(6), 5), new RangeError('there is no byte 6 of 6'));
});
