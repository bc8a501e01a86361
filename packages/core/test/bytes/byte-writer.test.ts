import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressFromBytes } from '../../src/addresses/address.ts';
import { ByteWriter, compactU16Length } from '../../src/bytes/byte-writer.ts';

test('bytes begin as zeros, in a buffer that holds nothing else', () => {
  for (const length of [0, 1, 300, 1232, 70_000]) {
    const { bytes } = new ByteWriter(length);
    assert.deepEqual(bytes, new Uint8Array(length));
    assert.equal(bytes.buffer.byteLength, bytes.length);
  }
});

test('what is written stands in order, and what is skipped stays zero', () => {
  const writer = new ByteWriter(12);
  writer.byte(1);
  writer.skip(2);
  writer.u16(0x0302);
  writer.compactU16(300);
  writer.copy(Uint8Array.of(9, 8));
  assert.deepEqual([...writer.bytes], [1, 0, 0, 2, 3, 0xac, 2, 9, 8, 0, 0, 0]);
});

test('addresses stand where they were written, and never past the end', () => {
  const one = addressFromBytes(new Uint8Array(32).fill(1));
  const other = addressFromBytes(new Uint8Array(32).fill(2));
  const writer = new ByteWriter(66);
  writer.byte(9);
  writer.addressAhead(1, other);
  writer.address(one);
  assert.deepEqual([...writer.bytes], [9, ...addressBytes(1), ...addressBytes(2), 0]);
  assert.throws(() => writer.addressAhead(2, one), RangeError);
  writer.skip(2);
  assert.throws(() => writer.address(other), RangeError);
});

function addressBytes(value: number): number[] {
  return new Array<number>(32).fill(value);
}

test('the length of a number is how many bytes it is written in', () => {
  const lengths = [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 0xffff].map((value) => {
    const writer = new ByteWriter(4);
    writer.compactU16(value);
    const written = writer.bytes.findLastIndex((byte) => byte !== 0) + 1;
    assert.equal(compactU16Length(value), Math.max(1, written), String(value));
    return compactU16Length(value);
  });
  assert.deepEqual(lengths, [1, 1, 1, 2, 2, 3, 3]);
});
