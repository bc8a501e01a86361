import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { addressToBytes } from '../../src/addresses/address.ts';
import { isAddressOnCurve } from '../../src/addresses/curve.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { freshParty, hashByWitness, type Party, partyOf } from '../parties.ts';

// More than the table of known addresses holds, several times over.
const ownerCount = 30_000;

function pick<T>(list: readonly T[]): T {
  const found = list[randomInt(list.length)];
  if (found === undefined) throw new RangeError('the list is empty');
  return found;
}

test('30,000 owners of five mints, asked for in any order and again, never get the token account of another', () => {
  const mints = Array.from({ length: 5 }, freshParty);
  const programs = [tokenProgram, token2022Program].map(partyOf);
  const owners: Party[] = [];
  let repeated = 0;
  for (let step = 0; owners.length < ownerCount; step++) {
    const isNew = owners.length === 0 || randomInt(10) < 6;
    if (isNew) owners.push(freshParty());
    else repeated++;
    // The newest, one of the newest hundred, or any: some of them are known, others were forgotten.
    const recent = owners.slice(-pick([1, 2, 100]));
    const owner = isNew || randomInt(2) === 0 ? pick(recent) : pick(owners);
    const [mint, program] = [pick(mints), pick(programs)];
    const found = findAssociatedTokenAddress({
      owner: owner.address,
      mint: mint.address,
      tokenProgram: program.address,
    });
    if (found.address !== hashByWitness(owner, program, mint, found.bump)) {
      assert.fail(`step ${step}: ${found.address} is not the token account of ${owner.address}`);
    }
    // That the bump is the highest one takes the library a millisecond to say.
    if (step % 50 === 0) {
      const [ownerKey, mintKey, programKey] = [owner, mint, program].map(({ address }) => new PublicKey(address));
      assert.ok(ownerKey && mintKey && programKey);
      assert.equal(found.address, getAssociatedTokenAddressSync(mintKey, ownerKey, true, programKey).toBase58());
    }
    // Other uses of the table in between, which may be what clears it.
    if (step % 7 === 0) assert.deepEqual(addressToBytes(pick(owners).address).length, 32);
    if (step % 11 === 0) isAddressOnCurve(pick(recent).address);
    if (step % 13 === 0) freshParty();
  }
  assert.ok(repeated > ownerCount / 2, `only ${repeated} owners were asked for again`);
});
