import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Work } from '../../src/app/work.ts';
import { BatchBuilder } from '../../src/transfers/batch-builder.ts';
import { MintHints } from '../../src/transfers/decide-from-chain.ts';
import { batchOf, richChain } from './sample-batch.ts';

it('A batch is read, packed, planned and built in turns, between which other requests are served', async (t) => {
  const builder = new BatchBuilder(richChain(), { maxPriorityFeeLamports: 1_000_000n, hints: new MintHints() });
  const work = new Work();
  const turns = t.mock.method(work, 'next').mock;
  // Each step takes longer than a turn may.
  let timeMs = 0;
  t.mock.method(performance, 'now', () => (timeMs += 3));
  const built = await builder.build(batchOf(200), work);
  assert.equal(built.bytes.length, 20);
  // 200 payments are read and 20 transactions planned, then 20 are built.
  assert.ok(turns.callCount() >= 200 + 20 + 20, String(turns.callCount()));
  turns.resetCalls();
  await builder.findTransferFaults(batchOf(200), work);
  assert.ok(turns.callCount() >= 200, String(turns.callCount()));
});
