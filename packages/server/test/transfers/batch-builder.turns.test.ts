import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { Work } from '../../src/app/work.ts';
import { BatchBuilder } from '../../src/transfers/batch-builder.ts';
import { MintHints } from '../../src/transfers/decide-from-chain.ts';
import { batchOf, richChain } from './sample-batch.ts';

/** In how many turns of the event loop the transactions of a batch for a known mint are built. */
async function turnsOf(t: TestContext, count: number): Promise<number> {
  const chain = richChain();
  const builder = new BatchBuilder(chain, { maxPriorityFeeLamports: 1_000_000n, hints: new MintHints() });
  await builder.build(batchOf(1), new Work());
  // By a clock that stands still no turn has anything else to do: for each of the batch there is one in which that is seen.
  const clock = t.mock.method(performance, 'now', () => 0).mock;
  const turns = t.mock.method(globalThis, 'setImmediate').mock;
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
  clock.restore();
  return built / 2;
}

describe('a batch is worked on in turns, between which other requests are served:', () => {
  it('at most 48 reads of all of them at a time, so that others find a connection to the node', async () => {
    const chain = richChain();
    const builder = new BatchBuilder(chain, { maxPriorityFeeLamports: 1_000_000n, hints: new MintHints() });
    await builder.build(batchOf(1), new Work());
    const readAccounts = chain.readAccounts.bind(chain);
    const held: (() => void)[] = [];
    let count = 0;
    let mostAtOnce = 0;
    chain.readAccounts = async (addresses) => {
      count += 1;
      mostAtOnce = Math.max(mostAtOnce, count);
      await new Promise<void>((resolve) => held.push(resolve));
      count -= 1;
      return readAccounts(addresses);
    };
    // Each is read in seven calls.
    const built = Promise.all(Array.from({ length: 8 }, () => builder.build(batchOf(300), new Work())));
    let isBuilt = false;
    void built.then(() => {
      isBuilt = true;
    });
    while (held.length < 48) await nextTurnOfLoop();
    // Once no connection is waited for, the next is made as soon as one ends.
    while (!isBuilt) {
      for (let turn = 0; turn < 20; turn++) await nextTurnOfLoop();
      held.shift()?.();
    }
    assert.equal(mostAtOnce, 48);
  });

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
