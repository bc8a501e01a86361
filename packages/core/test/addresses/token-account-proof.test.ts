import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import type { Address } from '../../src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import { tokenProgram, tokenPrograms } from '../../src/addresses/programs.ts';
import { isTokenAccountOf, type TokenAccountClaim } from '../../src/addresses/token-account-proof.ts';
import { freshAddress } from '../fixtures.ts';

function claimOf(owner: Address, mint: Address, program: Address): TokenAccountClaim {
  const { bump } = findAssociatedTokenAddress({ owner, mint, tokenProgram: program });
  return { owner, mint, tokenProgram: program, bump };
}

function proves(bytes: Uint8Array, offset: number, claim: TokenAccountClaim): boolean {
  return isTokenAccountOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset, claim);
}

function accountOf({ owner, mint, tokenProgram: program }: TokenAccountClaim): Uint8Array {
  const keys = [new PublicKey(mint), new PublicKey(owner), new PublicKey(program)] as const;
  return getAssociatedTokenAddressSync(keys[0], keys[1], true, keys[2]).toBytes();
}

test('the token account that another library derives is the one of its owner, wherever its bytes stand', () => {
  for (let count = 0; count < 200; count++) {
    const claim = claimOf(freshAddress(), freshAddress(), tokenPrograms[count % 2] ?? tokenProgram);
    const bytes = Buffer.concat([randomBytes(count), accountOf(claim), randomBytes(5)]);
    assert.ok(proves(bytes, count, claim));
  }
});

test('a claim that differs in any part fails, before and after the true one was proven', () => {
  const claim = claimOf(freshAddress(), freshAddress(), tokenProgram);
  const account = accountOf(claim);
  const others: TokenAccountClaim[] = [
    { ...claim, owner: freshAddress() },
    { ...claim, owner: claim.mint },
    { ...claim, mint: freshAddress() },
    { ...claim, mint: claim.owner },
    { ...claim, tokenProgram: tokenPrograms.find((program) => program !== tokenProgram) ?? freshAddress() },
    { ...claim, bump: claim.bump - 1 },
    { ...claim, bump: 255 - claim.bump },
  ];
  for (let round = 0; round < 2; round++) {
    for (const other of others) assert.equal(proves(account, 0, other), false, JSON.stringify(other));
    for (let index = 0; index < 32; index++) {
      const changed = Uint8Array.from(account);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.equal(proves(changed, 0, claim), false, `byte ${index}`);
    }
    assert.ok(proves(account, 0, claim));
  }
});

test('a text that is not an address throws, and later proofs still hold', () => {
  const claim = claimOf(freshAddress(), freshAddress(), tokenProgram);
  const account = accountOf(claim);
  for (const text of ['', 'not an address', 'z'.repeat(44), '1'.repeat(100_000)]) {
    for (const part of ['owner', 'mint', 'tokenProgram'] as const) {
      const wrong = { ...claim, [part]: text as Address };
      const message = `not a Solana address: ${JSON.stringify(text)}`;
      assert.throws(() => proves(account, 0, wrong), { name: 'TypeError', message });
      assert.ok(proves(account, 0, claim));
    }
  }
});
