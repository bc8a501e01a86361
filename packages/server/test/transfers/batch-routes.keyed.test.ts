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
  const refused = new Set<string>();
  const chain = richChain(refused);
  const batchBuilder = new BatchBuilder(chain, { maxPriorityFeeLamports: 1_000_000n, hints: new MintHints() });
  const transfers = Array.from({ length: 25 }, (_, index) => ({
    to_address: freshWallet(),
    ...(isDecimal ? { amount_decimal: `0.${String(index + 1).padStart(6, '0')}` } : { amount: String(index + 1) }),
  }));
  const fields = { from_address: alice, token_mint_address: usdc, transfers };
  const answer = async (apiKey: AuthenticatedKey = apiKeyWith(), more: object = {}): Promise<KeyedReply> => {
    chain.height += 1;
    const work = new Work({ deadline });
    const body = { ...fields, ...more };
    const read = readBatch(body);
    assert.ok('batch' in read);
    const skipsRefused = 'skip_refused' in body && body.skip_refused === true;
    const metadata = { payroll: '11' };
    const request = { id: requestId, body, batch: read.batch, skipsRefused, metadata, apiKey, work };
    return answerKeyedBatch(request, { batchBuilder, ...scene });
  };
  const skip = () => answer(apiKeyWith(), { skip_refused: true });
  /** Makes these transfers, and no others, such that they are refused. */
  const refuse = (...indices: readonly number[]): void => {
    refused.clear();
    for (const index of indices) refused.add(transfers[index]?.to_address ?? '');
  };
  return { scene, answer, skip, refuse };
}

interface BatchJson {
  transactions: { transfers: number[]; transaction: string; message_hash: string }[];
  landed_transactions?: { transfers: number[]; signature: string }[];
  pending_transactions?: { transfers: number[]; transaction?: string; lifetime: object }[];
  refused?: { index: number; errors: { pointer: string; code: string }[] }[];
  metadata?: object;
  lifetime?: object;
  summary?: { transfer_count: number };
}

const dataIn = ({ reply }: KeyedReply): BatchJson => JSON.parse(reply).data;
const indicesOf = (list: readonly { transfers: number[] }[] = []): number[] =>
  list.flatMap(({ transfers }) => transfers);

const limitedTo = (perTransfer: bigint | null, perDay: bigint | null): AuthenticatedKey =>
  apiKeyWith({ amounts: new Map([[usdc, { perTransfer, perDay }]]) });

