import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../src/accounts/account.ts';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import { type Address, addressToBytes } from '../../src/addresses/address.ts';
import { findProgramDerivedAddress } from '../../src/addresses/derived-addresses.ts';
import { tokenProgram } from '../../src/addresses/programs.ts';
import { checkTransfersOfBatch, decideBatch } from '../../src/batch/decide-batch.ts';
import { validateBatchRequest } from '../../src/batch/validate-batch-request.ts';
import { deriveTokenAccounts } from '../../src/plan/transfer-facts.ts';
import type { BatchRequest } from '../../src/request/transfer-request.ts';
import { accountOf, freshWallet, memoOf } from '../fixtures.ts';
import { hookEntry, hookScene } from '../hooks.ts';
import { type BatchScene, batchRequestOf, decideBatchIn, factsIn, findingsIn, foundIn } from './batch-scene.ts';

const [one, other] = [freshWallet(), freshWallet()];
const request = batchRequestOf([{ to: one }, { to: other }], { feePayer: freshWallet() });
const { mint, feePayer } = request;

function tokenAccountsOf(batch: BatchRequest): readonly Address[] {
  const { sender, recipients } = deriveTokenAccounts(batch, tokenProgram);
  return [sender, ...recipients].map(({ address }) => address);
}

describe('what must be read before a batch is decided', () => {
  it('is nothing that helps where there is no such sysvar', () => {
    for (const sysvar of [rentSysvar, clockSysvar]) {
      assert.deepEqual(decideBatchIn(request, { others: [[sysvar, null]] }), { needs: [] });
    }
  });

  it('is the accounts of the hook for every transfer, each once', () => {
    const hookProgram = freshWallet();
    // The first account is derived from the wallet that is paid; the address of the second stands in the data of the first.
    const list = [hookEntry([1, 4, 2, 32, 32]), hookEntry([2, 2, 5, 0])];
    const [ofOne, ofOther] = [one, other].map(
      (owner) => findProgramDerivedAddress(hookProgram, [addressToBytes(owner)]).address,
    );
    assert.ok(ofOne && ofOther);
    const sceneWith = (...read: readonly (readonly [Address, Account | null])[]): BatchScene =>
      hookScene(mint, hookProgram, list, ...read);
    const twice = { ...request, transfers: [...request.transfers, ...request.transfers] };
    assert.deepEqual(decideBatchIn(twice, sceneWith()), { needs: [ofOne, ofOther] });
    const pointing = accountOf(hookProgram, addressToBytes(freshWallet()));
    assert.deepEqual(decideBatchIn(request, sceneWith([ofOne, pointing])), { needs: [ofOther] });
    assert.deepEqual(findingsIn(request, sceneWith([ofOne, pointing], [ofOther, pointing])), []);
    assert.deepEqual(findingsIn(request, sceneWith([ofOne, pointing], [ofOther, null])), [
      {
        code: 'transfer_hook_unresolvable',
        field: { transfer: 1, part: 'to' },
        context: { mint, fault: { kind: 'account_not_found', account: ofOther } },
      },
    ]);
  });

  it('is, for a level of priority fees, what others paid for the accounts that are written, of which 64 are asked for', () => {
    const asked = { ...request, priorityFee: { level: 'low' } } as const;
    const accounts = tokenAccountsOf(request);
    assert.deepEqual(decideBatchIn(asked), { needsPricesFor: [feePayer, ...accounts] });
    assert.ok('transactions' in decideBatchIn(asked, { facts: { recentPrices: [] } }));
    const many = batchRequestOf(
      Array.from({ length: 70 }, () => ({})),
      { priorityFee: { level: 'low' } },
    );
    const all = [many.feePayer, ...tokenAccountsOf(many)];
    assert.equal(all.length, 72);
    assert.deepEqual(decideBatchIn(many), { needsPricesFor: all.slice(0, 64) });
  });

  it('is those prices also where a transfer fits into no transaction', () => {
    const asked = batchRequestOf([{}, { memo: memoOf('a'.repeat(1_200)) }], { priorityFee: { level: 'low' } });
    assert.ok('needsPricesFor' in decideBatchIn(asked));
    assert.deepEqual(foundIn(asked, { facts: { recentPrices: [] } }), [
      ['transaction_too_large', { transfer: 1, part: 'memo' }],
    ]);
  });
});

describe('work on a batch takes a step', () => {
  const count = 50;
  const batchWith = (...memos: readonly string[]) => {
    const memoAt = (index: number) => memos[Math.floor((index * memos.length) / count)];
    return batchRequestOf(Array.from({ length: count }, (_, index) => ({ memo: memoOf(memoAt(index) ?? '') })));
  };

  it('for each transfer that is parsed', () => {
    const transfers = Array.from({ length: count }, () => ({ to: freshWallet(), amount: '1' }));
    const inputs = { from: freshWallet(), mint: freshWallet(), createTokenAccount: 'always' as const, transfers };
    assert.equal([...validateBatchRequest(inputs)].length, count);
  });

  it('for each payment that is read', () => {
    const request = batchWith('a');
    assert.equal([...checkTransfersOfBatch(request, factsIn(request).read)].length, count);
  });

  it('for each transfer that is packed in one of two further orders, and for each transaction that is planned', () => {
    const request = batchWith('a'.repeat(250), 'b'.repeat(550));
    const decided = decideBatchIn(request);
    assert.ok('transactions' in decided);
    const steps = decideBatch(request, factsIn(request));
    assert.equal([...steps].length, 3 * count + decided.transactions.length);
  });

  it('for each transfer that is too large, of which it says why', () => {
    const request = batchWith('a'.repeat(1_200));
    assert.equal([...decideBatch(request, factsIn(request))].length, 2 * count);
  });
});
