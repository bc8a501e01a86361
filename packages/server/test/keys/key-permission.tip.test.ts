import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sol, type TransferRequest, toAddress, validateTransferRequest } from 'splwright-core';
import { type KeyRestrictions, unrestricted } from '../../src/keys/authenticated-key.ts';
import { assertKeyAllows } from '../../src/keys/key-permission.ts';
import { isAppError } from '../../src/problems.ts';
import { alice, bob, usdc } from '../app/sample-bodies.ts';

const account = '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC';

function tipped(): TransferRequest {
  const inputs = { from: alice, to: bob, mint: usdc, amount: '1', createTokenAccount: 'never' } as const;
  const { request } = validateTransferRequest({ ...inputs, tip: { account, lamports: '1' } });
  return request ?? assert.fail('the request is sound');
}

function refused(restrictions: Partial<KeyRestrictions>): string[] {
  try {
    assertKeyAllows({ ...unrestricted, ...restrictions }, 'transfer', { transfer: tipped() }, 1n);
    return [];
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.findings.map(({ pointer }) => pointer);
  }
}

test('A key that may not move SOL pays no tip, and one with recipients tips only these', () => {
  assert.deepEqual(refused({}), []);
  assert.deepEqual(refused({ mints: new Set([usdc]) }), ['/tip']);
  assert.deepEqual(refused({ mints: new Set([usdc, sol]) }), []);
  assert.deepEqual(refused({ amounts: new Map([[toAddress(usdc), { perTransfer: 5n, perDay: null }]]) }), ['/tip']);
  assert.deepEqual(refused({ toAddresses: new Set([bob]) }), ['/tip/account']);
  assert.deepEqual(refused({ toAddresses: new Set([bob, account]) }), []);
});
