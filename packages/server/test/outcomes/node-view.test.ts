import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Work } from '../../src/app/work.ts';
import type { HistoryPage, NodeHistory } from '../../src/chain/chain-history.ts';
import { NodeView } from '../../src/outcomes/node-view.ts';
import { intent, landedTransaction } from './sample-match.ts';

const deadline = performance.now() + 3_600_000;
const { source, mint } = intent;

/** A view of a node that notes what it is asked, and answers when the test lets it. */
function start(signatures: readonly string[] = ['a', 'b', 'a']) {
  const calls: string[] = [];
  const pages: HistoryPage[] = [];
  let running = 0;
  let maxRunning = 0;
  let answered: Promise<void> = Promise.resolve();
  const noted = async <T>(call: string, until: number, answer: T): Promise<T> => {
    assert.equal(until, deadline);
    calls.push(call);
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    await answered;
    running -= 1;
    return answer;
  };
  const node: NodeHistory = {
    name: 'upstream_1',
    readFinalizedHeight: (until) => noted('height', until, { slot: 9n, blockHeight: 5n }),
    readFirstAvailableSlot: (until) => noted('first', until, 3n),
    readStatuses: (asked, until) =>
      noted(`statuses ${asked}`, until, {
        slot: 11n,
        statuses: asked.map((each) => (each === 'b' ? { slot: 8n, error: null, commitment: 'finalized' } : null)),
      }),
    readSignatures: (address, page, until) => {
      pages.push(page);
      return noted(`signatures ${address}`, until, []);
    },
    readTransaction: (signature, until) => noted(`transaction ${signature}`, until, landedTransaction()),
    readBlockHeight: (slot, until) => noted(`block ${slot}`, until, slot - 1n),
    readNonce: (account, until) => noted(`nonce ${account}`, until, { slot: 1n, nonce: account }),
    isBlockhashAlive: (blockhash, until) => noted(`alive ${blockhash}`, until, blockhash === 'young'),
  };
  const view = new NodeView(node, { signatures, maxCandidates: 50 }, new Work({ deadline }));
  return {
    view,
    calls,
    pages,
    hold: (until: Promise<void>) => {
      answered = until;
    },
    maxRunning: () => maxRunning,
  };
}

describe('one node as a request sees it', () => {
  it('is asked each thing once, also by two at the same time, and answers each for itself', async () => {
    const { view, calls } = start();
    for (const _ of [1, 2]) {
      assert.deepEqual(await Promise.all([view.height(), view.height()]), [
        { slot: 9n, blockHeight: 5n },
        { slot: 9n, blockHeight: 5n },
      ]);
      assert.equal(await view.firstAvailableSlot(), 3n);
      assert.deepEqual(await Promise.all([view.blockHeight(4n), view.blockHeight(5n)]), [3n, 4n]);
      assert.deepEqual(await Promise.all(['young', 'old'].map((each) => view.isBlockhashAlive(each))), [true, false]);
      assert.deepEqual(await Promise.all([view.nonce(source), view.nonce(mint)]), [
        { slot: 1n, nonce: source },
        { slot: 1n, nonce: mint },
      ]);
      assert.ok((await Promise.all([view.transaction('a'), view.transaction('b')])).every((each) => each !== null));
    }
    assert.deepEqual(calls, [
      'height',
      'first',
      'block 4',
      'block 5',
      'alive young',
      'alive old',
      `nonce ${source}`,
      `nonce ${mint}`,
      'transaction a',
      'transaction b',
    ]);
  });

  it('is asked for all statuses at once, each signature once, and says which is whose', async () => {
    const { view, calls } = start();
    assert.deepEqual(await view.status('a'), { slot: 11n, status: null });
    assert.equal((await view.status('b')).status?.slot, 8n);
    assert.deepEqual(await view.status('unknown'), { slot: 11n, status: null });
    assert.deepEqual(calls, ['statuses a,b']);
  });

  it('is asked for no more than 256 statuses in one call', async () => {
    const signatures = Array.from({ length: 600 }, (_, index) => (index === 300 ? 'b' : `s${index}`));
    const { view, calls } = start(signatures);
    const found = await Promise.all(signatures.map((signature) => view.status(signature)));
    assert.equal(
      found.findIndex(({ status }) => status !== null),
      300,
    );
    assert.deepEqual(
      calls.map((call) => call.split(',').length),
      [256, 256, 88],
    );
  });

  it('has one history of an address for each slot that it must have reached, and each end', async () => {
    const { view, pages } = start();
    const reach = { floorSlot: 0n, needsProof: false };
    for (const range of [{}, { minContextSlot: 1n }, { minContextSlot: 2n }, { until: 'x' }]) {
      assert.equal(view.history(source, range), view.history(source, range));
      await view.history(source, range).read(reach);
      await view.history(source, range).read(reach);
    }
    await view.history(mint, {}).read(reach);
    assert.deepEqual(pages, [
      { limit: 1_000 },
      { minContextSlot: 1n, limit: 1_000 },
      { minContextSlot: 2n, limit: 1_000 },
      { until: 'x', limit: 1_000 },
      { limit: 1_000 },
    ]);
  });

  it('gets eight calls and four pages of histories at a time', async () => {
    const { view, hold, calls, maxRunning } = start();
    const answer = Promise.withResolvers<void>();
    hold(answer.promise);
    const asked = Array.from({ length: 12 }, (_, index) => view.blockHeight(BigInt(index)));
    const reads = Array.from({ length: 6 }, (_, index) =>
      view.history(source, { minContextSlot: BigInt(index) }).read({ floorSlot: 0n, needsProof: false }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(calls.length, 12);
    answer.resolve();
    await Promise.all([...asked, ...reads]);
    assert.deepEqual([calls.length, maxRunning()], [18, 12]);
  });

  it('says how many transactions may be looked at', () => {
    assert.equal(start().view.maxCandidates, 50);
  });
});
