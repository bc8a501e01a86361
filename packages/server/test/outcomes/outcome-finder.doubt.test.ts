import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import { assertOutcome, verdictOn } from './find-outcome.ts';
import { LedgerNodeHistory } from './ledger-node-history.ts';
import { type BuiltItem, memoOf, OutcomeScene } from './outcome-scene.ts';

const scene = await OutcomeScene.open();
const { ledger } = scene;

function outlive({ lastValidBlockHeight }: BuiltItem): void {
  scene.finalize((lastValidBlockHeight ?? 0n) + 152n);
}

describe('a node behind whose address are several', () => {
  for (const kind of ['signed', 'unsigned'] as const) {
    test(`is not believed when its list is of before the height that it named (${kind})`, async () => {
      const built = await scene.build({ memo: memoOf(`behind, ${kind}`) });
      const item = kind === 'signed' ? scene.signed(built) : built;
      outlive(item);
      const node = new LedgerNodeHistory(ledger);
      node.faults.before = (method) => {
        node.faults.lagSlots = method === 'readSignatures' ? 33 : 0;
      };
      await assert.rejects(verdictOn(scene, item, [node]), (error) => error instanceof UpstreamFault);
      node.faults.before = (method) => {
        node.faults.lagSlots = method === 'readSignatures' ? 32 : 0;
      };
      assertOutcome(await verdictOn(scene, item, [node]), 'expired');
    });
  }

  test('is not believed when its statuses are of before the height that it named', async () => {
    const item = scene.signed(await scene.build());
    outlive(item);
    const node = new LedgerNodeHistory(ledger);
    node.faults.before = (method) => {
      node.faults.lagSlots = method === 'readStatuses' ? 33 : 0;
    };
    assertOutcome(await verdictOn(scene, item, [node]), 'unknown', 'too_few_nodes');
  });
});

test('an unsigned transaction is pending while its blockhash is alive, whatever last valid block height is named', async () => {
  const item = await scene.build();
  const early = { ...item, lastValidBlockHeight: (item.lastValidBlockHeight ?? 0n) - 400n };
  assertOutcome(await verdictOn(scene, early), 'pending', 'blockhash_alive');
});

test('an unsigned transaction is not denied by a node that has pruned what is asked for', async () => {
  const item = await scene.build({ memo: memoOf('pruned') });
  outlive(item);
  const node = new LedgerNodeHistory(ledger, 'upstream_1', { firstSlot: ledger.slot() - 10n });
  assertOutcome(await verdictOn(scene, item, [node]), 'unknown', 'history_pruned');
});

test('a signature is not taken for that of another transaction that pays the same', async () => {
  const built = await scene.build({ memo: memoOf('another') });
  const item = scene.signed(built);
  scene.send(item.bytes);
  const other = scene.landChanged(built);
  const node = new LedgerNodeHistory(ledger);
  const read = node.readTransaction.bind(node);
  node.readTransaction = () => read(other);
  assertOutcome(await verdictOn(scene, item, [node]), 'unknown', 'history_not_available');
});

test('a node that says it failed does not count among those that must show that it paid', async () => {
  const item = scene.signed(await scene.build({ memo: memoOf('failed or not') }));
  const signature = scene.send(item.bytes);
  const node = new LedgerNodeHistory(ledger);
  const { readStatuses, readTransaction } = node;
  const error = { InstructionError: [0, { Custom: 1 }] };
  node.readStatuses = async (signatures) => {
    const { slot, statuses } = await readStatuses.call(node, signatures);
    return { slot, statuses: statuses.map((status) => status && { ...status, error }) };
  };
  node.readTransaction = async (each) => {
    const landed = await readTransaction.call(node, each);
    return landed && { ...landed, error };
  };
  const sound = () => new LedgerNodeHistory(ledger);
  assertOutcome(await verdictOn(scene, item, [node, sound()], 2), 'unknown', 'nodes_disagree');
  const verdict = assertOutcome(await verdictOn(scene, item, [node, sound(), sound()], 2), 'landed');
  assert.equal(verdict.signature, signature);
});

test('a transaction that cannot be decoded may be the one, unless it failed', async () => {
  const item = await scene.build({ memo: memoOf('undecodable') });
  const signature = scene.landChanged(item);
  const node = new LedgerNodeHistory(ledger);
  const read = node.readTransaction.bind(node);
  node.readTransaction = async (each) => {
    const landed = await read(each);
    return landed && { ...landed, bytes: Uint8Array.of(1, 2, 3), content: undefined };
  };
  outlive(item);
  assert.deepEqual(assertOutcome(await verdictOn(scene, item, [node]), 'unknown', 'similar_payment').similar, [
    signature,
  ]);
  const error = { InstructionError: [0, { Custom: 1 }] };
  const readUndecodable = node.readTransaction;
  node.readTransaction = async (each) => {
    const landed = await readUndecodable(each);
    return landed && { ...landed, error };
  };
  node.faults.changeEntries = (entries) => entries.map((entry) => ({ ...entry, error }));
  assertOutcome(await verdictOn(scene, item, [node]), 'expired');
});

test('a list that is not in the order of slots proves nothing', async () => {
  ledger.advanceSlots(3_000);
  const item = await scene.build({ memo: memoOf('order') });
  for (const text of ['one', 'two']) {
    scene.land(await scene.build({ memo: memoOf(text) }));
    ledger.advanceSlots(1);
  }
  outlive(item);
  const node = new LedgerNodeHistory(ledger);
  assertOutcome(await verdictOn(scene, item, [node]), 'expired');
  node.faults.changeEntries = ([first, second, ...others]) => [second, first, ...others].flatMap((each) => each ?? []);
  assertOutcome(await verdictOn(scene, item, [node]), 'unknown', 'history_not_available');
});
