import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import type { Address } from '../../src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import {
  batchAccountsToRead,
  batchTokenAccountsOf,
  deriveBatchTokenAccounts,
  resolveTransfers,
  walletsOfBatch,
} from '../../src/batch/batch-facts.ts';
import type { BatchRequest } from '../../src/batch/batch-request.ts';
import { hookValidationAddress } from '../../src/plan/resolve-hook-accounts.ts';
import type { DecimalAmount } from '../../src/request/amount.ts';
import { freshAddress, memoOf, plainMint } from '../fixtures.ts';
import { batchRequestOf, decideBatchIn } from './batch-scene.ts';
import { addressAt, batchFrom } from './random-batches.ts';

// The second recipient is paid twice.
const { request } = batchFrom(
  [1, 2, 2].map((recipient) => ({ recipient, exists: true, amount: 1, memo: undefined, references: [] })),
  { version: 0, createTokenAccount: 'if_missing', priorityFee: undefined, isSponsored: true, hasNonce: true },
);
const { from, mint, feePayer, nonceAccount } = request;
const [one, other] = [addressAt(10_001), addressAt(10_002)];
const under = (program: Address) => deriveBatchTokenAccounts(request, program);
const accountOf = (owner: Address, program: Address): Address =>
  findAssociatedTokenAddress({ owner, mint, tokenProgram: program }).address;

describe('the accounts of a batch', () => {
  it('are those of its sender and of each transfer, in the order of the transfers', () => {
    const derived = under(token2022Program);
    assert.equal(derived.tokenProgram, token2022Program);
    const owners = [from, one, other, other].map((owner) =>
      findAssociatedTokenAddress({ owner, mint, tokenProgram: token2022Program }),
    );
    assert.deepEqual([{ address: derived.sender, bump: derived.senderBump }, ...derived.recipients], owners);
    assert.deepEqual(
      batchTokenAccountsOf(derived),
      [from, one, other].map((owner) => accountOf(owner, token2022Program)),
    );
  });

  it('without which nothing is decided are the mint, the sysvars and every wallet once', () => {
    const always = [mint, from, feePayer, rentSysvar, clockSysvar];
    assert.deepEqual(walletsOfBatch(request), [...always, nonceAccount, one, other]);
    const plain: BatchRequest = { ...request, feePayer: from, nonceAccount: undefined };
    assert.deepEqual(walletsOfBatch(plain), [mint, from, rentSysvar, clockSysvar, one, other]);
  });

  it('are read under both token programs while the mint is not known, and then under its own, with its hook', () => {
    const wallets = walletsOfBatch(request);
    const accountsUnder = (program: Address) => [from, one, other].map((owner) => accountOf(owner, program));
    assert.deepEqual(batchAccountsToRead(request, undefined), [
      ...wallets,
      ...accountsUnder(tokenProgram),
      ...accountsUnder(token2022Program),
    ]);
    const plain = { tokenProgram, transferHookProgram: undefined };
    assert.deepEqual(batchAccountsToRead(request, plain), [...wallets, ...accountsUnder(tokenProgram)]);
    const hook = addressAt(5);
    assert.deepEqual(batchAccountsToRead(request, { tokenProgram: token2022Program, transferHookProgram: hook }), [
      ...wallets,
      ...accountsUnder(token2022Program),
      hook,
      hookValidationAddress(mint, hook),
    ]);
  });
});

function resolved(amounts: readonly (bigint | DecimalAmount)[], decimals = 6) {
  const request = batchRequestOf(amounts.map((amount) => ({ amount })));
  const { payees, faults } = resolveTransfers(request, { ...plainMint, decimals });
  assert.deepEqual(
    payees.map(({ to, field }) => ({ to, field })),
    request.transfers.map(({ to }, index) => ({ to, field: { transfer: index, part: 'to' } })),
  );
  return { amounts: payees.map(({ amount }) => amount), faults: [...faults] };
}

describe('the base units of the transfers of a batch', () => {
  const oneAndAHalf = { digits: 15n, fractionDigits: 1 };

  test('are those that are given, or those of a decimal amount', () => {
    assert.deepEqual(resolved([7n, oneAndAHalf, 8n]), { amounts: [7n, 1_500_000n, 8n], faults: [] });
    assert.deepEqual(resolved([oneAndAHalf], 1), { amounts: [15n], faults: [] });
  });

  test('are nothing where a decimal amount has none, which is said of its transfer', () => {
    const fault = { kind: 'too_many_digits', fractionDigits: 1 };
    assert.deepEqual(resolved([7n, oneAndAHalf], 0), { amounts: [7n, 0n], faults: [[1, fault]] });
    const tooLarge = { digits: 10n ** 19n, fractionDigits: 0 };
    assert.deepEqual(resolved([tooLarge, 7n]), {
      amounts: [0n, 7n],
      faults: [[0, { kind: 'too_large', max: 2n ** 64n - 1n }]],
    });
  });

  test('leave each transfer its memo and its references', () => {
    const parts = { memo: memoOf('its own'), references: [freshAddress()] };
    for (const amount of [7n, oneAndAHalf]) {
      for (const decimals of [0, 6]) {
        const request = batchRequestOf([{ amount, ...parts }]);
        const [payee] = resolveTransfers(request, { ...plainMint, decimals }).payees;
        assert.deepEqual([payee?.memo, payee?.references], [parts.memo, parts.references]);
      }
    }
  });
});

test('an amount without base units is told of its own transfer, the first and the last included', async () => {
  const finer = { amount: { digits: 1n, fractionDigits: 7 } };
  const decision = await decideBatchIn(batchRequestOf([finer, {}, finer]));
  assert.ok('findings' in decision);
  assert.deepEqual(
    decision.findings.map(({ code, field }) => [code, field]),
    [0, 2].map((transfer) => ['amount_not_representable', { transfer, part: 'amountDecimal' }]),
  );
});
