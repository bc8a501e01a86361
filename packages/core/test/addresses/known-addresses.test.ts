import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { type Address, addressToBytes, toAddress } from '../../src/addresses/address.ts';
import { isAddressOnCurve } from '../../src/addresses/curve.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';

const isOnCurveByWitness = (address: Address): boolean => PublicKey.isOnCurve(new PublicKey(address).toBytes());

function freshAddresses(count: number): Address[] {
  return Array.from({ length: count }, () => toAddress(new PublicKey(randomBytes(32)).toBase58()));
}

function assertAllTrue(addresses: Iterable<Address>): void {
  for (const address of addresses) {
    assert.deepEqual(addressToBytes(address), new PublicKey(address).toBytes(), address);
    assert.equal(isAddressOnCurve(address), isOnCurveByWitness(address), address);
  }
}

test('an address keeps its bytes however often token accounts are derived, forgotten and derived again', () => {
  const owners = freshAddresses(20);
  const mints = freshAddresses(5);
  const all = new Set([...owners, ...mints]);
  for (let round = 0; round < 3; round++) {
    for (const owner of owners) {
      for (const mint of mints) {
        for (const program of [tokenProgram, token2022Program]) {
          const { address } = findAssociatedTokenAddress({ owner, mint, tokenProgram: program });
          const expected = getAssociatedTokenAddressSync(
            new PublicKey(mint),
            new PublicKey(owner),
            true,
            new PublicKey(program),
          );
          assert.equal(address, expected.toBase58());
          all.add(address);
        }
      }
    }
    assertAllTrue(all);
  }
});

test('what is known stays true while ten thousand others come and go', () => {
  const [owner, mint] = freshAddresses(2);
  assert.ok(owner && mint);
  const before = findAssociatedTokenAddress({ owner, mint, tokenProgram });
  const kept = [owner, mint, before.address];
  for (let round = 0; round < 100; round++) {
    const others = freshAddresses(100);
    assert.deepEqual(findAssociatedTokenAddress({ owner, mint, tokenProgram }), before);
    assertAllTrue([...kept, ...others.slice(0, 5)]);
  }
});

test('a text that was never found to be an address never passes for one', () => {
  assert.throws(() => addressToBytes('not an address' as Address), /not a Solana address: "not an address"/);
});
