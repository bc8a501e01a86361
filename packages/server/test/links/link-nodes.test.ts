import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import type { LinkView } from '../../src/links/link-view.ts';
import type { NodeFaults } from '../outcomes/ledger-node-history.ts';
import { addressOf } from '../outcomes/outcome-scene.ts';
import { LinkScene, type LinkServiceOptions, never } from './link-scene.ts';

const settlingMs = 3_600_000 + 300_000;
const failing: NodeFaults['failing'] = new Set(['readSignatures']);
const stateOf = ({ state, isFinal }: LinkView) => [state, isFinal];

describe('of the nodes that payment links are checked at', async () => {
  const scene = await LinkScene.open();
  const sound = scene.serve().links;

  /** What a new service, with these nodes, says of a link. */
  async function lookWith(options: LinkServiceOptions, view: LinkView): Promise<LinkView> {
    return scene.look(scene.serve(options).links, view);
  }

  it('one that fails, keeps no history or contradicts itself is made up for by another', async () => {
    const faults: readonly Partial<NodeFaults>[] = [
      { failing },
      { hasNoHistory: true },
      { changeEntries: (entries) => [...entries, { ...entries[0], slot: 2n ** 60n } as (typeof entries)[number]] },
      { failing: new Set(['readTransaction']) },
    ];
    for (const fault of faults) {
      const view = await scene.create(sound);
      await scene.send(view);
      for (const nodes of [
        [fault, {}],
        [{}, fault],
      ]) {
        assert.deepEqual(stateOf(await lookWith({ nodes }, view)), ['paid', false]);
      }
    }
  });

  it('one that has not reached the slot of a payment is made up for by another when that is asked for', async () => {
    const view = await scene.create(sound);
    const signature = await scene.send(view);
    const { links } = scene.serve({ nodes: [{ lagSlots: 1 }, {}] });
    await links.check(view.link.id, scene.ledger.slot(), never);
    assert.deepEqual(
      (await links.find(view.link.id))?.payments.map((each) => each.signature),
      [signature],
    );
  });

  it('none that answers leaves it as it was, and a payer gets the fault', async () => {
    const view = await scene.create(sound);
    await scene.send(view);
    const { links } = scene.serve({ nodes: [{ failing }, { hasNoHistory: true }] });
    const stale = await scene.look(links, view);
    assert.deepEqual([stale.state, stale.link.checkedAt], ['open', view.link.checkedAt]);
    await assert.rejects(scene.askToPay(links, view), UpstreamFault);
  });

  it('one alone does not make a link paid where two must agree', async () => {
    const view = await scene.create(sound);
    const signature = await scene.send(view);
    const omitted = new Set([signature]);
    assert.deepEqual(stateOf(await lookWith({ nodes: [{}, { omitted }], quorum: 2 }, view)), ['open', false]);
    assert.deepEqual(stateOf(await lookWith({ nodes: [{}, { failing }], quorum: 2 }, view)), ['open', false]);
    assert.deepEqual(stateOf(await lookWith({ nodes: [{ omitted }, {}, {}], quorum: 2 }, view)), ['paid', false]);
  });

  it('one that shows no balances makes no link paid: it lists the payment until another shows it', async () => {
    const noLists = { leftOut: ['preTokenBalances', 'postTokenBalances'] } as const;
    for (const fault of [noLists, { hasEmptyBalances: true }]) {
      const view = await scene.create(sound);
      await scene.send(view);
      const blind = scene.serve({ nodes: [fault] }).links;
      const { state, payments } = await scene.look(blind, view);
      assert.deepEqual([state, payments.map(({ flaw, received }) => [flaw, received])], ['open', [['not_shown', 0n]]]);
      scene.finalize();
      assert.deepEqual(stateOf(await scene.look(blind, view)), ['open', false]);
      scene.later(settlingMs);
      scene.ledger.advanceSlots(3_000);
      assert.deepEqual(stateOf(await scene.look(blind, view)), ['expired', false]);
      const seeing = scene.serve({ nodes: [fault, {}] }).links;
      assert.deepEqual(stateOf(await scene.look(seeing, view)), ['paid', true]);
      assert.deepEqual(stateOf(await scene.look(blind, view)), ['paid', true]);
    }
  });

  it('one that shows no balances hides what was wrapped, or paid by a program whose calls it does not show, too', async () => {
    const view = await scene.create(sound);
    await scene.send(view);
    const account = { address: view.link.destination, signer: false, writable: true };
    const syncNative = { program: view.link.tokenProgram, accounts: [account], data: Uint8Array.of(17) };
    for (const content of [
      { transfers: [], instructions: [], hasCalls: false },
      { transfers: [], instructions: [syncNative], hasCalls: true },
    ]) {
      const { node } = scene.serve({ nodes: [{ hasEmptyBalances: true }] });
      const truth = node.readTransaction.bind(node);
      node.readTransaction = async (signature) => {
        const landed = await truth(signature);
        return landed?.content ? { ...landed, content: { ...landed.content, ...content } } : landed;
      };
      const { state, payments } = await scene.look(scene.serveFrom([node]), view);
      assert.deepEqual([state, payments.map(({ flaw }) => flaw)], ['open', ['not_shown']]);
    }
  });

  it('one that shows no balances, of what cannot have paid the link: nobody can keep it from being settled', async () => {
    const view = await scene.create(sound);
    scene.spam(view);
    await scene.send(view, { to: addressOf('carol') });
    const { links } = scene.serve({ nodes: [{ hasEmptyBalances: true }] });
    const { payments } = await scene.look(links, view);
    assert.deepEqual(payments.map(({ flaw }) => flaw).toSorted(), ['elsewhere', 'no_transfer']);
    scene.later(settlingMs);
    scene.ledger.advanceSlots(3_000);
    assert.deepEqual(stateOf(await scene.look(links, view)), ['expired', true]);
  });

  it('one that keeps no calls between programs shows a payment by its balances', async () => {
    const view = await scene.create(sound);
    await scene.send(view);
    const { links } = scene.serve({ nodes: [{ leftOut: ['innerInstructions'] }] });
    assert.deepEqual(stateOf(await scene.look(links, view)), ['paid', false]);
  });

  it('one alone does not settle a link, nor one that is far behind, has pruned its time, or hides a transaction', async () => {
    const pruned = () => ({ firstSlot: scene.ledger.slot() - 2_990n });
    for (const [nodesOf, isSettled] of [
      [() => [{}], true],
      [() => [{}, { failing }], false],
      [() => [{}, { lagSlots: 150 - 32 }], true],
      [() => [{}, { lagSlots: 151 - 32 }], false],
      [() => [{}, pruned()], false],
      [() => [{}, {}], true],
      [() => [{}, pruned(), {}], true],
    ] as const) {
      const view = await scene.create(sound);
      scene.later(settlingMs);
      scene.ledger.advanceSlots(3_000);
      const nodes = nodesOf();
      assert.deepEqual(
        stateOf(await lookWith({ nodes }, view)),
        ['expired', isSettled],
        Object.keys(nodes[1] ?? {})[0],
      );
    }
    const hidden = await scene.create(sound);
    const lost = new Set([await scene.send(hidden)]);
    scene.later(settlingMs);
    scene.finalize();
    assert.deepEqual(stateOf(await lookWith({ nodes: [{ lost }] }, hidden)), ['expired', false]);
    assert.deepEqual(stateOf(await lookWith({ nodes: [{ lost }, {}] }, hidden)), ['paid', true]);
  });

  it('one that left a payment out is found out before the link is settled', async () => {
    const view = await scene.create(sound);
    const signature = await scene.send(view);
    await scene.send(view, { amount: 1n });
    scene.finalize();
    const omitted = new Set([signature]);
    const { links } = scene.serve({ nodes: [{ omitted }, {}] });
    const missed = await scene.look(links, view);
    assert.deepEqual([missed.state, missed.payments.length], ['open', 1]);
    assert.ok(missed.link.examinedUntil);
    scene.later(settlingMs);
    assert.deepEqual(stateOf(await scene.look(links, view)), ['paid', true]);
  });

  it('one alone does not make a link open again where there are others', async () => {
    const view = await scene.create(sound);
    const omitted = new Set([await scene.send(view)]);
    assert.deepEqual(stateOf(await scene.look(sound, view)), ['paid', false]);
    scene.finalize();
    assert.deepEqual(stateOf(await lookWith({ nodes: [{ omitted }, { failing }] }, view)), ['paid', false]);
    const open = await lookWith({ nodes: [{ omitted }, { omitted }] }, view);
    assert.deepEqual([...stateOf(open), open.payments], ['open', false, []]);
  });

  it('one whose list is late is not believed that a payment was dropped, as long as its status is there', async () => {
    const view = await scene.create(sound);
    const signature = await scene.send(view);
    assert.deepEqual(stateOf(await scene.look(sound, view)), ['paid', false]);
    scene.finalize();
    const withoutIt: NodeFaults['changeEntries'] = (entries) => entries.filter((each) => each.signature !== signature);
    assert.deepEqual(stateOf(await lookWith({ nodes: [{ changeEntries: withoutIt }] }, view)), ['paid', false]);
  });
});
