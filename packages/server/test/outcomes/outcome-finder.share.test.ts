import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Work } from '../../src/app/work.ts';
import { OutcomeFinder } from '../../src/outcomes/outcome-finder.ts';
import type { OutcomeItem, Verdict } from '../../src/outcomes/verdict.ts';
import { isAppError } from '../../src/problems.ts';
import { addressNumber, BusyNode, itemFrom } from './busy-node.ts';
import { assertOutcome } from './find-outcome.ts';
import { historyOf } from './ledger-node-history.ts';
import { intent, landedTransaction } from './sample-match.ts';

const find = (node: BusyNode, items: readonly OutcomeItem[], work = new Work()): Promise<readonly Verdict[]> =>
  new OutcomeFinder(historyOf([node])).find(items, work);

/** Transfers from senders of their own to recipients of their own. */
const strangers = (count: number, first = 0): readonly OutcomeItem[] =>
  Array.from({ length: count }, (_, index) =>
    itemFrom(addressNumber(first + 2 * index), addressNumber(first + 2 * index + 1)),
  );

/** The same with a memo, by which listed transactions with other memos are none of it. */
const withMemo = (item: OutcomeItem): OutcomeItem => ({ ...item, intent: { ...item.intent, memos: ['own'] } });

/** Transfers from one sender to recipients of their own. */
const ofOneSender = (count: number): readonly OutcomeItem[] =>
  Array.from({ length: count }, (_, index) => itemFrom(intent.source, addressNumber(index)));

/** A transaction that makes so many transfers from the sender to another recipient. */
function landedWith(transferCount: number) {
  const landed = landedTransaction();
  const [transfer] = landed.content?.transfers ?? [];
  assert.ok(landed.content && transfer);
  return {
    ...landed,
    content: { ...landed.content, transfers: Array.from({ length: transferCount }, () => transfer) },
  };
}

describe('a hundred transfers of one sender with 240 landed transactions of 57 transfers each', () => {
  test('have its history read once, and each transaction once', async () => {
    const node = new BusyNode(240, { landed: landedWith(57) });
    for (const verdict of await find(node, ofOneSender(100))) assertOutcome(verdict, 'pending', 'lifetime');
    assert.deepEqual(node.pages, [intent.source]);
    assert.deepEqual([node.transactions.length, new Set(node.transactions).size], [240, 240]);
  });
});

describe('of the histories of busy senders', () => {
  test('a lone transfer has five pages of each account read, and a hundred have three for each and twelve', async () => {
    for (const [count, pages] of [
      [1, 10],
      [2, 18],
      [100, 312],
    ] as const) {
      const node = new BusyNode(50_000, { memo: '[5] other' });
      const work = new Work();
      const items = strangers(count).map(withMemo);
      for (const verdict of await find(node, items, work)) assertOutcome(verdict, 'unknown', 'too_many_transactions');
      assert.equal(node.pages.length, pages);
      assert.equal(work.furtherRequests, pages - count);
    }
  });

  test('no further page is read once there are more transactions than are looked at', async () => {
    const node = new BusyNode(50_000);
    assertOutcome((await find(node, strangers(1)))[0], 'unknown', 'too_many_transactions');
    assert.deepEqual([node.pages.length, node.transactions.length], [2, 50]);
  });

  test('fifty transactions are looked at, and five more for each further transfer', async () => {
    for (const [count, most] of [
      [1, 50],
      [10, 95],
      [100, 545],
    ] as const) {
      const node = new BusyNode(Math.ceil((most + 1) / count));
      const found = await find(node, strangers(count));
      assert.equal(node.transactions.length, most);
      const unknown = found.filter(({ outcome }) => outcome === 'unknown');
      assert.ok(unknown.length > 0);
      for (const verdict of unknown) assertOutcome(verdict, 'unknown', 'too_many_transactions');
    }
  });

  test('what is not read is unknown and never expired', async () => {
    const node = new BusyNode(2_200, { memo: '[5] other' });
    const items = strangers(100).map((item) => ({ ...withMemo(item), lastValidBlockHeight: 80_000n }));
    const outcomes = Map.groupBy(await find(node, items), (verdict) => verdict.outcome);
    assert.deepEqual([...outcomes.keys()].toSorted(), ['expired', 'unknown']);
    // Three pages are all there is, and the fourth proves it.
    const proven = [...Map.groupBy(node.pages, (address) => address).values()].filter(({ length }) => length === 4);
    assert.equal(outcomes.get('expired')?.length, proven.length);
    for (const verdict of outcomes.get('unknown') ?? []) assertOutcome(verdict, 'unknown', 'too_many_transactions');
  });
});

describe('the requests to one node', () => {
  test('end when the client has gone, with what is under way', async () => {
    const node = new BusyNode(50_000, { memo: '[5] other' });
    let isGone = false;
    node.before = () => {
      isGone = node.pages.length >= 20;
      return nextTurn();
    };
    const items = strangers(100).map(withMemo);
    const found = find(node, items, new Work({ isClientGone: () => isGone }));
    await assert.rejects(found, (error) => isAppError(error, 'malformed_http'));
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    assert.ok(node.pages.length <= 28, `${node.pages.length} pages`);
  });

  test('whose time is over send nothing, and say whether their own calls took it', async () => {
    const node = new BusyNode(1);
    const work = new Work({ deadline: performance.now() - 1 });
    await assert.rejects(find(node, strangers(1), work), (error) => isAppError(error, 'upstream_timeout'));
    assert.deepEqual(node.pages, []);
  });
});
