import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { addressFromBytes } from '../../src/addresses/address.ts';
import { ByteWriter, compactU16Length } from '../../src/bytes/byte-writer.ts';

test('ten thousand buffers of any length begin with zeros and share no byte', () => {
  const all: Uint8Array[] = [];
  for (let count = 0; count < 10_000; count++) {
    const length = randomInt(600);
    const { bytes } = new ByteWriter(length);
    assert.equal(bytes.length, length);
    assert.ok(bytes.every((value) => value === 0));
    all.push(bytes.fill(count % 256));
  }
  for (const [count, bytes] of all.entries()) assert.ok(bytes.every((value) => value === count % 256));
});

test('a buffer can be as long as the pieces that buffers are cut from, and longer', () => {
  for (const length of [65_535, 65_536, 65_537, 200_000, 0, 1])
    assert.equal(new ByteWriter(length).bytes.length, length);
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

test('addresses stand where they were written, in short buffers and in long ones, and never in the bytes of others', () => {
  const one = addressFromBytes(new Uint8Array(32).fill(1));
  const other = addressFromBytes(new Uint8Array(32).fill(2));
  for (const length of [66, 70_001]) {
    new ByteWriter(3);
    const writer = new ByteWriter(length);
    writer.byte(9);
    writer.addressAhead(1, other);
    writer.address(one);
    assert.deepEqual([...writer.bytes.subarray(0, 66)], [9, ...addressBytes(1), ...addressBytes(2), 0]);
  }
  const full = new ByteWriter(64);
  const after = new ByteWriter(64);
  assert.throws(() => full.addressAhead(2, one), RangeError);
  full.byte(9);
  full.address(one);
  assert.throws(() => full.address(other), RangeError);
  assert.deepEqual([...after.bytes], new Array(64).fill(0));
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
