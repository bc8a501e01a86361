import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../src/accounts/account.ts';
import { type Address, sol } from '../../src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import { tokenProgram } from '../../src/addresses/programs.ts';
import { validateBatchRequest } from '../../src/batch/validate-batch-request.ts';
import { finish } from '../../src/plan/steps.ts';
import { freshWallet, mintAccount, tokenAccount, walletAccount } from '../fixtures.ts';
import { batchRequestOf, decideBatchIn, findingsIn, foundIn } from './batch-scene.ts';

const other = freshWallet();
const [alice, bob, carol] = [freshWallet(), freshWallet(), freshWallet()];
const ofOther = (mint: Address, owner: Address, amount = 1_000n): readonly [Address, Account] => {
  const { address } = findAssociatedTokenAddress({ owner, tokenProgram, mint });
  return [address, tokenAccount(mint, owner, { amount })];
};

const request = batchRequestOf([{ to: alice }, { to: bob, mint: other }, { to: carol, mint: sol }, { to: bob }]);
const others = [[other, mintAccount({ decimals: 2 })], ofOther(other, request.from), ofOther(other, bob)] as const;

describe('a batch of several mints', () => {
  it('pays each mint by transactions of its own, and all of it in the order of the request', () => {
    const decision = decideBatchIn(request, { others });
    assert.ok('transactions' in decision);
    const made = decision.transactions.map(({ plan, transfers }) => [plan.mint, transfers]);
    assert.deepEqual(made, [
      [request.mint, [0, 3]],
      [other, [1]],
      [sol, [2]],
    ]);
    assert.equal(decision.lowerBound, 3);
    assert.deepEqual(
      decision.parts.map(({ mint, indices }) => [mint.decimals, indices]),
      [
        [6, [0, 3]],
        [2, [1]],
        [9, [2]],
      ],
    );
  });

  it('asks for what is not read of any of them in one round', () => {
    const unread = [...others.map(([address]) => address), alice];
    const decision = decideBatchIn(request, { others, unread });
    assert.ok('needs' in decision);
    assert.deepEqual(new Set(decision.needs), new Set([other, alice]));
  });

  it('is refused for what its sender has too little of', () => {
    const poor = [...others, ofOther(other, request.from, 99n)];
    const [finding, ...more] = findingsIn(request, { others: poor });
    assert.ok(finding?.code === 'insufficient_token_balance');
    assert.deepEqual([finding.context.mint, finding.context.available, more.length], [other, 99n, 0]);
  });

  it('is refused for a mint that cannot be used at every transfer that names it, beside what is wrong with others', () => {
    const transfers = request.transfers.map((each, index) => (index === 3 ? { ...each, mint: other } : each));
    const unusable = [
      [other, walletAccount(1n)],
      [alice, mintAccount()],
    ] as const;
    assert.deepEqual(foundIn({ ...request, transfers }, { others: unusable }), [
      ['not_a_mint', { transfer: 1, part: 'mint' }],
      ['not_a_mint', { transfer: 3, part: 'mint' }],
      ['recipient_is_mint', { transfer: 0, part: 'to' }],
    ]);
    assert.deepEqual(foundIn(request, { mint: null, others }), [['mint_not_found', 'mint']]);
  });

  it('takes fees, rent and SOL of the same wallet', () => {
    const minimum = 890_880n;
    const paid = { ...request, transfers: request.transfers.map((each) => ({ ...each, amount: 100n })) };
    const withLamports = (lamports: bigint) => [...others, [request.from, walletAccount(lamports)] as const];
    assert.deepEqual(foundIn(paid, { others: withLamports(15_100n + minimum) }), []);
    assert.deepEqual(foundIn(paid, { others: withLamports(15_099n + minimum) }), [['insufficient_sol', 'from']]);
  });

  it('lets a sender be emptied of SOL by one transaction whatever it sends by the others', () => {
    const feePayer = freshWallet();
    const sends = (amount: bigint, held = 1_000_000n) => {
      const emptied = [...others, [request.from, walletAccount(held)] as const];
      const transfers = request.transfers.map((each) => (each.mint === sol ? { ...each, amount } : each));
      return foundIn({ ...request, feePayer, transfers }, { others: emptied });
    };
    assert.deepEqual([sends(1_000_000n), sends(7n, 7n)], [[], []]);
    assert.deepEqual(sends(999_999n), [['insufficient_sol', 'from']]);
  });

  it('lives by no nonce, of which each transaction would need one', () => {
    const nonceAccount = freshWallet();
    assert.ok(
      foundIn({ ...request, nonceAccount }, { others: [...others, [nonceAccount, null]] }).some(
        ([code]) => code === 'nonce_for_several_transactions',
      ),
    );
  });

  it('is read with the mint of each transfer, whose faults are told at the transfer', () => {
    const texts = { from: request.from, mint: request.mint, createTokenAccount: 'if_missing' } as const;
    const read = (...mints: (string | undefined)[]) =>
      finish(validateBatchRequest({ ...texts, transfers: mints.map((mint) => ({ to: alice, amount: '5', mint })) }));
    const { request: made } = read(undefined, sol, other);
    assert.deepEqual(
      made?.transfers.map(({ mint }) => mint),
      [undefined, sol, other],
    );
    const { findings, known } = read(undefined, 'sol');
    assert.deepEqual(
      findings.map(({ code, field }) => [code, field]),
      [['invalid_address', { transfer: 1, part: 'mint' }]],
    );
    assert.deepEqual(known?.indices, [0]);
  });
});
