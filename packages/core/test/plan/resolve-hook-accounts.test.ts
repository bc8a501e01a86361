import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PublicKey } from '@solana/web3.js';
import type { Account } from '../../src/accounts/account.ts';
import { type Address, addressToBytes } from '../../src/addresses/address.ts';
import { systemProgram } from '../../src/addresses/programs.ts';
import {
  executeDiscriminator,
  type HookedTransfer,
  type HookResolution,
  hookValidationAddress,
  resolveHookAccounts,
} from '../../src/plan/resolve-hook-accounts.ts';
import { role } from '../../src/transaction/instruction.ts';
import { accountOf } from '../chain-accounts.ts';
import { hookEntry, hookListOf, literalEntry } from '../hook-lists.ts';
import { freshAddress } from '../random-plans.ts';

const transfer: HookedTransfer = {
  hookProgram: freshAddress(),
  source: freshAddress(),
  mint: freshAddress(),
  destination: freshAddress(),
  authority: freshAddress(),
  amount: 0x0807_0605_0403_0201n,
  referenceCount: 0,
  demandedMemoBytes: 0,
};
const validation = hookValidationAddress(transfer.mint, transfer.hookProgram);

function resolve(list: Uint8Array, others: readonly [Address, Account | null][] = []): HookResolution {
  const read = new Map<Address, Account | null>([
    [transfer.hookProgram, accountOf(systemProgram, [], true)],
    [validation, accountOf(transfer.hookProgram, list)],
    ...others,
  ]);
  return resolveHookAccounts(transfer, read);
}

/** What is appended for the list itself, without the program and its list at the end. */
function extrasOf(resolution: HookResolution): readonly object[] {
  assert.ok('accounts' in resolution, JSON.stringify(resolution));
  const [program, list] = resolution.accounts.slice(-2);
  assert.deepEqual([program?.address, list?.address], [transfer.hookProgram, validation]);
  return resolution.accounts.slice(0, -2);
}

const missingPart = { unresolvable: { kind: 'data_not_found' } };

describe('the hook program and its list', () => {
  const { hookProgram, mint } = transfer;
  const program = accountOf(systemProgram, [], true);
  const list = accountOf(hookProgram, hookListOf());
  const resolveWith = (...read: readonly [Address, Account | null][]) => resolveHookAccounts(transfer, new Map(read));

  test('the list is at the address that the program derives for the mint', () => {
    const seeds = [Buffer.from('extra-account-metas'), addressToBytes(mint)];
    const [derived] = PublicKey.findProgramAddressSync(seeds, new PublicKey(hookProgram));
    assert.equal(validation, derived.toBase58());
  });

  test('are read first', () => {
    const needs = [hookProgram, validation];
    assert.deepEqual(resolveWith(), { needs });
    assert.deepEqual(resolveWith([hookProgram, program]), { needs });
    assert.deepEqual(resolveWith([validation, list]), { needs });
  });

  test('must be there: a program that runs, and a list that belongs to it and can be read', () => {
    const noProgram = { unresolvable: { kind: 'program_not_found', program: hookProgram } };
    assert.deepEqual(resolveWith([hookProgram, null], [validation, list]), noProgram);
    assert.deepEqual(resolveWith([hookProgram, accountOf(systemProgram)], [validation, list]), noProgram);
    const noList = { unresolvable: { kind: 'list_not_found', program: hookProgram, list: validation } };
    assert.deepEqual(resolveWith([hookProgram, program], [validation, null]), noList);
    assert.deepEqual(resolveWith([hookProgram, program], [validation, accountOf(systemProgram, hookListOf())]), noList);
    const unreadable = { unresolvable: { kind: 'list_unreadable', list: validation } };
    assert.deepEqual(resolveWith([hookProgram, program], [validation, accountOf(hookProgram, [1, 2])]), unreadable);
    assert.deepEqual(resolveWith([hookProgram, program], [validation, list]), {
      accounts: [hookProgram, validation].map(role.readonly),
    });
  });

  test('have no more extra accounts than Token-2022 has memory for', () => {
    const entries = (count: number) => hookListOf(...Array.from({ length: count }, () => literalEntry(freshAddress())));
    assert.equal(extrasOf(resolve(entries(15))).length, 15);
    assert.deepEqual(resolve(entries(16)), {
      unresolvable: { kind: 'too_many_accounts', count: 16, max: 15, demandedMemoBytes: 0 },
    });
  });
});

