import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getBase58Decoder } from '@solana/kit';
import fc from 'fast-check';
import { fromBase64, toBase58, toBase64 } from '../src/bytes.ts';

test('Base64 is that of Node, and read back whole', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 4_096 }), (bytes) => {
      assert.equal(toBase64(bytes), Buffer.from(bytes).toString('base64'));
      assert.deepEqual(fromBase64(toBase64(bytes)), bytes);
    }),
  );
});

test('Base58 is that of an independent library, leading zeros included', () => {
  const decoder = getBase58Decoder();
  fc.assert(
    fc.property(fc.nat(3), fc.uint8Array({ minLength: 1, maxLength: 64 }), (zeros, bytes) => {
      const all = Uint8Array.from([...new Uint8Array(zeros), ...bytes]);
      assert.equal(toBase58(all), decoder.decode(all));
    }),
  );
});
