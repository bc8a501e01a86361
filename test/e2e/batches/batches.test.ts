import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bob } from '../../../packages/server/test/app/sample-bodies.ts';
import type { Json } from '../../setup/json.ts';
import { land } from '../idempotency/keyed-client.ts';
import { balanceOf, batchOf, freshTransfers, path, startBatchService, transactionsOf } from './batch-service.ts';

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

describe('a batch', () => {
  it('of 200 pays each recipient when its transactions land in random order, and each has an outcome of its own', async (t) => {
    const { sandbox, post } = await startBatchService(t);
    const others = freshTransfers(190).map((transfer, index) =>
      index % 3 === 0 ? { ...transfer, memo: `pay ${index}` } : transfer,
    );
    const toBob = Array.from({ length: 10 }, () => ({ to_address: bob, amount: '5' }));
    const before = balanceOf(sandbox, bob);
    const built = await post(path, batchOf([...others, ...toBob]));
    assert.equal(built.status, 200, JSON.stringify(built.json));
    const { transactions, lifetime, summary } = built.json.data;
    const indices = transactions.flatMap(({ transfers }: Json) => transfers).sort((a: number, b: number) => a - b);
    assert.deepEqual(
      indices,
      Array.from({ length: 200 }, (_, index) => index),
    );
    assert.ok(summary.transaction_count <= summary.fewest_transactions + 1);

    const [left, ...sent] = shuffled(transactionsOf(built));
    for (const transaction of sent) await land(sandbox, transaction);
    const questions = [left, ...sent].map((transaction) => ({
      transaction,
      last_valid_block_height: lifetime.last_valid_block_height,
    }));
    const { json } = await post('/v1/transfers/outcome', { transactions: questions });
    const outcomes = json.data.map(({ outcome }: Json) => outcome);
    assert.deepEqual(outcomes, ['pending', ...sent.map(() => 'landed')]);
    await land(sandbox, left ?? '');
    for (const { to_address, amount } of others) assert.equal(balanceOf(sandbox, to_address), BigInt(amount));
    assert.equal(balanceOf(sandbox, bob) - before, 50n);
  });
});
