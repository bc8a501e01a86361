import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../src/accounts/account.ts';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import { type Address, addressToBytes } from '../../src/addresses/address.ts';
import { findProgramDerivedAddress } from '../../src/addresses/derived-addresses.ts';
import { tokenProgram } from '../../src/addresses/programs.ts';
import { decideBatch } from '../../src/batch/decide-batch.ts';
import type { Pause } from '../../src/batch/pause.ts';
import { validateBatchRequest } from '../../src/batch/validate-batch-request.ts';
import { addressesOf, deriveTokenAccounts } from '../../src/plan/transfer-facts.ts';
import { accountOf, freshWallet, memoOf } from '../fixtures.ts';
import { hookEntry, hookScene } from '../hooks.ts';
import { type BatchScene, batchRequestOf, decideBatchIn, factsIn, findingsIn, foundIn } from './batch-scene.ts';

const [one, other] = [freshWallet(), freshWallet()];
const request = batchRequestOf([{ to: one }, { to: other }], { feePayer: freshWallet() });
const { mint, feePayer } = request;

describe('what must be read before a batch is decided', () => {
  it('is nothing that helps where there is no such sysvar', async () => {
    for (const sysvar of [rentSysvar, clockSysvar]) {
      assert.deepEqual(await decideBatchIn(request, { others: [[sysvar, null]] }), { needs: [] });
    }
  });

  it('is the accounts of the hook for every transfer, each once', async () => {
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
    assert.deepEqual(await decideBatchIn(twice, sceneWith()), { needs: [ofOne, ofOther] });
    const pointing = accountOf(hookProgram, addressToBytes(freshWallet()));
    assert.deepEqual(await decideBatchIn(request, sceneWith([ofOne, pointing])), { needs: [ofOther] });
    assert.deepEqual(await findingsIn(request, sceneWith([ofOne, pointing], [ofOther, pointing])), []);
    assert.deepEqual(await findingsIn(request, sceneWith([ofOne, pointing], [ofOther, null])), [
      {
        code: 'transfer_hook_unresolvable',
        field: { transfer: 1, part: 'to' },
        context: { mint, fault: { kind: 'account_not_found', account: ofOther } },
      },
    ]);
  });

  it('is, for a level of priority fees, what others paid for the accounts that are written, of which 64 are asked for', async () => {
    const asked = { ...request, priorityFee: { level: 'low' } } as const;
    const accounts = addressesOf(deriveTokenAccounts(request, tokenProgram));
    assert.deepEqual(await decideBatchIn(asked), { needsPricesFor: [feePayer, ...accounts] });
    assert.ok('transactions' in (await decideBatchIn(asked, { facts: { recentPrices: [] } })));
    const many = batchRequestOf(
      Array.from({ length: 70 }, () => ({})),
      { priorityFee: { level: 'low' } },
    );
    const all = [many.feePayer, ...addressesOf(deriveTokenAccounts(many, tokenProgram))];
    assert.equal(all.length, 72);
    assert.deepEqual(await decideBatchIn(many), { needsPricesFor: all.slice(0, 64) });
  });

  it('is those prices also where a transfer fits into no transaction', async () => {
    const asked = batchRequestOf([{}, { memo: memoOf('a'.repeat(1_200)) }], { priorityFee: { level: 'low' } });
    assert.ok('needsPricesFor' in (await decideBatchIn(asked)));
    assert.deepEqual(await foundIn(asked, { facts: { recentPrices: [] } }), [
      ['transaction_too_large', { transfer: 1, part: 'memo' }],
    ]);
  });
});

/** How often work pauses. */
async function countPauses(work: (pause: Pause) => Promise<unknown>): Promise<number> {
  let count = 0;
  await work(async () => {
    count += 1;
  });
  return count;
}

const same = (count: number, memo?: string) =>
  Array.from({ length: count }, (_, index) => ({ amount: BigInt(index + 1), memo: memo ? memoOf(memo) : undefined }));

describe('work on a batch pauses', () => {
  it('after each 100 transfers that are parsed', async () => {
    const transfers = Array.from({ length: 201 }, () => ({ to: freshWallet(), amount: '1' }));
    const inputs = { from: freshWallet(), mint: freshWallet(), createTokenAccount: 'always' as const };
    for (const [count, pauses] of [
      [100, 0],
      [101, 1],
      [201, 2],
    ] as const) {
      const some = { ...inputs, transfers: transfers.slice(0, count) };
      assert.equal(await countPauses((pause) => validateBatchRequest(some, pause)), pauses);
    }
  });

  it('after reading, packing and planning it, however few transfers it has', async () => {
    const request = batchRequestOf(same(2));
    assert.equal(await countPauses((pause) => decideBatch(request, factsIn(request), pause)), 3);
    assert.deepEqual(
      await decideBatch(request, factsIn(request), () => new Promise(setImmediate)),
      await decideBatchIn(request),
    );
  });

  it('after each 10 transfers whose hook is read', async () => {
    const request = batchRequestOf(same(100));
    const facts = factsIn(request, hookScene(request.mint, freshWallet(), []));
    const plain = await countPauses((pause) => decideBatch(request, factsIn(request), pause));
    const pauses = await countPauses((pause) => decideBatch(request, facts, pause));
    assert.ok(pauses - plain >= 9, `${pauses} instead of ${plain}`);
  });

  it('before each 100 transfers that are too large, of which it says why', async () => {
    const request = batchRequestOf(same(201, 'a'.repeat(1_200)));
    // Once before they are packed, three times for what is said of them, once before they are checked.
    assert.equal(await countPauses((pause) => decideBatch(request, factsIn(request), pause)), 5);
  });
});
