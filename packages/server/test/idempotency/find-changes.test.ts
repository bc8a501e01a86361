import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshWallet } from '../../../core/test/fixtures.ts';
import { type BuiltItem, memoOf } from '../outcomes/outcome-scene.ts';
import { WatchedScene } from './watched-scene.ts';

describe('what becomes of the transactions of keyed requests is told', () => {
  it('when one lands and when that is final, once each', async (t) => {
    const scene = await WatchedScene.open(t);
    const item = await scene.outcomes.build();
    await scene.reply('order-1', [item]);
    await scene.look();
    assert.deepEqual(await scene.told(), []);
    const signature = scene.outcomes.land(item);
    await scene.look();
    await scene.look();
    assert.deepEqual(await scene.told(), ['order-1 landed']);
    scene.finalize();
    await scene.look();
    await scene.look();
    assert.deepEqual(await scene.told(), ['order-1 landed', 'order-1 final']);
    const events = await scene.events();
    assert.deepEqual(
      events.map(({ data }) => [data.signature, data.is_final]),
      [
        [signature, false],
        [signature, true],
      ],
    );
    assert.equal(new Set(events.map(({ data }) => data.message_hash)).size, 1);
    assert.equal(await scene.watchedCount(), 0);
    assert.equal(await scene.look(100_000), 0);
  });

  it('when one is never submitted, once it can land no more', async (t) => {
    const scene = await WatchedScene.open(t);
    const item = await scene.outcomes.build();
    await scene.reply('order-1', [item]);
    scene.outcomes.finalize((item.lastValidBlockHeight ?? 0n) + 151n);
    await scene.look();
    assert.deepEqual(await scene.told(), []);
    scene.expire(item);
    await scene.look();
    assert.deepEqual(await scene.told(), ['order-1 expired']);
    assert.equal(await scene.look(100_000), 0);
  });

  it('when one fails on chain, once it can land no more', async (t) => {
    const scene = await WatchedScene.open(t);
    const item = await scene.outcomes.build({ amount: 400_000_000_000n });
    const spends = await scene.outcomes.build({ amount: 700_000_000_000n, memo: memoOf('all of it') });
    await scene.reply('order-1', [item]);
    scene.outcomes.land(spends);
    const { error, landed } = scene.outcomes.ledger.sendTransaction(scene.outcomes.sign(item.bytes));
    assert.deepEqual([landed, error !== null], [true, true]);
    scene.finalize();
    await scene.look();
    assert.deepEqual(await scene.told(), []);
    scene.expire(item);
    await scene.look();
    assert.deepEqual(await scene.told(), ['order-1 failed']);
  });

  it('for each transaction of a batch by itself, with the transfers that it makes', async (t) => {
    const scene = await WatchedScene.open(t);
    const [first, second] = [await scene.outcomes.build(), await scene.outcomes.build({ amount: 2n })];
    await scene.reply('payroll', [first, second]);
    scene.outcomes.land(second);
    scene.expire(first);
    await scene.look();
    const events = await scene.events();
    const told = events.map(({ type, data }) => [type, data.transaction_index, data.transfers]);
    assert.deepEqual(told.sort(), [
      ['transfer.expired', 0, [0]],
      ['transfer.final', 1, [1]],
      ['transfer.landed', 1, [1]],
    ]);
  });

  it('once, when a process is killed between finding and storing', async (t) => {
    const scene = await WatchedScene.open(t);
    const item = await scene.outcomes.build();
    await scene.reply('order-1', [item]);
    scene.outcomes.land(item);
    assert.equal(await scene.look(2_000, { isKilled: true }), 1);
    assert.deepEqual(await scene.told(), []);
    assert.equal(await scene.look(14_999), 0, 'it may still be at work');
    assert.equal(await scene.look(1), 1);
    assert.deepEqual(await scene.told(), ['order-1 landed']);
  });

  it('as it is in the end, after a fork dropped what landed', async (t) => {
    const scene = await WatchedScene.open(t);
    const [dropped, moved] = [await scene.outcomes.build(), await scene.outcomes.build({ amount: 2n })];
    await scene.reply('order-1', [dropped]);
    await scene.reply('order-2', [moved]);
    const signatures = [scene.outcomes.land(dropped), scene.outcomes.land(moved)];
    await scene.look();
    scene.node.faults.omitted = new Set(signatures);
    await scene.look();
    assert.deepEqual((await scene.told()).toSorted(), ['order-1 landed', 'order-2 landed']);
    scene.node.faults.omitted = new Set(signatures.slice(0, 1));
    scene.expire(moved);
    await scene.look();
    assert.deepEqual((await scene.told()).slice(2).sort(), ['order-1 expired', 'order-2 final']);
  });

  it('when a wallet changed one, and of its equal twin that it is another', async (t) => {
    const scene = await WatchedScene.open(t);
    const [first, second] = [await scene.outcomes.build(), await scene.outcomes.build()];
    await scene.reply('order-1', [first]);
    await scene.reply('order-2', [second]);
    scene.outcomes.landChanged(second);
    scene.finalize();
    await scene.look();
    assert.deepEqual(await scene.told(), ['order-1 landed', 'order-1 final'], 'the first that can land no more');
    scene.expire(first);
    await scene.look();
    scene.expire(second);
    await scene.look();
    assert.deepEqual((await scene.told()).slice(2), ['order-2 expired']);
  });

  it('when both of two equal ones landed, of which a wallet changed the second', async (t) => {
    const scene = await WatchedScene.open(t);
    const [first, second] = [await scene.outcomes.build(), await scene.outcomes.build()];
    await scene.reply('order-1', [first]);
    await scene.reply('order-2', [second]);
    scene.outcomes.landChanged(second);
    scene.finalize();
    await scene.look();
    scene.outcomes.land(first);
    scene.expire(second);
    await scene.look();
    assert.deepEqual((await scene.told()).toSorted(), [
      'order-1 final',
      'order-1 landed',
      'order-2 final',
      'order-2 landed',
    ]);
  });

  it('to each client by itself: the payment of one is not given to another that built the same', async (t) => {
    const scene = await WatchedScene.open(t);
    const other = (await scene.store.create({ name: 'other', expiresAt: null })).record.rootId;
    await scene.addEndpoint(null, other);
    const [theirs, ours] = [await scene.outcomes.build(), await scene.outcomes.build()];
    await scene.reply('order-1', [theirs], other);
    await scene.reply('order-1', [ours]);
    scene.outcomes.landChanged(ours);
    scene.finalize();
    await scene.look();
    assert.deepEqual(await scene.told(), ['order-1 landed', 'order-1 final']);
  });

  it('late, and never wrongly, by nodes that fail, keep no history or have forgotten it', async (t) => {
    const scene = await WatchedScene.open(t);
    const item = await scene.outcomes.build();
    await scene.reply('order-1', [item]);
    scene.outcomes.land(item);
    scene.expire(item);
    const { faults } = scene.node;
    const unfit = { failing: new Set(['readSignatures']), hasNoHistory: true, firstSlot: scene.outcomes.ledger.slot() };
    for (const [fault, value] of Object.entries(unfit)) {
      const sound = { ...faults };
      Object.assign(faults, { [fault]: value });
      assert.equal(await scene.look(60_000), 1);
      assert.deepEqual(await scene.told(), [], fault);
      Object.assign(faults, sound);
    }
    await scene.look(60_000);
    assert.deepEqual(await scene.told(), ['order-1 landed', 'order-1 final']);
  });

  it('of 100 transfers of one sender, half of them with references, by one history call an interval, and one for each that landed', async (t) => {
    const scene = await WatchedScene.open(t);
    const items: BuiltItem[] = [];
    for (let index = 0; index < 100; index++) {
      const references = index % 2 === 0 ? [] : [freshWallet()];
      const item = await scene.outcomes.build({ memo: memoOf(`order ${index}`), references });
      items.push(item);
      await scene.reply(`order-${index}`, [item]);
    }
    const countCalls = async () => {
      const before = scene.node.calls.length;
      await scene.look();
      const calls = scene.node.calls.slice(before);
      const countOf = (method: string): number => calls.filter((call) => call === method).length;
      return { lists: countOf('readSignatures'), reads: countOf('readTransaction'), all: calls.length };
    };
    const idle = await countCalls();
    assert.deepEqual([idle.lists, idle.reads], [1, 1], 'what gave the sender its tokens may be any of them');
    assert.ok(idle.all <= 5, `${idle.all} calls`);
    for (const item of items.slice(-50)) scene.outcomes.land(item);
    const busy = await countCalls();
    assert.deepEqual([busy.lists, busy.reads], [1, 51]);
    assert.equal((await scene.told()).length, 50);
  });
});
