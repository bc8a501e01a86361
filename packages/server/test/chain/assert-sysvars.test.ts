import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../../core/src/accounts/account.ts';
import { clockSysvar, rentSysvar } from '../../../core/src/accounts/sysvars.ts';
import { systemProgram } from '../../../core/src/addresses/programs.ts';
import { ChainHead } from '../../src/chain/chain-head.ts';
import { assertSysvars } from '../../src/chain/chain-requests.ts';
import { isAppError } from '../../src/problems.ts';

const head = new ChainHead({ hasSeveralUpstreams: true, now: () => 0 });
const isFault = (error: unknown): boolean => isAppError(error, 'upstream_error');

function account(data: Uint8Array): Account {
  return { owner: systemProgram, lamports: 1n, data, executable: false };
}

function rent(years: number, length = 17): Account {
  const data = new Uint8Array(17);
  new DataView(data.buffer).setBigUint64(0, 3480n, true);
  new DataView(data.buffer).setFloat64(8, years, true);
  return account(data.subarray(0, length));
}

function clock(slot: bigint, length = 40): Account {
  const data = new Uint8Array(40);
  new DataView(data.buffer).setBigUint64(0, slot, true);
  return account(data.subarray(0, length));
}

function check(rentAccount: Account | null, clockAccount: Account | null): void {
  const accounts = [null, rentAccount, clockAccount];
  assertSysvars([systemProgram, rentSysvar, clockSysvar], { slot: 1_000n, accounts }, head);
}

test('whole sysvars pass, and those that were not asked for are not missed', () => {
  check(rent(2), clock(1_000n));
  assertSysvars([systemProgram], { slot: 1_000n, accounts: [null] }, head);
});

test('a sysvar that is missing or cut short is a fault', () => {
  assert.throws(() => check(null, clock(1_000n)), isFault);
  assert.throws(() => check(rent(2), null), isFault);
  assert.throws(() => check(rent(2, 16), clock(1_000n)), isFault);
  assert.throws(() => check(rent(2), clock(1_000n, 39)), isFault);
});

test('a rent of no network and a clock of another slot are faults', () => {
  assert.throws(() => check(rent(-1), clock(1_000n)), isFault);
  check(rent(2), clock(1_150n));
  check(rent(2), clock(850n));
  assert.throws(() => check(rent(2), clock(1_151n)), isFault);
  assert.throws(() => check(rent(2), clock(849n)), isFault);
});
