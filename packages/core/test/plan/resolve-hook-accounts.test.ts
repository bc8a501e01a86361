import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { PublicKey } from '@solana/web3.js';
import type { Account } from '../../src/accounts/account.ts';
import { type Address, addressToBytes } from '../../src/addresses/address.ts';
import { systemProgram } from '../../src/addresses/programs.ts';
import {
  decodeHookAccountList,
  executeDiscriminator,
  type HookAddressSource,
  type HookExtraAccount,
  type HookedTransfer,
  type HookResolution,
  type HookSeed,
  hookValidationAddress,
  maxExtraAccounts,
  resolveHookAccounts,
} from '../../src/plan/resolve-hook-accounts.ts';
import { role } from '../../src/transaction/instruction.ts';
import { accountOf, freshAddress } from '../fixtures.ts';
import { hookEntry, hookListOf, literalEntry } from '../hooks.ts';

const transfer: HookedTransfer = {
  hookProgram: freshAddress(),
  source: freshAddress(),
  mint: freshAddress(),
  destination: freshAddress(),
  authority: freshAddress(),
  signers: [freshAddress(), freshAddress(), freshAddress()],
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
});

describe('the rights of an extra account', () => {
  const extra = freshAddress();

  test('are those that the list asks for where the account is new', () => {
    const [readonly] = extrasOf(resolve(hookListOf(literalEntry(extra))));
    assert.deepEqual(readonly, { address: extra, signer: false, writable: false });
    const [writable] = extrasOf(resolve(hookListOf(literalEntry(extra, 0, 1))));
    assert.deepEqual(writable, { address: extra, signer: false, writable: true });
  });

  test('of a signer that is not an account of the transfer make it impossible', () => {
    const unresolvable = { kind: 'signature_demanded', signer: extra };
    assert.deepEqual(resolve(hookListOf(literalEntry(extra, 1))), { unresolvable });
  });

  test('of a signer of the transaction are refused, whether or not the list asks for the signature', () => {
    for (const signer of transfer.signers) {
      for (const isAsked of [0, 1]) {
        const unresolvable = { kind: 'signer_named', signer };
        assert.deepEqual(resolve(hookListOf(literalEntry(signer, isAsked, 1))), { unresolvable });
      }
    }
  });

  test('are not raised where the transfer already has the account', () => {
    for (const own of [transfer.destination, transfer.source, transfer.mint]) {
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

function sourceOf(discriminator: number, config: readonly number[]): HookAddressSource | undefined {
  return decodeHookAccountList(hookListOf(hookEntry([discriminator, ...config])))?.[0]?.source;
}

const thirtyTwoBytes = Array.from({ length: 32 }, (_, index) => index + 1);

test('the type of the list is the hash of its name', () => {
  const hash = createHash('sha256').update('spl-transfer-hook-interface:execute').digest();
  assert.deepEqual([...executeDiscriminator], [...hash.subarray(0, 8)]);
});

describe('a list', () => {
  test('may be empty, and may end before its account does', () => {
    assert.deepEqual(decodeHookAccountList(hookListOf()), []);
    const list = hookListOf(hookEntry([0, ...thirtyTwoBytes]));
    assert.equal(decodeHookAccountList(Uint8Array.from([...list, 0]))?.length, 1);
  });

  test('is undefined with another type, or when it is cut short anywhere', () => {
    const list = hookListOf(hookEntry([0, ...thirtyTwoBytes]), hookEntry([0, ...thirtyTwoBytes]));
    assert.equal(decodeHookAccountList(list)?.length, 2);
    for (let index = 0; index < 8; index++) {
      const changed = Uint8Array.from(list);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.equal(decodeHookAccountList(changed), undefined, `byte ${index}`);
    }
    for (let length = 0; length < list.length; length++) {
      assert.equal(decodeHookAccountList(list.subarray(0, length)), undefined, `${length} bytes`);
    }
  });

  test('is undefined when one of its entries cannot be read', () => {
    assert.equal(decodeHookAccountList(hookListOf(hookEntry([0, ...thirtyTwoBytes]), hookEntry([2, 3]))), undefined);
  });

  test('keeps the order and the flags of its entries, where only a 1 sets a flag', () => {
    const flags = decodeHookAccountList(
      hookListOf(
        hookEntry([0, ...thirtyTwoBytes], 1, 0),
        hookEntry([0, ...thirtyTwoBytes], 0, 1),
        hookEntry([0, ...thirtyTwoBytes], 2, 1),
        hookEntry([0, ...thirtyTwoBytes], 1, 2),
      ),
    )?.map(({ signer, writable }) => [signer, writable]);
    assert.deepEqual(flags, [
      [true, false],
      [false, true],
      [false, true],
      [true, false],
    ]);
  });
});

test('an address comes from the entry, from data, or from seeds', () => {
  const seeds = [{ kind: 'account_key', index: 5 }];
  for (const [discriminator, config, source] of [
    [0, thirtyTwoBytes, { kind: 'literal', bytes: Uint8Array.from(thirtyTwoBytes) }],
    [1, [3, 5], { kind: 'hook_pda', seeds }],
    [1, [9], undefined],
    [2, [1, 7, 8], { kind: 'instruction_data', index: 7 }],
    [2, [2, 7, 8], { kind: 'account_data', accountIndex: 7, dataIndex: 8 }],
    [2, [0, 7, 8], undefined],
    [2, [3, 7, 8], undefined],
    [3, [3, 5], undefined],
    [127, [3, 5], undefined],
    [128, [3, 5], { kind: 'account_pda', programIndex: 0, seeds }],
    [128, [9], undefined],
    [255, [3, 5], { kind: 'account_pda', programIndex: 127, seeds }],
  ] as const) {
    assert.deepEqual(sourceOf(discriminator, config), source);
  }
});

describe('seeds', () => {
  const seedsOf = (...config: number[]): unknown => {
    const source = sourceOf(1, config);
    return source && 'seeds' in source ? source.seeds : undefined;
  };

  test('are read one after the other, each kind with its own length', () => {
    assert.deepEqual(seedsOf(1, 2, 70, 71, 2, 8, 9, 3, 4, 4, 5, 6, 7, 1, 0, 3, 2), [
      { kind: 'literal', bytes: Uint8Array.of(70, 71) },
      { kind: 'instruction_data', index: 8, length: 9 },
      { kind: 'account_key', index: 4 },
      { kind: 'account_data', accountIndex: 5, dataIndex: 6, length: 7 },
      { kind: 'literal', bytes: new Uint8Array() },
      { kind: 'account_key', index: 2 },
    ]);
  });

  test('end at a 0, which may come first', () => {
    assert.deepEqual(seedsOf(0, 3, 4), []);
    assert.deepEqual(seedsOf(3, 4, 0, 3, 5), [{ kind: 'account_key', index: 4 }]);
  });

  test('of an unknown kind are undefined', () => {
    assert.equal(seedsOf(5, 1), undefined);
    assert.equal(seedsOf(3, 4, 5), undefined);
  });

  test('fill the 32 bytes at most', () => {
    assert.deepEqual(seedsOf(1, 30, ...thirtyTwoBytes.slice(2)), [
      { kind: 'literal', bytes: Uint8Array.from(thirtyTwoBytes.slice(2)) },
    ]);
    assert.equal(seedsOf(1, 31, ...thirtyTwoBytes.slice(2)), undefined);
    const sixteenKeys = seedsOf(...Array.from({ length: 16 }, () => [3, 1]).flat());
    assert.ok(Array.isArray(sixteenKeys) && sixteenKeys.length === 16);
    // The last one lacks its arguments.
    for (const kind of [2, 3, 4]) assert.equal(seedsOf(1, 29, ...Array(29).fill(7), kind), undefined);
  });
});

// That these bounds are those of the program, test/judge shows.

const fixed: HookExtraAccount = {
  source: { kind: 'literal', bytes: new Uint8Array(32) },
  signer: false,
  writable: false,
};

/** An extra account whose address is derived from literals of so many bytes and from so many keys. */
function derived(literals: readonly number[], keys = 0): HookExtraAccount {
  const seeds: HookSeed[] = literals.map((length) => ({ kind: 'literal', bytes: new Uint8Array(length) }));
  for (let count = 0; count < keys; count++) seeds.push({ kind: 'account_key', index: 0 });
  return { ...fixed, source: { kind: 'hook_pda', seeds } };
}

test('seeds and references take room from the extra accounts of a hook', () => {
  for (const [list, referenceCount, most] of [
    [[], 0, 15],
    [[fixed], 2, 15],
    [[fixed], 3, 14],
    [[derived([], 4)], 2, 15],
    [[derived([], 5)], 0, 13],
    [[derived([], 8)], 10, 13],
    [[derived([], 9)], 0, 11],
    [[derived([], 9), derived([], 1)], 0, 11],
    [[derived([24])], 0, 15],
    [[derived([24], 1)], 0, 15],
    [[derived([25])], 0, 14],
    [[derived([24])], 1, 14],
    [[derived([8])], 2, 15],
    [[derived([9])], 2, 14],
    [[derived([1, 1, 1])], 0, 15],
    [[derived([1, 1, 1, 1])], 0, 14],
    [[fixed, derived([25]), fixed], 0, 14],
    [[derived([24]), derived([24])], 0, 15],
  ] as const) {
    const found = maxExtraAccounts(list, { referenceCount, demandedMemoBytes: 0 });
    assert.equal(found, most, JSON.stringify([list, referenceCount]));
  }
});

test('a memo that is demanded takes more of it: an extra account for each 1,300 bytes beyond 1,000', () => {
  for (const [extra, most] of [
    [fixed, 15],
    [derived([], 1), 14],
    [derived([], 4), 14],
    [derived([], 5), 13],
    [derived([], 8), 13],
    [derived([], 9), 11],
  ] as const) {
    for (const [demandedMemoBytes, referenceCount, fewer] of [
      [1, 0, 0],
      [1_000, 0, 0],
      [1_001, 0, 1],
      [2_300, 0, 1],
      [2_301, 0, 2],
      [3_601, 0, 3],
      [940, 1, 0],
      [941, 1, 1],
      [880, 2, 0],
      [881, 2, 1],
    ] as const) {
      const found = maxExtraAccounts([extra], { referenceCount, demandedMemoBytes });
      assert.equal(found, most - fewer, JSON.stringify([extra, demandedMemoBytes, referenceCount]));
    }
  }
});
