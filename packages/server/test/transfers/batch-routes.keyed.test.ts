import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshWallet } from '../../../core/test/fixtures.ts';
import { Work } from '../../src/app/work.ts';
import type { KeyedReply } from '../../src/idempotency/keyed-requests.ts';
import type { AuthenticatedKey } from '../../src/keys/authenticated-key.ts';
import { isAppError } from '../../src/problems.ts';
import { BatchBuilder } from '../../src/transfers/batch-builder.ts';
import { answerKeyedBatch } from '../../src/transfers/batch-routes.ts';
import { MintHints } from '../../src/transfers/decide-from-chain.ts';
import { apiKeyWith, KeyedScene, requestId } from '../app/keyed-scene.ts';
import { readBatch } from '../app/read-bodies.ts';
import { alice, usdc } from '../app/sample-bodies.ts';
import { verdicts } from '../idempotency/verdicts.ts';
import { richChain } from './sample-batch.ts';

const deadline = Number.POSITIVE_INFINITY;

/** Answers requests with one key for a batch of 25 transfers of 1 to 25 base units, at a chain where each build finds a new blockhash. */
function start({ isDecimal = false } = {}) {
  const scene = new KeyedScene();
  const chain = richChain();
  const batchBuilder = new BatchBuilder(chain, { maxPriorityFeeLamports: 1_000_000n, hints: new MintHints() });
  const transfers = Array.from({ length: 25 }, (_, index) => ({
    to_address: freshWallet(),
    ...(isDecimal ? { amount_decimal: `0.${String(index + 1).padStart(6, '0')}` } : { amount: String(index + 1) }),
  }));
  const body = { from_address: alice, token_mint_address: usdc, transfers };
  const answer = async (apiKey: AuthenticatedKey = apiKeyWith()): Promise<KeyedReply> => {
    chain.height += 1;
    const work = new Work({ deadline });
    const read = readBatch(body);
    assert.ok('batch' in read);
    const request = { id: requestId, body, batch: read.batch, apiKey, work };
    return answerKeyedBatch(request, { batchBuilder, ...scene });
  };
  return { scene, answer };
}

function dataIn({ reply }: KeyedReply): {
  transactions: { transfers: number[]; transaction: string }[];
  landed?: unknown;
} {
  return JSON.parse(reply).data;
}

const limitedTo = (perTransfer: bigint | null, perDay: bigint | null): AuthenticatedKey =>
  apiKeyWith({ amounts: new Map([[usdc, { perTransfer, perDay }]]) });

describe('a batch with an Idempotency-Key', () => {
  it('is given again while one of its transactions can land, and asked for by all of them', async () => {
    const { scene, answer } = start();
    const first = await answer();
    const { transactions } = dataIn(first);
    assert.ok(transactions.length > 2);
    scene.verdicts = transactions.slice(1).map(() => verdicts.expired());
    scene.verdicts = [verdicts.pending(), ...scene.verdicts];
    assert.deepEqual(await answer(), { ...first, isReplay: true });
    assert.deepEqual(
      scene.asked[0]?.map(({ intent, lastValidBlockHeight }) => [intent.payments.length, lastValidBlockHeight]),
      transactions.map(({ transfers }) => [transfers.length, 2n]),
    );
    assert.equal(first.headers['solana-last-valid-block-height'], '2');
  });

  it('of which some has landed for good is built again without that, and names it, however often', async () => {
    const { scene, answer } = start();
    const first = dataIn(await answer());
    const [landed, ...dead] = first.transactions;
    scene.verdicts = [verdicts.landed({ signature: 'one' }), ...dead.map(() => verdicts.expired())];
    const second = dataIn(await answer());
    assert.deepEqual(second.landed, [{ transfers: landed?.transfers, signature: 'one' }]);
    const open = (data: typeof first): number[] => data.transactions.flatMap(({ transfers }) => transfers);
    assert.deepEqual(
      open(second),
      dead.flatMap(({ transfers }) => transfers),
    );
    const [, ...rest] = second.transactions;
    scene.verdicts = [verdicts.landed({ signature: 'two' }), ...rest.map(() => verdicts.expired())];
    const third = dataIn(await answer());
    assert.deepEqual(
      open(third),
      rest.flatMap(({ transfers }) => transfers),
    );
    assert.deepEqual(third.landed, [
      { transfers: landed?.transfers, signature: 'one' },
      { transfers: second.transactions[0]?.transfers, signature: 'two' },
    ]);
  });

  it('is refused once all of it has landed', async () => {
    const { scene, answer } = start();
    scene.verdicts = dataIn(await answer()).transactions.map(() => verdicts.landed());
    await assert.rejects(answer(), (error) => isAppError(error, 'already_landed'));
  });

  it('counts towards the limit of the day what is built, and of a part only that', async () => {
    const { scene, answer } = start();
    const limited = limitedTo(null, 1_000n);
    const first = dataIn(await answer(limited));
    await answer(limited);
    const [landed, ...dead] = first.transactions;
    scene.verdicts = [verdicts.landed(), ...dead.map(() => verdicts.expired())];
    await answer(limited);
    const all = (25n * 26n) / 2n;
    const paid = (landed?.transfers ?? []).reduce((sum, index) => sum + BigInt(index + 1), 0n);
    assert.deepEqual(
      scene.counted.map(({ amount }) => amount),
      [all, all - paid],
    );
  });

  it('is not given again to a key that may no longer move so much, in one transfer or in a day', async () => {
    for (const isDecimal of [false, true]) {
      const { answer } = start({ isDecimal });
      await answer();
      assert.ok((await answer(limitedTo(25n, 325n))).isReplay);
      for (const key of [limitedTo(24n, null), limitedTo(null, 324n), apiKeyWith({ toAddresses: new Set() })]) {
        await assert.rejects(answer(key), (error) => isAppError(error, 'key_not_allowed'));
      }
    }
  });
});
