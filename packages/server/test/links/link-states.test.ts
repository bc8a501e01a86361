import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LinkView } from '../../src/links/link-view.ts';
import { isAppError } from '../../src/problems.ts';
import { LinkScene, never } from './link-scene.ts';

const hour = 3_600_000;
const fiveMinutes = 300_000;
const stateOf = ({ state, isFinal }: LinkView) => [state, isFinal];

describe('the state of a payment link', async () => {
  const scene = await LinkScene.open();
  const { links, node } = scene.serve();

  /** How many calls are made while a link is looked at three times. */
  async function callsToLookAt(view: LinkView): Promise<number> {
    const before = node.calls.length;
    for (const _ of [1, 2, 3]) await scene.look(links, view);
    return node.calls.length - before;
  }

  it('is expired from the moment on, and final after a look five minutes later, which is the last one at the chain', async () => {
    const view = await scene.create(links);
    scene.later(hour - 10_001);
    assert.deepEqual(stateOf(await scene.look(links, view)), ['open', false]);
    scene.later(1 - 10_000);
    assert.deepEqual(stateOf(await scene.look(links, view)), ['expired', false]);
    scene.later(fiveMinutes - 10_000);
    assert.deepEqual(stateOf(await scene.look(links, view)), ['expired', false]);
    assert.deepEqual(stateOf(await scene.look(links, view)), ['expired', true]);
    assert.equal(await callsToLookAt(view), 0);
  });

  it('is paid by a payment that was made in the last moment, or after it, or after it was canceled', async () => {
    const late = await scene.create(links);
    scene.later(hour + 60_000);
    assert.deepEqual(stateOf(await scene.look(links, late)), ['expired', false]);
    await scene.send(late);
    assert.deepEqual(stateOf(await scene.look(links, late)), ['paid', false]);
    const cancelled = await scene.create(links);
    assert.deepEqual(stateOf((await links.cancel(cancelled.link.id, never)) ?? late), ['cancelled', false]);
    await scene.send(cancelled);
    assert.deepEqual(stateOf(await scene.look(links, cancelled)), ['paid', false]);
  });

  it('is canceled, and final five minutes later', async () => {
    const view = await scene.create(links);
    await links.cancel(view.link.id, never);
    assert.deepEqual(stateOf(await scene.look(links, view)), ['cancelled', false]);
    scene.later(fiveMinutes);
    scene.finalize();
    assert.deepEqual(stateOf(await scene.look(links, view)), ['cancelled', true]);
    assert.equal(await callsToLookAt(view), 0);
  });

  it('stays expired when it is canceled too late', async () => {
    const view = await scene.create(links);
    scene.later(hour);
    const late = await links.cancel(view.link.id, never);
    assert.deepEqual([late?.state, late?.link.cancelledAt], ['expired', null]);
  });

  it('can be canceled while no node answers', async () => {
    const view = await scene.create(links);
    const { links: blind } = scene.serve({ nodes: [{ failing: new Set(['readSignatures']) }] });
    scene.later(10_000);
    assert.deepEqual(stateOf((await blind.cancel(view.link.id, never)) ?? view), ['cancelled', false]);
  });

  it('is canceled although payments were made, where it takes many', async () => {
    const view = await scene.create(links, { isSingleUse: false });
    await scene.send(view);
    scene.later(10_000);
    const cancelled = await links.cancel(view.link.id, never);
    assert.deepEqual([cancelled?.state, cancelled?.payments.length], ['cancelled', 1]);
    // What was paid is not final yet: a fork could drop it, and it is looked for.
    scene.later(fiveMinutes);
    assert.equal((await scene.look(links, view)).isFinal, false);
    scene.finalize();
    assert.equal((await scene.look(links, view)).isFinal, true);
  });

  it('is final with the payment, and for five minutes lists who else has paid', async () => {
    const view = await scene.create(links);
    await scene.send(view);
    scene.finalize();
    assert.deepEqual(stateOf(await scene.look(links, view)), ['paid', true]);
    await scene.send(view);
    assert.equal((await scene.look(links, view)).payments.length, 2);
    scene.finalize();
    scene.clock.now = Number(scene.ledger.blockTime(scene.ledger.slot())) * 1_000 + fiveMinutes;
    assert.ok((await scene.look(links, view)).link.settledAt);
    assert.equal(await callsToLookAt(view), 0);
  });

  it('is not settled while something of it is not final', async () => {
    const view = await scene.create(links);
    scene.later(hour + fiveMinutes);
    await scene.send(view, { amount: 1n });
    assert.equal((await scene.look(links, view)).isFinal, false);
    scene.finalize();
    const settled = await scene.look(links, view);
    assert.deepEqual([...stateOf(settled), settled.payments[0]?.flaw], ['expired', true, 'too_little']);
  });

  it('stays what it is when the clock is set back', async () => {
    const settled = await scene.create(links);
    const paid = await scene.create(links);
    scene.later(hour + fiveMinutes);
    scene.finalize();
    assert.deepEqual(stateOf(await scene.look(links, settled)), ['expired', true]);
    scene.clock.now -= 4 * hour;
    assert.deepEqual(stateOf(await scene.look(links, settled)), ['expired', true]);
    await assert.rejects(scene.askToPay(links, settled), (error) => {
      return isAppError(error, 'payment_link_closed');
    });
    // Checked an hour ahead of the clock by now, and again.
    await scene.send(paid);
    assert.deepEqual(stateOf(await scene.look(links, paid)), ['paid', false]);
    const before = node.calls.length;
    await links.read(paid.link.id, never);
    assert.equal(node.calls.length, before);
    scene.clock.now += 4 * hour;
  });

  it('is not settled before what was handed out can no longer land, however long no blocks come', async () => {
    const view = await scene.create(links);
    await scene.askToPay(links, view);
    scene.later(hour + 100 * fiveMinutes);
    assert.deepEqual(stateOf(await scene.look(links, view)), ['expired', false]);
    // 150 blocks of its blockhash, 151 of a wallet's newer one, and 50 for which nothing is noted again; 32 until that is final.
    scene.ledger.advanceSlots(150 + 151 + 50 + 32);
    assert.deepEqual(stateOf(await scene.look(links, view)), ['expired', false]);
    scene.ledger.advanceSlots(1);
    assert.deepEqual(stateOf(await scene.look(links, view)), ['expired', true]);
  });

  it('is final as soon as it is paid, where certificates finalize blocks at once', async () => {
    const { links: alpenglow } = scene.serve({ nodes: [{ finalityLagSlots: 0 }] });
    const view = await scene.create(alpenglow);
    await scene.send(view);
    assert.deepEqual(stateOf(await scene.look(alpenglow, view)), ['paid', true]);
  });

  it('is not settled while a cluster migrates: finality stands still', async () => {
    const { links: migrating } = scene.serve({ nodes: [{ voteOnlySlots: 90_000 }] });
    const view = await scene.create(migrating);
    const { transaction } = await scene.askToPay(migrating, view);
    scene.later(hour + 100 * fiveMinutes);
    assert.deepEqual(stateOf(await scene.look(migrating, view)), ['expired', false]);
    scene.ledger.advanceSlots(1);
    scene.chain.land({ bytes: transaction });
    assert.deepEqual(stateOf(await scene.look(migrating, view)), ['paid', false]);
  });

  it('is unknown of an id that no link has', async () => {
    assert.equal(await links.read('1111111111111111', never), undefined);
    assert.equal(await links.cancel('1111111111111111', never), undefined);
    assert.equal(await links.find('1111111111111111'), undefined);
  });
});
