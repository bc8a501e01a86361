import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshWallet } from '../../../core/test/fixtures.ts';
import type { HistoryEntry } from '../../src/chain/chain-history.ts';
import { assertOutcome, verdictOn, verdictsOn } from './find-outcome.ts';
import { LedgerNodeHistory, type NodeFaults } from './ledger-node-history.ts';
import { addressOf, type BuiltItem, memoOf, OutcomeScene } from './outcome-scene.ts';

const scene = await OutcomeScene.open();
const { ledger } = scene;
let count = 0;

function build(request: Parameters<OutcomeScene['build']>[0] = {}): Promise<BuiltItem> {
  count += 1;
  return scene.build({ memo: memoOf(`number ${count}`), ...request });
}

function nodeWith(faults: Partial<NodeFaults>): LedgerNodeHistory {
  return new LedgerNodeHistory(ledger, 'upstream_1', faults);
}

function outlive({ lastValidBlockHeight }: BuiltItem): void {
  scene.finalize((lastValidBlockHeight ?? 0n) + 152n);
}

function callsOf(node: LedgerNodeHistory, method: LedgerNodeHistory['calls'][number]): number {
  return node.calls.filter((call) => call === method).length;
}

/** So many transactions that a node lists as the newest of every address, with this memo. */
function madeUp(number: number, memo: string | null): (entries: readonly HistoryEntry[]) => HistoryEntry[] {
  return () =>
    Array.from({ length: number }, (_, index) => ({
      signature: `made up ${index}`,
      slot: ledger.slot(),
      error: null,
      commitment: 'confirmed',
      memo,
      blockTime: null,
    }));
}

describe('a history that has been pruned', () => {
  test('says nothing of a transaction that it may have had, and denies one that was built after its first block', async () => {
    const item = scene.signed(await build());
    const height = (item.lastValidBlockHeight ?? 0n) - 150n;
    outlive(item);
    const slotOf = (blockHeight: bigint) => ledger.slot() - (ledger.latestBlockhash().blockHeight - blockHeight);
    const verdictFrom = (firstSlot: bigint) => verdictOn(scene, item, [nodeWith({ firstSlot })]);
    assertOutcome(await verdictFrom(slotOf(height)), 'expired');
    assertOutcome(await verdictFrom(slotOf(height + 1n)), 'unknown', 'history_pruned');
    const unshown = nodeWith({ firstSlot: slotOf(height), failing: new Set(['readBlockHeight'] as const) });
    await assert.rejects(verdictOn(scene, item, [unshown]));
  });
});

describe('the memos that a node lists', () => {
  test('spare it the transactions with another memo', async () => {
    const item = await build();
    for (let made = 0; made < 5; made++) scene.land(await build());
    // Other tests have sent some without a memo, and a wallet may have left this one's out.
    const withoutMemo = ledger.transactionRecordsOf(item.intent.source).filter(({ memo }) => memo === null).length;
    scene.land(await build({ memo: undefined }));
    const node = nodeWith({});
    assertOutcome(await verdictOn(scene, item, [node]), 'pending', 'lifetime');
    assert.equal(callsOf(node, 'readTransaction'), withoutMemo + 1);
    const plain = await build({ memo: undefined, amount: 77n });
    assertOutcome(await verdictOn(scene, plain, [node]), 'pending', 'lifetime');
  });

  test('may be missing: then every transaction is looked at', async () => {
    const item = await build();
    const signature = scene.landChanged(item);
    const node = nodeWith({ hasNoMemos: true });
    assert.equal(assertOutcome(await verdictOn(scene, item, [node]), 'landed').signature, signature);
  });
});

describe('the history of a sender', () => {
  test('is read once for all that it pays, and their references only where it is too long', async () => {
    const items = [await build({ references: [freshWallet()] }), await build({ references: [freshWallet()] })];
    const [first] = items;
    assert.ok(first);
    const signature = scene.land(first);
    const node = nodeWith({});
    const [landed, open] = await verdictsOn(items, [node]);
    assert.equal(assertOutcome(landed, 'landed').signature, signature);
    assertOutcome(open, 'pending', 'lifetime');
    assert.equal(callsOf(node, 'readSignatures'), 1);
    const crowded = nodeWith({
      changeEntries: (entries, page) =>
        entries.length > 1 ? madeUp(1_000, null)(entries) : entries.slice(0, page.limit),
    });
    const [found] = await verdictsOn(items, [crowded]);
    assert.equal(assertOutcome(found, 'landed').signature, signature);
  });
});

