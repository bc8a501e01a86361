import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  decodeHookAccountList,
  executeDiscriminator,
  type HookAddressSource,
} from '../../src/plan/resolve-hook-accounts.ts';
import { hookEntry, hookListOf } from '../hook-lists.ts';

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

describe('an address comes from', () => {
  test('32 bytes of the entry', () => {
    assert.deepEqual(sourceOf(0, thirtyTwoBytes), { kind: 'literal', bytes: Uint8Array.from(thirtyTwoBytes) });
  });

  test('the data of the instruction or of an account', () => {
    assert.deepEqual(sourceOf(2, [1, 7, 8]), { kind: 'instruction_data', index: 7 });
    assert.deepEqual(sourceOf(2, [2, 7, 8]), { kind: 'account_data', accountIndex: 7, dataIndex: 8 });
    for (const kind of [0, 3, 255]) assert.equal(sourceOf(2, [kind, 7, 8]), undefined);
  });

  test('seeds, under the hook or under a program among the accounts', () => {
    const seeds = [{ kind: 'account_key', index: 5 }];
    assert.deepEqual(sourceOf(1, [3, 5]), { kind: 'hook_pda', seeds });
    assert.deepEqual(sourceOf(128, [3, 5]), { kind: 'account_pda', programIndex: 0, seeds });
    assert.deepEqual(sourceOf(255, [3, 5]), { kind: 'account_pda', programIndex: 127, seeds });
    for (const discriminator of [3, 127]) assert.equal(sourceOf(discriminator, [3, 5]), undefined);
    for (const discriminator of [1, 128]) assert.equal(sourceOf(discriminator, [9]), undefined);
  });
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
