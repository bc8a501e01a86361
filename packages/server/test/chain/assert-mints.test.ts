import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../../core/src/accounts/account.ts';
import { token2022Program, tokenProgram } from '../../../core/src/addresses/programs.ts';
import { assertMints } from '../../src/chain/chain-requests.ts';
import { isAppError } from '../../src/problems.ts';

/** A Token-2022 mint with one extension. */
function mintWith(type: number, value: Uint8Array, owner = token2022Program): Account {
  const header = [type, 0, value.length, 0];
  const data = Uint8Array.from([...Array(165).fill(0), 1, ...header, ...value]);
  data.set([6, 1], 44);
  return { owner, lamports: 1n, data, executable: false };
}

/** A fee configuration with the basis points of the older and the newer fee. */
function fees(older: number, newer: number): Uint8Array {
  const value = new Uint8Array(108);
  const view = new DataView(value.buffer);
  view.setUint16(72 + 16, older, true);
  view.setUint16(90 + 16, newer, true);
  return value;
}

const isFault = (error: unknown): boolean => isAppError(error, 'upstream_error');

test('an extension of another size than its type has is the upstream’s fault, at any index', () => {
  assertMints([null, mintWith(3, new Uint8Array(32)), mintWith(19, new Uint8Array(7))]);
  assert.throws(() => assertMints([null, mintWith(3, new Uint8Array(31))]), isFault);
  assert.throws(() => assertMints([mintWith(3, new Uint8Array(31))]), /type 3 with 31 bytes instead of 32/);
});

test('a fee above all of a transfer is the upstream’s fault, the older and the newer one', () => {
  assertMints([mintWith(1, fees(10_000, 10_000)), mintWith(1, fees(0, 0))]);
  assert.throws(() => assertMints([mintWith(1, fees(10_001, 0))]), isFault);
  assert.throws(() => assertMints([mintWith(1, fees(0, 10_001))]), isFault);
});

test('an account that is no mint of Token-2022 is not looked at', () => {
  const account = mintWith(3, new Uint8Array(31));
  assertMints([
    { ...account, owner: tokenProgram },
    { ...account, data: account.data.with(165, 2) },
  ]);
});
