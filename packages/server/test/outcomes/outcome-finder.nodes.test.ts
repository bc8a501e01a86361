import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import { assertOutcome, verdictOn } from './find-outcome.ts';
import { LedgerNodeHistory, type NodeFaults } from './ledger-node-history.ts';
import { type BuiltItem, memoOf, OutcomeScene } from './outcome-scene.ts';

const scene = await OutcomeScene.open();
const { ledger } = scene;
let count = 0;

/** A transfer that no other test makes. */
function build(): Promise<BuiltItem> {
  count += 1;
  return scene.build({ memo: memoOf(`number ${count}`) });
}

/** Nodes with these faults, in the order of preference. */
function nodesWith(...faults: readonly Partial<NodeFaults>[]): LedgerNodeHistory[] {
  return faults.map((each, index) => new LedgerNodeHistory(ledger, `upstream_${index + 1}`, each));
}

/** Lets the life of a transaction end, unsigned or not. */
function outlive({ lastValidBlockHeight }: BuiltItem): void {
  scene.finalize((lastValidBlockHeight ?? 0n) + 152n);
}

const all: NodeFaults['failing'] = new Set([
  'readFinalizedHeight',
  'readFirstAvailableSlot',
  'readBlockHeight',
  'readStatuses',
  'readSignatures',
  'readTransaction',
  'readNonce',
  'isBlockhashAlive',
]);

const asProcessed: NodeFaults['changeEntries'] = (entries) =>
  entries.map((entry) => ({ ...entry, commitment: 'processed' }));

/** A transfer that nobody had signed, and how it landed. */
const landed = async (): Promise<{ item: BuiltItem; signature: string }> => {
  const item = await build();
  return { item, signature: scene.landChanged(item) };
};

describe('of two nodes, one that does not show a landed transaction', () => {
  for (const [name, faultOf] of [
    ['keeps silent about it', (signature: string) => ({ omitted: new Set([signature]) })],
    ['writes its lists late', () => ({ indexLagSlots: 500 })],
    ['fails', () => ({ failing: all })],
    ['has pruned it', () => ({ firstSlot: ledger.slot() - 10n })],
    ['is far behind', () => ({ lagSlots: 500 })],
  ] as const) {
    test(`and ${name} is overruled by the other, whichever is preferred`, async () => {
      const { item, signature } = await landed();
      outlive(item);
      for (const nodes of [nodesWith(faultOf(signature), {}), nodesWith({}, faultOf(signature))]) {
        const verdict = await verdictOn(scene, item, nodes);
        // One that is behind sees that it can land still, and nobody else is asked.
        if (name === 'is far behind' && nodes[0]?.faults.lagSlots) assertOutcome(verdict, 'pending', 'lifetime');
        else assert.equal(assertOutcome(verdict, 'landed').signature, signature);
      }
    });
  }

  test('makes it uncertain when both must show it', async () => {
    const { item, signature } = await landed();
    const needed = { have: 1, need: 2 };
    outlive(item);
    for (const nodes of [
      nodesWith({ omitted: new Set([signature]) }, {}),
      nodesWith({}, { omitted: new Set([signature]) }),
    ]) {
      const verdict = assertOutcome(await verdictOn(scene, item, nodes, 2), 'unknown', 'nodes_disagree');
      assert.deepEqual(verdict.nodes, needed);
    }
    const failing = assertOutcome(
      await verdictOn(scene, item, nodesWith({}, { failing: all }), 2),
      'unknown',
      'too_few_nodes',
    );
    assert.deepEqual(failing.nodes, needed);
    const processed: Partial<NodeFaults> = { changeEntries: asProcessed };
    for (const behind of [{ lagSlots: 500 }, processed]) {
      assertOutcome(await verdictOn(scene, item, nodesWith({}, behind), 2), 'pending', 'not_final');
    }
    assert.equal(assertOutcome(await verdictOn(scene, item, nodesWith({}, {}), 2), 'landed').signature, signature);
  });
});

describe('a transaction that nobody sent', () => {
  test('has expired when two nodes say so, though a third one fails, is behind, or keeps no history', async () => {
    const item = await build();
    outlive(item);
    for (const third of [{}, { failing: all }, { lagSlots: 500 }, { hasNoHistory: true }]) {
      for (const nodes of [nodesWith({}, {}, third), nodesWith({}, third, {})]) {
        assertOutcome(await verdictOn(scene, item, nodes), 'expired');
      }
    }
  });

  test('has not expired for certain when only one of two nodes can say so', async () => {
    const item = await build();
    outlive(item);
    const have1 = { have: 1, need: 2 };
    for (const [faults, reason] of [
      [{ failing: all }, 'too_few_nodes'],
      [{ failing: new Set(['readSignatures'] as const) }, 'too_few_nodes'],
      [{ hasNoHistory: true }, 'history_not_available'],
      [{ firstSlot: ledger.slot() - 10n }, 'history_pruned'],
    ] as const) {
      for (const nodes of [nodesWith({}, faults), nodesWith(faults, {})]) {
        const verdict = assertOutcome(await verdictOn(scene, item, nodes), 'unknown', reason);
        assert.deepEqual(verdict.nodes, have1);
      }
    }
    assertOutcome(await verdictOn(scene, item, nodesWith({}, { lagSlots: 500 })), 'pending', 'lifetime');
    assertOutcome(await verdictOn(scene, item, nodesWith({}, {}), 2), 'expired');
    assertOutcome(await verdictOn(scene, item, nodesWith({}, {}, { failing: all }), 3), 'unknown', 'too_few_nodes');
  });
});

