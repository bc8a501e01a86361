import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type BatchSummary, summarizeBatch } from '../../src/batch/batch-summary.ts';
import type { BatchInputs } from '../../src/batch/validate-batch-request.ts';
import { freshWallet } from '../chain-accounts.ts';
import { type BatchStage, batchOf, landingBatch, openBatchStage } from './batch-on-ledger.ts';

describe('the summary of a batch', () => {
  let stage: BatchStage;
  before(async () => {
    stage = await openBatchStage();
  });

  async function summaryOf(
    transfers: BatchInputs['transfers'],
    more: Partial<BatchInputs> = {},
  ): Promise<BatchSummary> {
    const { alice: from, ledger } = stage;
    const inputs = { createTokenAccount: 'if_missing', from, mint: stage.mintOf('USDC'), transfers, ...more } as const;
    const batch = await landingBatch(ledger, await batchOf(inputs));
    const { blockhash, lastValidBlockHeight } = ledger.latestBlockhash();
    return summarizeBatch({ ...batch, bytes: [], lifetime: { blockhash, lastValidBlockHeight } });
  }

  it('adds up what all transactions send, cost and create', async () => {
    const memo = 'a'.repeat(300);
    const again = freshWallet();
    const transfers = [
      { to: stage.bob, amount: '5', memo },
      { to: again, amount: '7', memo },
      { to: freshWallet(), amount: '11', memo },
      { to: again, amount: '13', memo },
      { to: again, amount: '17', memo },
    ];
    const summary = await summaryOf(transfers, { priorityFee: '1000000' });
    assert.equal(summary.transferCount, 5);
    assert.ok(summary.transactionCount > 2);
    assert.ok(summary.fewestTransactions <= summary.transactionCount);
    assert.equal(summary.amount, 53n);
    assert.equal(summary.transferFee, 0n);
    assert.equal(summary.receivedAmount, 53n);
    assert.equal(summary.networkFee, 5_000n * BigInt(summary.transactionCount));
    assert.ok(summary.priorityFee > 10_000n);
    // Whoever is paid by several transactions has one account made.
    assert.equal(summary.createdTokenAccounts, 2);
    assert.equal(summary.rent, 2n * 2_039_280n);
    assert.deepEqual(summary.signers, [stage.alice]);
    const repeated = summary.warnings.filter(({ code }) => code === 'repeated_recipient');
    assert.deepEqual(repeated, [{ code: 'repeated_recipient', context: { recipient: again, transfers: [1, 3, 4] } }]);
  });

  it('has the fee payer sign first, and pay for both signatures', async () => {
    const summary = await summaryOf([{ to: freshWallet(), amount: '1' }], { feePayer: stage.bob });
    assert.deepEqual(summary.signers, [stage.bob, stage.alice]);
    assert.equal(summary.networkFee, 10_000n);
  });

  it('warns of no recipient that is paid once', async () => {
    const { warnings } = await summaryOf([
      { to: freshWallet(), amount: '1' },
      { to: stage.bob, amount: '1' },
    ]);
    assert.ok(!warnings.some(({ code }) => code === 'repeated_recipient'));
  });
});
