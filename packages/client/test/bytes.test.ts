import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getBase58Decoder } from '@solana/kit';
import fc from 'fast-check';
import { fromBase64, toBase58, toBase64 } from '../src/bytes.ts';
import { fromBase58, toInteger } from '../src/verify/bytes.ts';

test('Base64 is that of Node, and read back whole', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 4_096 }), (bytes) => {
      assert.equal(toBase64(bytes), Buffer.from(bytes).toString('base64'));
      assert.deepEqual(fromBase64(toBase64(bytes)), bytes);
    }),
  );
});

test('Base58 is that of an independent library, leading zeros included, and read back whole', () => {
  const decoder = getBase58Decoder();
  fc.assert(
    fc.property(fc.nat(32), fc.uint8Array({ maxLength: 64 }), (zeros, bytes) => {
      const all = Uint8Array.from([...new Uint8Array(zeros), ...bytes]);
      assert.equal(toBase58(all), decoder.decode(all));
      assert.deepEqual(fromBase58(toBase58(all)), all);
    }),
  );
});

test('Other text is no base58, nor what is longer than any transaction', () => {
  for (const text of ['l', '0', '1 1', '1é']) assert.equal(fromBase58(text), undefined);
  const longest = new Uint8Array(4_096).fill(255);
  assert.deepEqual(fromBase58(toBase58(longest)), longest);
  assert.equal(fromBase58('1'.repeat(5_601)), undefined);
});

test('An integer is read from its bytes, the least first', () => {
  assert.equal(toInteger(Uint8Array.of(1, 2, 0, 0, 0, 0, 0, 128)), 2n ** 63n + 513n);
});
