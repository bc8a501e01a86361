import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unrestricted } from '../../src/keys/authenticated-key.ts';
import { assertKeyAllows } from '../../src/keys/key-permission.ts';
import { isAppError } from '../../src/problems.ts';
import { paths } from '../../src/transfers/transfer-schema.ts';
import { readTransfer } from '../app/read-bodies.ts';
import { createBody, usdc } from '../app/sample-bodies.ts';

const { amount: _, ...body } = createBody;
// Off the curve.
const vault = 'EeJVGL6icXNRaXA5e1T7556u2bosmaPtjMH66Ka73wpG';
const wrappedSol = 'So11111111111111111111111111111111111111112';

function refused(act: () => unknown): string[] {
  try {
    act();
    return [];
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.findings.map(({ code, pointer }) => `${code} ${pointer}`);
  }
}

test('A transfer takes one amount, in any of its forms, which the older operations do not know', () => {
  const read = (amounts: object, path: Parameters<typeof readTransfer>[0] = paths.transfers) =>
    refused(() => readTransfer(path, { ...body, ...amounts }));
  assert.deepEqual(read({ amount_received: '5' }), []);
  assert.deepEqual(read({ amount_received_decimal: '1.5' }), []);
  assert.deepEqual(read({ amount_received_decimal: '1,5' }), ['invalid_amount /amount_received_decimal']);
  const both = { amount: '5', amount_received: '5' };
  assert.deepEqual(read(both), ['amount_and_amount_decimal /amount_received']);
  assert.deepEqual(read({}), ['amount_or_amount_decimal_required ']);
  assert.deepEqual(read(both, paths.createTransfer), ['unknown_field /amount_received']);
});

test('A key is held to its limits by what is sent, and the refusal names the field that was sent', () => {
  const restrictions = { ...unrestricted, amounts: new Map([[usdc, { perTransfer: 5n, perDay: null }]]) };
  const asked = readTransfer(paths.transfers, { ...body, amount_received: '5' });
  assert.deepEqual(
    refused(() => assertKeyAllows(restrictions, 'transfer', asked, 6n)),
    ['key_not_allowed /amount_received'],
  );
});

test('Wrapping is for wrapped SOL, and not for a sponsor, all there is, or the older operations', () => {
  const read = (more: object, path: Parameters<typeof readTransfer>[0] = paths.transfers) =>
    refused(() => readTransfer(path, { ...body, amount: '5', token_mint_address: wrappedSol, ...more }));
  assert.deepEqual(read({ wrap: true, unwrap: true }), []);
  assert.deepEqual(read({ wrap: true, fee_payer: 'sponsor' }), ['invalid_value /wrap']);
  assert.deepEqual(read({ wrap: true, amount: 'max' }), ['invalid_value /wrap']);
  assert.deepEqual(read({ unwrap: true, amount: 'max' }), []);
  const other = { wrap: true, unwrap: true, token_mint_address: usdc };
  assert.deepEqual(read(other), ['invalid_value /wrap', 'invalid_value /unwrap']);
  assert.deepEqual(read({ wrap: true, layout: 'mpp' }), ['layout_conflict /wrap']);
  assert.deepEqual(read({ wrap: true }, paths.createTransfer), ['unknown_field /wrap']);
  const ofVault = { from_address: vault, allow_off_curve_sender: true, wrap: true, unwrap: true };
  assert.deepEqual(read(ofVault), ['invalid_value /wrap', 'invalid_value /unwrap']);
});
