import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { toAddress } from '../../src/addresses/address.ts';
import { findProgramDerivedAddress } from '../../src/addresses/derived-addresses.ts';

const anySeeds = fc.array(fc.uint8Array({ maxLength: 32 }), { maxLength: 15 });

test('an address derived from any seeds by a program never seen before is the one that another library derives', () => {
  fc.assert(
    fc.property(anySeeds, (seeds) => {
      // Not from the generator, which would draw the same one again: nothing may be known of it.
      const program = new PublicKey(randomBytes(32));
      const [expected, bump] = PublicKey.findProgramAddressSync(seeds, program);
      const found = findProgramDerivedAddress(toAddress(program.toBase58()), seeds);
      assert.deepEqual(found, { address: expected.toBase58(), bump });
    }),
    { numRuns: 300 },
  );
});

test('a program whose address is known, but was forgotten since, derives the same', () => {
  const program = toAddress(new PublicKey(randomBytes(32)).toBase58());
  const seeds = [randomBytes(32), randomBytes(7)];
  const before = findProgramDerivedAddress(program, seeds);
  for (let count = 0; count < 10_000; count++) toAddress(new PublicKey(randomBytes(32)).toBase58());
  assert.deepEqual(findProgramDerivedAddress(program, seeds), before);
});

test('as many seeds as the runtime takes are derived from, each as long as one may be', () => {
  const program = new PublicKey(randomBytes(32));
  const seeds = Array.from({ length: 15 }, () => randomBytes(32));
  const [expected, bump] = PublicKey.findProgramAddressSync(seeds, program);
  assert.deepEqual(findProgramDerivedAddress(toAddress(program.toBase58()), seeds), {
    address: expected.toBase58(),
    bump,
  });
});

test('more seeds than the runtime takes are refused', () => {
  const program = toAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
  assert.throws(() => findProgramDerivedAddress(program, Array(16).fill(new Uint8Array(32))), /at most 480 bytes/);
});