describe('a batch with an Idempotency-Key', () => {
  it('is given again while all of its transactions can land, and asked for by all of them', async () => {
    const { scene, answer, skip } = start();
    const first = await answer();
    const { transactions } = dataIn(first);
    assert.ok(transactions.length > 2);
    assert.deepEqual(await answer(), { ...first, isReplay: true });
    assert.deepEqual(
      scene.asked[0]?.map(({ intent, lastValidBlockHeight }) => [intent.payments.length, lastValidBlockHeight]),
      transactions.map(({ transfers }) => [transfers.length, 2n]),
    );
    assert.equal(first.headers['solana-last-valid-block-height'], '2');
    assert.deepEqual(await skip(), { ...first, isReplay: true }, 'it is the same request');
  });

  it('names what has landed and what may still land, and is built again without that, however often', async () => {
    const { scene, answer } = start();
    const first = dataIn(await answer());
    const [landed, pending, ...dead] = first.transactions;
    assert.ok(landed && pending);
    scene.verdicts = [verdicts.landed({ signature: 'one' }), verdicts.pending(), ...dead.map(() => verdicts.expired())];
    const second = dataIn(await answer());
    const [{ transfers }] = [landed];
    assert.deepEqual(second.landed_transactions, [{ transfers, signature: 'one' }]);
    const lifetime = { blockhash: `${'1'.repeat(31)}2`, last_valid_block_height: '2' };
    const { transaction, message_hash } = pending;
    assert.deepEqual(second.pending_transactions, [
      { transaction, message_hash, transfers: pending.transfers, lifetime },
    ]);
    assert.deepEqual(indicesOf(second.transactions), indicesOf(dead));
    assert.equal(second.summary?.transfer_count, indicesOf(dead).length);
    scene.verdicts = [];
    const third = dataIn(await answer());
    assert.deepEqual([third.transactions, third.lifetime, third.summary], [[], undefined, undefined]);
    assert.deepEqual([first.metadata, second.metadata, third.metadata], Array(3).fill({ payroll: '11' }));
    const all = [pending, ...second.transactions].map((each) => each.transaction);
    assert.deepEqual(
      third.pending_transactions?.map((each) => each.transaction),
      all,
    );
    scene.verdicts = [verdicts.landed({ signature: 'two' }), ...second.transactions.map(() => verdicts.expired())];
    const fourth = dataIn(await answer());
    assert.deepEqual(indicesOf(fourth.transactions), indicesOf(dead));
    assert.deepEqual(
      fourth.landed_transactions?.map(({ signature }) => signature),
      ['one', 'two'],
    );
  });

  it('builds with skip_refused what can be paid, and lists the rest with every reason until that can be paid', async () => {
    const { answer, skip, refuse } = start();
    refuse(3, 24);
    await assert.rejects(answer(), (error) => isAppError(error, 'recipient_is_mint') && error.findings.length === 2);
    const first = dataIn(await skip());
    const errorsOf = ({ refused = [] }: BatchJson) =>
      refused.map(({ index, errors }) => [index, ...errors.map(({ pointer, code }) => `${pointer} ${code}`)]);
    const refusedIn = (index: number) => [index, `/transfers/${index}/to_address recipient_is_mint`];
    assert.deepEqual(errorsOf(first), [refusedIn(3), refusedIn(24)]);
    const paid = indicesOf(first.transactions);
    assert.deepEqual(
      paid.toSorted((a, b) => a - b),
      [...Array(25).keys()].filter((each) => each !== 3 && each !== 24),
    );
    refuse(24);
    const second = dataIn(await skip());
    assert.deepEqual([indicesOf(second.transactions), errorsOf(second)], [[3], [refusedIn(24)]]);
    assert.deepEqual(indicesOf(second.pending_transactions), paid);
    const third = dataIn(await skip());
    assert.deepEqual([third.transactions, errorsOf(third)], [[], [refusedIn(24)]]);
    assert.deepEqual(indicesOf(third.pending_transactions), [...paid, 3]);
  });

  it('carries in its refusal what has landed and what may still land, and pays the rest once skip_refused is added', async () => {
    const { scene, answer, skip, refuse } = start();
    const { transactions } = dataIn(await answer());
    const [landed, ...dead] = transactions;
    scene.verdicts = [verdicts.landed({ signature: 'one' }), ...dead.map(() => verdicts.expired())];
    const last = dead.at(-1)?.transfers.at(-1) ?? 0;
    refuse(last);
    for (let count = 0; count < 2; count += 1) {
      await assert.rejects(answer(), (error) => {
        assert.ok(isAppError(error, 'recipient_is_mint'));
        assert.deepEqual(error.progress, { landed_transactions: [{ transfers: landed?.transfers, signature: 'one' }] });
        return true;
      });
    }
    const rest = dataIn(await skip());
    assert.deepEqual(
      indicesOf(rest.transactions),
      indicesOf(dead).filter((each) => each !== last),
    );
    assert.deepEqual(
      rest.refused?.map(({ index }) => index),
      [last],
    );
    scene.verdicts = rest.transactions.map(() => verdicts.landed());
    const done = dataIn(await skip());
    assert.deepEqual([done.transactions, done.refused?.length], [[], 1]);
    assert.equal(indicesOf(done.landed_transactions).length, 24);
  });

  it('is refused where all of it is, and for what is wrong with the whole, which skip_refused does not skip', async () => {
    const { answer, skip, refuse } = start();
    refuse(...Array(25).keys());
    await assert.rejects(skip(), (error) => isAppError(error, 'recipient_is_mint') && error.findings.length === 25);
    refuse(7);
    const isRefused = (error: unknown) => isAppError(error, 'nonce_account_not_found') && error.findings.length === 3;
    await assert.rejects(answer(apiKeyWith(), { skip_refused: true, nonce_account: freshWallet() }), isRefused);
    refuse();
    assert.ok(dataIn(await answer()).transactions.length > 0, 'nothing is kept of what was refused');
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
    const all = (25n * 26n) / 2n;
    assert.deepEqual([...(await scene.counted()).values()], [all]);
    await answer(limited);
    const paid = (landed?.transfers ?? []).reduce((sum, index) => sum + BigInt(index + 1), 0n);
    assert.deepEqual([...(await scene.counted()).values()], [all + all - paid]);
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
