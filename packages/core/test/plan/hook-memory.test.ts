import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HookExtraAccount, type HookSeed, maxExtraAccounts } from '../../src/plan/resolve-hook-accounts.ts';

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

test('what is bound without a memo is bound with one', () => {
  assert.equal(maxExtraAccounts([fixed], { referenceCount: 3, demandedMemoBytes: 100 }), 14);
  assert.equal(maxExtraAccounts([derived([25])], { referenceCount: 0, demandedMemoBytes: 100 }), 14);
});
