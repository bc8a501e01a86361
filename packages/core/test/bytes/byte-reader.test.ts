import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getShortU16Encoder } from '@solana/kit';
import { ByteReader, TransactionDecodeError } from '../../src/bytes/byte-reader.ts';

const lengthOf = (...bytes: number[]): number => new ByteReader(Uint8Array.from(bytes)).length();

test('every length up to 65,535 is read from its shortest form, and no byte more', () => {
  const encoder = getShortU16Encoder();
  for (
    let length = 0;
    length <= 0xffff;
    length += length < 300 || length > 0xff00 || length % 0x4000 > 0x3f80 ? 1 : 61
  ) {
    const reader = new ByteReader(Uint8Array.from(encoder.encode(length)));
    assert.equal(reader.length(), length);
    reader.end();
  }
});

test('a length past 65,535, of four bytes or in a longer form is malformed', () => {
  for (const bytes of [
    [0x80, 0x80, 0x04],
    [0xff, 0xff, 0x7f],
    [0x80, 0x80, 0x80, 0x00],
    [0x80, 0x80, 0x80, 0x01],
    [0x80, 0x00],
    [0x81, 0x80, 0x00],
  ]) {
    assert.throws(() => lengthOf(...bytes), /^TransactionDecodeError: a length before byte \d is malformed$/);
  }
});

test('what is passed over may end with the bytes, and not after them', () => {
  const reader = new ByteReader(new Uint8Array(8));
  assert.equal(reader.skip(3), 0);
  assert.equal(reader.skip(5), 3);
  assert.throws(() => reader.skip(1), /the bytes end at 8, too early: 9 are needed/);
  assert.throws(() => reader.byte(), /the bytes end at 8, too early/);
  reader.end();
});

test('integers are read little-endian, one after another', () => {
  const reader = new ByteReader(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13));
  assert.equal(reader.peek(), 1);
  assert.equal(reader.u32(), 0x04_03_02_01);
  assert.equal(reader.u64(), 0x0c_0b_0a_09_08_07_06_05n);
  assert.throws(() => reader.end(), new TransactionDecodeError('1 bytes follow the end of the transaction'));
  assert.equal(reader.byte(), 13);
});
