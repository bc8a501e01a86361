import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Work } from '../../src/app/work.ts';
import { BatchBuilder } from '../../src/transfers/batch-builder.ts';
import { MintHints } from '../../src/transfers/decide-from-chain.ts';
import { batchOf, richChain } from './sample-batch.ts';

/** In how many turns of the event loop the transactions of a batch for a known mint are built. */
async function turnsOf(t: TestContext, count: number): Promise<number> {
  const chain = richChain();
  const builder = new BatchBuilder(chain, { maxPriorityFeeLamports: 1_000_000n, hints: new MintHints() });
  await builder.build(batchOf(1), new Work());
  const turns = t.mock.method(Work.prototype, 'next').mock;
  const readBlockhash = chain.readBlockhash.bind(chain);
  let decided = 0;
  chain.readBlockhash = () => {
    decided = turns.callCount();
    return readBlockhash();
  };
  const { transactions } = await builder.build(batchOf(count), new Work());
  assert.equal(transactions[0]?.transfers.length, 10);
  const built = turns.callCount() - decided;
  turns.restore();
  return built;
}

describe('a batch is worked on in turns, between which other requests are served:', () => {
  it('one turn for each 100 transfers that are built', async (t) => {
    for (const [count, turns] of [
      [100, 1],
      [110, 2],
      [200, 2],
      [210, 3],
    ] as const) {
      assert.equal(await turnsOf(t, count), turns, String(count));
    }
  });
});
