import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish, sol, toAddress, validateBatchRequest, validateTransferRequest } from 'splwright-core';
import { type KeyRestrictions, unrestricted } from '../../src/keys/authenticated-key.ts';
import { assertKeyAllows, assertKeyAllowsBatch } from '../../src/keys/key-permission.ts';
import { isAppError } from '../../src/problems.ts';
import { alice, bob, usdc } from '../app/sample-bodies.ts';

const account = '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC';
const shared = { from: alice, createTokenAccount: 'never' } as const;

/** The fields that a key with these restrictions may not have. */
function refused(restrictions: Partial<KeyRestrictions>, assertAllowed: (whole: KeyRestrictions) => void): string[] {
  try {
    assertAllowed({ ...unrestricted, ...restrictions });
    return [];
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.findings.map(({ pointer }) => pointer);
  }
}

const ofTransfer = (restrictions: Partial<KeyRestrictions>, amount: bigint, mint: string, tip?: bigint) =>
  refused(restrictions, (whole) => {
    const tipped = tip && { tip: { account, lamports: `${tip}` } };
    const inputs = { ...shared, to: bob, mint, acceptsSol: true, amount: `${amount}`, ...tipped };
    const { request: transfer } = validateTransferRequest(inputs);
    assertKeyAllows(whole, 'transfer', { transfer: transfer ?? assert.fail('the request is sound') }, amount);
  });

/** Of a batch in USDC, with amounts of USDC and of SOL in turn. */
const ofBatch = (restrictions: Partial<KeyRestrictions>, ...amounts: readonly bigint[]) =>
  refused(restrictions, (whole) => {
    const transfers = amounts.map((amount, index) => {
      return { to: bob, amount: `${amount}`, ...(index % 2 === 1 && { mint: sol }) };
    });
    const { request } = finish(validateBatchRequest({ ...shared, mint: usdc, transfers }));
    assertKeyAllowsBatch(whole, { batch: request ?? assert.fail('it is sound'), sponsored: undefined }, amounts);
  });

const limited = (perTransfer: bigint | null, perDay: bigint | null) => ({
  amounts: new Map([
    [toAddress(usdc), { perTransfer: null, perDay: 100n }],
    [sol, { perTransfer, perDay }],
  ]),
});

test('A key that is limited to mints moves SOL where SOL is one of them', () => {
  assert.deepEqual(ofTransfer({ mints: new Set([usdc]) }, 5n, sol), ['/token_mint_address']);
  assert.deepEqual(ofTransfer({ mints: new Set([usdc, sol]) }, 5n, sol), []);
  assert.deepEqual(ofBatch({ mints: new Set([usdc]) }, 1n, 1n), ['/transfers/1/token_mint_address']);
  assert.deepEqual(ofBatch({ mints: new Set([sol]) }, 1n, 1n), ['/token_mint_address']);
  assert.deepEqual(ofBatch({ mints: new Set([usdc, sol]) }, 1n, 1n), []);
});

test('The limits of SOL are about lamports, those of a tip among them', () => {
  assert.deepEqual(ofTransfer(limited(9n, null), 10n, sol), ['/amount']);
  assert.deepEqual(ofTransfer(limited(9n, null), 9n, sol), []);
  assert.deepEqual(ofTransfer(limited(9n, null), 6n, sol, 4n), ['/amount']);
  assert.deepEqual(ofTransfer(limited(null, 9n), 100n, usdc, 10n), ['/tip/lamports']);
  assert.deepEqual(ofTransfer(limited(null, 9n), 100n, usdc, 9n), []);
});

test('A batch is held to the limits of each of its mints', () => {
  assert.deepEqual(ofBatch(limited(9n, null), 50n, 9n, 50n, 9n), []);
  assert.deepEqual(ofBatch(limited(9n, null), 50n, 10n, 50n, 9n), ['/transfers/1/amount']);
  assert.deepEqual(ofBatch(limited(null, 18n), 50n, 10n, 50n, 9n), ['/transfers']);
  assert.deepEqual(ofBatch(limited(null, 18n), 51n, 9n, 50n, 9n), ['/transfers']);
});