describe('the rights of an extra account', () => {
  const extra = freshAddress();

  test('are those that the list asks for where the account is new', () => {
    assert.deepEqual(extrasOf(resolve(hookListOf(literalEntry(extra), literalEntry(freshAddress(), 0, 1)))).length, 2);
    const [readonly] = extrasOf(resolve(hookListOf(literalEntry(extra))));
    assert.deepEqual(readonly, { address: extra, signer: false, writable: false });
    const [writable] = extrasOf(resolve(hookListOf(literalEntry(extra, 0, 1))));
    assert.deepEqual(writable, { address: extra, signer: false, writable: true });
  });

  test('of a signer that is not an account of the transfer make it impossible', () => {
    const unresolvable = { kind: 'signature_demanded', signer: extra };
    assert.deepEqual(resolve(hookListOf(literalEntry(extra, 1))), { unresolvable });
  });

  test('are not raised where the transfer already has the account', () => {
    for (const own of [transfer.authority, transfer.source, transfer.mint]) {
      const [meta] = extrasOf(resolve(hookListOf(literalEntry(own, 1, 1))));
      assert.deepEqual(meta, { address: own, signer: false, writable: false });
    }
    const [, again] = extrasOf(resolve(hookListOf(literalEntry(extra), literalEntry(extra, 0, 1))));
    assert.deepEqual(again, { address: extra, signer: false, writable: false });
    const [, kept] = extrasOf(resolve(hookListOf(literalEntry(extra, 0, 1), literalEntry(extra, 0, 1))));
    assert.deepEqual(kept, { address: extra, signer: false, writable: true });
    const [, lowered] = extrasOf(resolve(hookListOf(literalEntry(extra, 0, 1), literalEntry(extra))));
    assert.deepEqual(lowered, { address: extra, signer: false, writable: false });
  });
});

describe('an address derived from seeds', () => {
  const derived = (...seeds: readonly Uint8Array[]): string =>
    PublicKey.findProgramAddressSync([...seeds], new PublicKey(transfer.hookProgram))[0].toBase58();
  const addressOf = (resolution: HookResolution): unknown => (extrasOf(resolution)[0] as { address: string }).address;
  // A seed of one byte takes three of the 32: its kind, its length, itself.
  const oneByteSeeds = (count: number): number[] => [1, ...Array.from({ length: count }, () => [1, 1, 7]).flat()];

  test('takes up to 15 seeds of up to 32 bytes each', () => {
    const data = accountOf(systemProgram, Array(40).fill(9));
    const at = freshAddress();
    const withSeedOf = (length: number) =>
      resolve(hookListOf(literalEntry(at), hookEntry([1, 4, 5, 0, length])), [[at, data]]);
    const [, found] = extrasOf(withSeedOf(32));
    assert.equal((found as { address: string }).address, derived(new Uint8Array(32).fill(9)));
    assert.deepEqual(withSeedOf(33), missingPart);
    // Each takes two bytes: the key of the account with this index.
    const keys = (count: number) =>
      resolve(hookListOf(hookEntry([1, ...Array.from({ length: count }, () => [3, 0]).flat()])));
    assert.equal(addressOf(keys(15)), derived(...Array(15).fill(addressToBytes(transfer.source))));
    assert.deepEqual(keys(16), missingPart);
  });

  test('takes literals, the data of the instruction, and keys of accounts', () => {
    assert.equal(
      addressOf(resolve(hookListOf(hookEntry(oneByteSeeds(3))))),
      derived(...Array(3).fill(Uint8Array.of(7))),
    );
    const amount = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    assert.equal(addressOf(resolve(hookListOf(hookEntry([1, 2, 8, 8])))), derived(amount));
    assert.equal(addressOf(resolve(hookListOf(hookEntry([1, 2, 0, 8])))), derived(executeDiscriminator));
    assert.deepEqual(resolve(hookListOf(hookEntry([1, 2, 9, 8]))), missingPart);
    const keys = [transfer.source, transfer.mint, transfer.destination, transfer.authority, validation];
    for (const [index, key] of keys.entries()) {
      assert.equal(addressOf(resolve(hookListOf(hookEntry([1, 3, index])))), derived(addressToBytes(key)));
    }
    assert.deepEqual(resolve(hookListOf(hookEntry([1, 3, 5]))), missingPart);
  });

  test('can be another program’s, which must be among the accounts', () => {
    const [found] = extrasOf(resolve(hookListOf(hookEntry([128 + 1, 1, 1, 7])))) as { address: string }[];
    const program = new PublicKey(transfer.mint);
    assert.equal(found?.address, PublicKey.findProgramAddressSync([Uint8Array.of(7)], program)[0].toBase58());
    assert.deepEqual(resolve(hookListOf(hookEntry([128 + 5, 1, 1, 7]))), missingPart);
  });
});

describe('an address out of data', () => {
  test('is the 32 bytes at its offset, all of which must be there', () => {
    const at = freshAddress();
    const held = freshAddress();
    const data = accountOf(systemProgram, [1, 2, 3, ...addressToBytes(held)]);
    const [, found] = extrasOf(resolve(hookListOf(literalEntry(at), hookEntry([2, 2, 5, 3])), [[at, data]]));
    assert.equal((found as { address: string }).address, held);
    assert.deepEqual(resolve(hookListOf(literalEntry(at), hookEntry([2, 2, 5, 4])), [[at, data]]), missingPart);
    assert.deepEqual(resolve(hookListOf(hookEntry([2, 1, 0]))), missingPart);
    assert.deepEqual(resolve(hookListOf(hookEntry([2, 2, 5, 0]))), missingPart);
  });

  test('is requested where the account was not read, and impossible where it does not exist', () => {
    const at = freshAddress();
    const list = hookListOf(literalEntry(at), hookEntry([2, 2, 5, 0]));
    assert.deepEqual(resolve(list), { needs: [at] });
    const unresolvable = { kind: 'account_not_found', account: at };
    assert.deepEqual(resolve(list, [[at, null]]), { unresolvable });
  });
});