describe('an account that is used often', () => {
  test('is read page by page down to the first transaction that is too old, and no further', async () => {
    ledger.advanceSlots(3_000);
    const item = await build({ memo: undefined, amount: 78n });
    const signature = scene.landChanged(item);
    for (let made = 0; made < 12; made++) scene.land(await build());
    outlive(item);
    const node = nodeWith({ maxPage: 5 });
    assert.equal(assertOutcome(await verdictOn(scene, item, [node]), 'landed').signature, signature);
    assert.equal(callsOf(node, 'readSignatures'), 4);
  });

  test('is not read beyond five pages: the references, the sender and the recipient are tried in turn', async () => {
    const item = await build({ to: addressOf('carol'), references: [addressOf('bob')] });
    outlive(item);
    const source = nodeWith({ maxPage: 2 });
    const asked = new Set<string>();
    source.faults.before = (method, subject) => void (method === 'readSignatures' && asked.add(subject));
    // Carol has no token account yet.
    assertOutcome(await verdictOn(scene, item, [source]), 'expired');
    assert.deepEqual([...asked], [addressOf('bob'), item.intent.source, item.intent.payments[0]?.destination]);
    assert.equal(callsOf(source, 'readSignatures'), 5 + 5 + 1);
  });

  test('says nothing when every one of its accounts is, signed or not', async () => {
    const item = await build();
    outlive(item);
    for (const each of [item, scene.signed(item)]) {
      assertOutcome(await verdictOn(scene, each, [nodeWith({ maxPage: 2 })]), 'unknown', 'too_many_transactions');
    }
  });

  test('says nothing when more than 50 of its transactions could be the one', async () => {
    const item = await build();
    const memo = `[${`number ${count}`.length}] number ${count}`;
    const few = nodeWith({ changeEntries: madeUp(50, memo) });
    assertOutcome(await verdictOn(scene, item, [few]), 'unknown', 'history_not_available');
    assert.equal(callsOf(few, 'readTransaction'), 50);
    const many = nodeWith({ changeEntries: madeUp(51, memo) });
    assertOutcome(await verdictOn(scene, item, [many]), 'unknown', 'too_many_transactions');
    assert.equal(callsOf(many, 'readTransaction'), 50);
  });

  test('shows a transaction among its newest ones all the same', async () => {
    const item = await build();
    const signature = scene.land(item);
    const node = nodeWith({ changeEntries: (entries) => [...entries.slice(0, 1), ...madeUp(60, null)([])] });
    node.faults.hasNoMemos = true;
    assert.equal(assertOutcome(await verdictOn(scene, item, [node]), 'landed').signature, signature);
  });
});

describe('a node that contradicts itself', () => {
  for (const [name, changeEntries] of [
    ['lists older transactions before newer ones', (entries: readonly HistoryEntry[]) => entries.toReversed()],
    [
      'has nothing older than a transaction that it listed',
      (entries: readonly HistoryEntry[], { before }: { before?: string }) =>
        before === undefined ? entries.slice(0, 2) : [],
    ],
    [
      'lists a transaction of another slot',
      (entries: readonly HistoryEntry[]) => entries.map((entry) => ({ ...entry, slot: entry.slot + 1n })),
    ],
    [
      'lists a transaction that paid as failed',
      (entries: readonly HistoryEntry[]) => entries.map((entry) => ({ ...entry, error: 'AccountInUse' })),
    ],
  ] as const) {
    test(`cannot deny that a transaction landed: it ${name}`, async () => {
      const item = await build();
      scene.landChanged(item);
      scene.land(await build());
      outlive(item);
      const node = nodeWith({ changeEntries });
      assertOutcome(await verdictOn(scene, item, [node]), 'unknown', 'history_not_available');
    });
  }

  test('cannot deny it where it lists a transaction that it cannot show', async () => {
    const item = await build();
    const signature = scene.landChanged(item);
    outlive(item);
    const node = nodeWith({ lost: new Set([signature]) });
    assertOutcome(await verdictOn(scene, item, [node]), 'unknown', 'history_not_available');
  });

  test('is not believed when the status of a signature is missing and a list has it', async () => {
    const item = scene.signed(await build());
    const signature = scene.send(item.bytes);
    outlive(item);
    const node = nodeWith({});
    node.faults.before = (method) => {
      node.faults.omitted = new Set(method === 'readStatuses' ? [signature] : []);
    };
    assert.equal(assertOutcome(await verdictOn(scene, item, [node]), 'landed').signature, signature);
  });

  test('and keeps no blocks leaves open whether an equal payment is the one', async () => {
    const item = await build();
    const signature = scene.landChanged(item);
    const node = nodeWith({});
    node.readBlockHeight = async () => null;
    assert.deepEqual(assertOutcome(await verdictOn(scene, item, [node]), 'pending', 'lifetime').similar, [signature]);
  });
});
