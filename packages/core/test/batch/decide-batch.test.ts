import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { address } from '@solana/kit';
import { AccountState } from '@solana-program/token-2022';
import type { Address } from '../../src/addresses/address.ts';
import { findAssociatedTokenAddress, findProgramDerivedAddress } from '../../src/addresses/derived-addresses.ts';
import { systemProgram, token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { deriveTokenAccounts } from '../../src/plan/transfer-facts.ts';
import type { RequestedPayment } from '../../src/request/transfer-request.ts';
import { accountOf, freshWallet, memoOf, mintAccount, tokenAccount } from '../fixtures.ts';
import { hookEntry, hookScene } from '../hooks.ts';
import { batchRequestOf, decideBatchIn, findingsIn, foundIn } from './batch-scene.ts';

const request = batchRequestOf([{}, {}]);
const { from, mint } = request;
const accounts = deriveTokenAccounts(request, tokenProgram);

/** A scene in which the sender's token account is this one. */
const withSender = (parts: Parameters<typeof tokenAccount>[2]) => ({
  others: [[accounts.sender.address, tokenAccount(mint, from, parts)]] as const,
});

// So long that each transfer has a transaction of its own.
const apart = { memo: memoOf('a'.repeat(700)) };
const transactionsOf = (transfers: readonly Partial<RequestedPayment>[]): number => {
  const decision = decideBatchIn(batchRequestOf(transfers));
  assert.ok('transactions' in decision);
  return decision.transactions.length;
};

describe('a batch is refused', () => {
  it('for its mint alone where there is none', () => {
    assert.deepEqual(foundIn(request, { mint: null }), [['mint_not_found', 'mint']]);
  });

  it('where a fee payer is no wallet, without a word on its lamports', () => {
    assert.deepEqual(foundIn(request, { others: [[from, { ...accountOf(systemProgram, [1]), lamports: 0n }]] }), [
      ['sender_not_a_wallet', 'from'],
    ]);
  });

  it('where its amounts come to more than the balance, of which an amount without base units counts as none', () => {
    assert.deepEqual(foundIn(request, withSender({ amount: 200n })), []);
    assert.deepEqual(foundIn(request, withSender({ amount: 199n })), [['insufficient_token_balance', 'transfers']]);
    const [first, second] = request.transfers;
    assert.ok(first && second);
    const finer = { ...second, amount: { digits: 1n, fractionDigits: 7 } };
    assert.deepEqual(findingsIn({ ...request, transfers: [first, finer] }, withSender({ amount: 100n })), [
      {
        code: 'amount_not_representable',
        field: { transfer: 1, part: 'amountDecimal' },
        context: { mint, decimals: 6, fault: { kind: 'too_many_digits', fractionDigits: 7 } },
      },
    ]);
    const tokens = { ...second, amount: { digits: 1n, fractionDigits: 4 } };
    assert.deepEqual(foundIn({ ...request, transfers: [first, tokens] }, withSender({ amount: 200n })), []);
  });

  it('where its owner is its own delegate for less, in the one order there is, or in any', () => {
    const delegation = { delegate: address(from), delegatedAmount: 150n };
    const transfers = [{ amount: 150n }, { amount: 30n }];
    assert.equal(transactionsOf(transfers), 1);
    assert.equal(transactionsOf(transfers.map((each) => ({ ...each, ...apart }))), 2);
    const batchOf = (parts: object) => ({
      ...request,
      transfers: request.transfers.map((each, index) => ({ ...each, ...transfers[index], ...parts })),
    });
    assert.deepEqual(foundIn(batchOf({}), withSender(delegation)), []);
    assert.deepEqual(foundIn(batchOf(apart), withSender(delegation)), [['insufficient_token_balance', 'transfers']]);
  });

  it('for each recipient who cannot be paid', () => {
    const [one, other] = request.transfers;
    const [, second] = accounts.recipients;
    assert.ok(one && other && second);
    const frozen = tokenAccount(mint, other.to, { state: AccountState.Frozen });
    assert.deepEqual(
      foundIn(request, {
        others: [
          [one.to, mintAccount()],
          [second.address, frozen],
        ],
      }),
      [
        ['recipient_is_mint', { transfer: 0, part: 'to' }],
        ['recipient_token_account_frozen', { transfer: 1, part: 'to' }],
      ],
    );
  });

  it('where its nonce account cannot be used, or several transactions would need it', () => {
    const nonceAccount = freshWallet();
    const others: readonly (readonly [Address, null])[] = [[nonceAccount, null]];
    const notFound = ['nonce_account_not_found', 'nonceAccount'];
    assert.deepEqual(foundIn({ ...request, nonceAccount }, { others }), [notFound]);
    const two = { ...request, nonceAccount, transfers: request.transfers.map((each) => ({ ...each, ...apart })) };
    assert.deepEqual(findingsIn(two, { others }).slice(1), [
      {
        code: 'nonce_for_several_transactions',
        field: 'nonceAccount',
        context: { nonceAccount, transactionCount: 2 },
      },
    ]);
  });

  it('where the priority fee of the dearest transaction is more than the operator allows', () => {
    const dear = { ...request, priorityFee: { microLamportsPerComputeUnit: 10n ** 9n } };
    assert.deepEqual(foundIn(dear), [['priority_fee_too_high', 'priorityFee']]);
    assert.deepEqual(foundIn(dear, { facts: { maxPriorityFee: 10n ** 9n } }), []);
    assert.deepEqual(foundIn(request, { facts: { maxPriorityFee: 0n } }), []);
  });
});

describe('a batch that lands', () => {
  it('comes with what was read of it', () => {
    const { others } = withSender({ amount: 777n });
    const decision = decideBatchIn(request, { others });
    assert.ok('transactions' in decision);
    const [part] = decision.parts;
    assert.equal(part?.senderTokenAccount.state?.amount, 777n);
    assert.equal(part?.mint.decimals, 6);
    assert.deepEqual(
      part?.payments.map(({ to }) => to),
      request.transfers.map(({ to }) => to),
    );
  });

  it("has the hook's accounts for the amount of the sponsor's fee in each transaction", () => {
    const [hookProgram, sponsor, feePayer] = [freshWallet(), freshWallet(), freshWallet()];
    const fees = [7n, 9n];
    const apart = { memo: memoOf('a'.repeat(450)) };
    const asked = batchRequestOf([apart, apart], { mint, feePayer, sponsorFee: { mint, to: sponsor, amounts: fees } });
    const { address: paid } = findAssociatedTokenAddress({ owner: sponsor, mint, tokenProgram: token2022Program });
    // Derived from the bytes 8 to 16 of what the hook is called with, which are the amount.
    const scene = hookScene(
      mint,
      hookProgram,
      [hookEntry([1, 2, 8, 8])],
      [sponsor, accountOf(systemProgram)],
      [paid, tokenAccount(mint, sponsor, {}, token2022Program)],
    );
    const decision = decideBatchIn(asked, scene);
    assert.ok('transactions' in decision);
    assert.deepEqual(
      decision.transactions.map(({ plan }) => plan.sponsorFee?.payments[0]?.hookAccounts[0]?.address),
      fees.map(
        (fee) => findProgramDerivedAddress(hookProgram, [new Uint8Array(BigUint64Array.of(fee).buffer)]).address,
      ),
    );
  });
});