test('one node suffices to find it, and the others are not asked', async () => {
  const item = scene.signed(await build());
  scene.send(item.bytes);
  const nodes = nodesWith({}, {});
  assertOutcome(await verdictOn(scene, item, nodes), 'landed');
  const pendingItem = await build();
  assertOutcome(await verdictOn(scene, pendingItem, nodes), 'pending', 'lifetime');
  assert.deepEqual(nodes[1]?.calls, []);
});

test('the fault of the preferred node is thrown when no node says anything', async () => {
  const item = await build();
  const nodes = nodesWith({ failing: all }, { failing: all });
  await assert.rejects(verdictOn(scene, item, nodes), (error) => error instanceof UpstreamFault);
  assert.equal(nodes[1]?.calls.length, 1);
  await assert.rejects(verdictOn(scene, item, []), (error) => error instanceof UpstreamFault);
});

test('an error that is no fault of a node is thrown', async () => {
  const nodes = nodesWith({
    before: () => {
      throw new TypeError('a mistake');
    },
  });
  await assert.rejects(verdictOn(scene, await build(), nodes), TypeError);
});

describe('a transaction that is only processed', () => {
  test('is pending for every node, also past its life', async () => {
    const item = scene.signed(await build());
    const signature = scene.send(item.bytes);
    const processed = { processedOnly: new Set([signature]) };
    assertOutcome(await verdictOn(scene, item, nodesWith(processed)), 'pending', 'not_final');
    outlive(item);
    assertOutcome(await verdictOn(scene, item, nodesWith(processed)), 'pending', 'not_final');
    const omitted = { omitted: new Set([signature]) };
    assertOutcome(await verdictOn(scene, item, nodesWith(omitted, omitted, processed)), 'pending', 'not_final');
  });

  test('is pending where a list shows it', async () => {
    const item = await build();
    scene.landChanged(item);
    outlive(item);
    assertOutcome(await verdictOn(scene, item, nodesWith({ changeEntries: asProcessed })), 'pending', 'not_final');
  });

  test('that a fork drops is pending again, and expired when its life is over', async () => {
    const item = scene.signed(await build());
    const signature = scene.send(item.bytes);
    const [node] = nodesWith({});
    assert.ok(node);
    assert.equal(assertOutcome(await verdictOn(scene, item, [node]), 'landed').commitment, 'confirmed');
    node.faults.omitted = new Set([signature]);
    assertOutcome(await verdictOn(scene, item, [node]), 'pending', 'lifetime');
    outlive(item);
    assertOutcome(await verdictOn(scene, item, [node]), 'expired');
  });
});

describe('a transaction whose status a node knows and that it cannot show', () => {
  test('is pending while it is confirmed, and then unknown, whatever others say', async () => {
    const item = scene.signed(await build());
    const signature = scene.send(item.bytes);
    const lost = { lost: new Set([signature]) };
    const omitted = { omitted: new Set([signature]) };
    assertOutcome(await verdictOn(scene, item, nodesWith(lost)), 'pending', 'not_final');
    outlive(item);
    assertOutcome(await verdictOn(scene, item, nodesWith(lost)), 'unknown', 'history_not_available');
    for (const denying of [[omitted], [omitted, omitted]]) {
      assertOutcome(await verdictOn(scene, item, nodesWith(lost, ...denying)), 'unknown', 'nodes_disagree');
    }
    assertOutcome(await verdictOn(scene, item, nodesWith(lost, {})), 'landed');
  });
});

describe('a node whose lists of token balances are empty', () => {
  const empty = { hasEmptyBalances: true };

  test('shows that a transaction landed, and not what arrived, which another one shows', async () => {
    const item = await build();
    scene.land(item);
    const [blind, seeing] = nodesWith(empty, {});
    assert.ok(blind && seeing);
    for (const [nodes, received] of [
      [[blind], undefined],
      [[seeing], item.intent.payments[0]?.amount],
    ] as const) {
      assert.equal(assertOutcome(await verdictOn(scene, item, nodes), 'landed').payments[0]?.received, received);
    }
  });

  test('never makes a payment expired that a wallet changed, or made by a program: it is unknown until another node shows it', async () => {
    const item = await build();
    const signature = scene.landChanged(item);
    outlive(item);
    const [direct, byProgram, seeing] = nodesWith(empty, empty, {});
    assert.ok(direct && byProgram && seeing);
    const truth = byProgram.readTransaction.bind(byProgram);
    byProgram.readTransaction = async (of) => {
      const landed = await truth(of);
      return landed?.content ? { ...landed, content: { ...landed.content, transfers: [], hasCalls: false } } : landed;
    };
    for (const node of [direct, byProgram]) {
      const unknown = assertOutcome(await verdictOn(scene, item, [node]), 'unknown', 'similar_payment');
      assert.deepEqual(unknown.similar, [signature]);
      assert.equal(assertOutcome(await verdictOn(scene, item, [node, seeing]), 'landed').signature, signature);
    }
  });
});
