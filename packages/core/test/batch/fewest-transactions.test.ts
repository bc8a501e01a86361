import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fewestTransactions } from '../../src/batch/fewest-transactions.ts';
import { packBatch } from '../../src/batch/pack-batch.ts';
import { finish } from '../../src/plan/steps.ts';
import { plainOptions, type TransferParts, transfersTo, weighed } from './random-batches.ts';

const hundred: Readonly<Record<string, (index: number) => Partial<TransferParts>>> = {
  'with a token account': () => ({}),
  'without a token account': () => ({ exists: false }),
  'with a memo': () => ({ memo: 'order 7' }),
  'with nine references': (index) => ({ references: Array.from({ length: 9 }, (_, at) => 2_000 + 10 * index + at) }),
  'to one wallet, with different memos': (index) => ({ recipient: 1, memo: `part ${1_000 + index}` }),
};

describe('the lower bound of the number of transactions', () => {
  for (const version of ['legacy', 0, 1] as const) {
    for (const [kind, transferAt] of Object.entries(hundred)) {
      it(`is what it takes to pay 100 recipients ${kind} in version ${version}`, () => {
        const transfers = transfersTo(...Array.from({ length: 100 }, (_, index) => transferAt(index)));
        const batch = weighed(transfers, { ...plainOptions, version });
        const packing = finish(packBatch(batch));
        assert.ok('transactions' in packing);
        assert.equal(fewestTransactions(batch), packing.transactions.length);
      });
    }
  }

  it('holds for each limit alone: accounts, instructions, compute units', () => {
    const batch = weighed(transfersTo(...Array.from({ length: 10 }, () => ({}))), { ...plainOptions, version: 1 });
    const boundWith = (weight: object): number =>
      fewestTransactions({ ...batch, transfers: batch.transfers.map((transfer) => ({ ...transfer, ...weight })) });
    assert.equal(boundWith({}), 1);
    assert.equal(boundWith({ computeUnits: 600_000 }), 5);
    // Four builtin instructions at 150 units each are kept free.
    assert.equal(boundWith({ computeUnits: 279_880 }), 2);
    assert.equal(boundWith({ computeUnits: 279_881 }), 3);
    assert.equal(boundWith({ instructions: 30 }), 5);
    assert.equal(boundWith({ accounts: 28 }), 5);
  });

  it('sums up what the transfers take, and what some of them share once', () => {
    const memo = 'a'.repeat(400);
    assert.equal(fewestTransactions(weighed(transfersTo({ memo }, { memo }, { memo }, { memo }, {}))), 2);
    const twice = { recipient: 1, exists: false };
    const once = weighed(transfersTo(...Array.from({ length: 40 }, () => twice), {}), { ...plainOptions, version: 1 });
    assert.equal(fewestTransactions(once), 1);
  });

  it('is one of no transfers too', () => {
    assert.equal(fewestTransactions(weighed([])), 1);
  });
});
