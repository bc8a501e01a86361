import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { address } from '@solana/kit';
import { extension } from '@solana-program/token-2022';
import { systemProgram } from '../../src/addresses/programs.ts';
import { decideBatch } from '../../src/batch/decide-batch.ts';
import { validateBatchRequest } from '../../src/batch/validate-batch-request.ts';
import type { Pause } from '../../src/packing/pause.ts';
import { hookValidationAddress } from '../../src/plan/resolve-hook-accounts.ts';
import { accountOf, freshWallet, mintAccount } from '../chain-accounts.ts';
import { hookListOf } from '../hook-lists.ts';
import { memoOf } from '../random-plans.ts';
import { batchRequestOf, decideBatchIn, factsIn } from './batch-scene.ts';

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

  it('between reading, packing, planning and checking it, however few transfers it has', async () => {
    const request = batchRequestOf(same(2));
    assert.equal(await countPauses((pause) => decideBatch(request, factsIn(request), pause)), 4);
    assert.deepEqual(
      await decideBatch(request, factsIn(request), () => new Promise(setImmediate)),
      await decideBatchIn(request),
    );
  });

  it('after each 10 transfers whose hook is read', async () => {
    const request = batchRequestOf(same(100));
    const hook = freshWallet();
    const hooked = mintAccount({
      extensions: [extension('TransferHook', { authority: address(systemProgram), programId: address(hook) })],
    });
    const facts = factsIn(request, {
      mint: hooked,
      others: [
        [hook, accountOf(freshWallet(), [], true)],
        [hookValidationAddress(request.mint, hook), accountOf(hook, hookListOf())],
      ],
    });
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
