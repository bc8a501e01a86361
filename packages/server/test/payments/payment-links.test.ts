import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshWallet } from '../../../core/test/chain-accounts.ts';
import { isAppError, type ProblemCode } from '../../src/errors.ts';
import type { PaymentLink } from '../../src/keys/store/payment-links/payment-link-store.ts';
import type { LinkView } from '../../src/payments/link-view.ts';
import { onlyLedger } from '../keys/ledgers.ts';
import { addressOf } from '../service/outcome/outcome-scene.ts';
import { LinkScene, never } from './link-scene.ts';

const isProblem = (code: ProblemCode) => (error: unknown) => isAppError(error, code);

describe('payment links', async () => {
  const scene = await LinkScene.open();
  const { links } = scene.serve();

  it('are shown as they are when they are made: open, until their time is over', async () => {
    const { state, isFinal, payments } = await scene.create(links);
    assert.deepEqual([state, isFinal, payments], ['open', false, []]);
    assert.equal((await scene.create(links, { expiresInSeconds: 0 })).state, 'expired');
  });

  it('are given to nobody where the mint, the token program or the destination is not what it was', async () => {
    const view = await scene.create(links);
    const found = await scene.keys.paymentLinksOf(onlyLedger).find(view.link.id);
    assert.ok(found);
    const payWith = (changes: Partial<PaymentLink>) => {
      const store = { ...scene.links, find: async () => ({ ...found, link: { ...found.link, ...changes } }) };
      return scene.serve({ store }).links.pay(view.link.id, addressOf('alice'), undefined, never);
    };
    for (const changes of [{ decimals: 7 }, { tokenProgram: freshWallet() }, { destination: freshWallet() }]) {
      await assert.rejects(payWith(changes), isProblem('payment_link_changed'), Object.keys(changes).join());
    }
    assert.ok(await payWith({}));
  });

  it('that are paid are not canceled, and the refusal names the payment that counts', async () => {
    const view = await scene.create(links);
    await scene.send(view, { amount: 1n });
    const signature = await scene.send(view);
    scene.later(10_000);
    await assert.rejects(links.cancel(view.link.id, never), (error) => {
      assert.ok(isAppError(error, 'payment_link_paid'));
      return error.message.includes(signature);
    });
  });

  it('are canceled at the time at which it was asked for, and once', async () => {
    const view = await scene.create(links);
    scene.later(5_000);
    const now = scene.clock.now;
    assert.equal((await links.cancel(view.link.id, never))?.link.cancelledAt?.getTime(), now);
    scene.later(5_000);
    assert.equal((await links.cancel(view.link.id, never))?.link.cancelledAt?.getTime(), now);
  });

  it('are looked at once more before they are canceled when the last look is older than a payer may see', async () => {
    for (const [ageMs, calls] of [
      [1_499, 0],
      [1_500, 1],
    ] as const) {
      const view = await scene.create(links);
      const { links: other, node } = scene.serve();
      scene.later(ageMs);
      await other.cancel(view.link.id, never);
      assert.equal(node.calls.filter((call) => call === 'readSignatures').length, calls);
    }
  });

  it('of one list are looked at eight at a time, and all of them as the chain shows them', async () => {
    const owner = { ownerId: 'key_of_many', keyId: 'key_of_many' };
    const made: LinkView[] = [];
    for (let count = 0; count < 20; count += 1) {
      const { link } = await scene.create(links);
      const asked = { ...link, expiresInSeconds: 3_600 };
      made.push(await links.create(asked, owner, never));
      scene.later(1);
    }
    const [paid] = made;
    assert.ok(paid);
    await scene.send(paid);
    scene.later(10_000);
    let underWay = 0;
    let most = 0;
    const { links: other, node } = scene.serve();
    const areEight = Promise.withResolvers<void>();
    node.faults.before = async (method) => {
      if (method !== 'readSignatures') return;
      underWay += 1;
      most = Math.max(most, underWay);
      if (underWay === 8) {
        // A ninth one would come right after the eighth.
        for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        areEight.resolve();
      }
      await areEight.promise;
      underWay -= 1;
    };
    const listed = await other.list(owner.ownerId, { limit: 100 }, never);
    assert.equal(most, 8);
    assert.deepEqual(
      listed.map(({ link, state }) => [link.id, state]),
      made.map(({ link }) => [link.id, link.id === paid.link.id ? 'paid' : 'open']).reverse(),
    );
  });

  it('are shown as they were while too many are looked at, and a payer is told to try again', async () => {
    const [one, two] = [await scene.create(links), await scene.create(links)];
    await scene.send(one);
    await scene.send(two);
    scene.later(10_000);
    const { links: busy } = scene.serve({ checksPerSecond: 1 });
    assert.equal((await busy.read(one.link.id, never))?.state, 'paid');
    const stale = await busy.read(two.link.id, never);
    assert.deepEqual([stale?.state, stale?.link.checkedAt], ['open', two.link.checkedAt]);
    const deadline = scene.clock.elapsed + 999;
    await assert.rejects(busy.pay(two.link.id, addressOf('alice'), undefined, deadline), isProblem('overloaded'));
  });

  it('pass on what is no fault of a node', async () => {
    const view = await scene.create(links);
    scene.later(10_000);
    const store = {
      ...scene.links,
      find: (id: string) => scene.keys.paymentLinksOf(onlyLedger).find(id),
      saveCheck: async () => {
        throw new RangeError('a mistake');
      },
    };
    await assert.rejects(scene.serve({ store }).links.read(view.link.id, never), RangeError);
  });
});
