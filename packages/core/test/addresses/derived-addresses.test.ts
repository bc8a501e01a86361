import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ASSOCIATED_TOKEN_PROGRAM_ID, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { addressFromBytes, toAddress } from '../../src/addresses/address.ts';
import { findAssociatedTokenAddress, findProgramDerivedAddress } from '../../src/addresses/derived-addresses.ts';
import { tokenPrograms } from '../../src/addresses/programs.ts';

const anyBytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('the address and its bump are those of the reference libraries, for both token programs', () => {
  const lowBumps: number[] = [];
  const property = fc.property(anyBytes, anyBytes, (ownerBytes, mintBytes) => {
    const [owner, mint] = [new PublicKey(ownerBytes), new PublicKey(mintBytes)];
    for (const tokenProgram of tokenPrograms) {
      const found = findAssociatedTokenAddress({
        owner: addressFromBytes(ownerBytes),
        mint: addressFromBytes(mintBytes),
        tokenProgram,
      });
      const program = new PublicKey(tokenProgram);
      const seeds = [owner, program, mint].map((key) => key.toBytes());
      const [address, bump] = PublicKey.findProgramAddressSync(seeds, ASSOCIATED_TOKEN_PROGRAM_ID);
      assert.deepEqual(found, { address: address.toBase58(), bump });
      assert.equal(found.address, getAssociatedTokenAddressSync(mint, owner, true, program).toBase58());
      if (bump <= 250) lowBumps.push(bump);
    }
  });
  // A seed, because one address in 32 has a bump of 250 or less: these runs hold some.
  fc.assert(property, { numRuns: 150, seed: 20 });
  assert.ok(lowBumps.length > 5, `only ${lowBumps.length} bumps of 250 or less were met`);
});

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
    { numRuns: propertyRuns(300) },
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
