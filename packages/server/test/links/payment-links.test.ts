import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshWallet } from '../../../core/test/fixtures.ts';
import { Work } from '../../src/app/work.ts';
import type { PaymentLink } from '../../src/links/records/payment-link.ts';
import { isAppError, type ProblemCode } from '../../src/problems.ts';
import type { TransferBuilder } from '../../src/transfers/transfer-builder.ts';
import { addressOf, type WalletName } from '../outcomes/outcome-scene.ts';
import { LinkScene, never, tenTokens } from './link-scene.ts';

const isProblem = (code: ProblemCode) => (error: unknown) => isAppError(error, code);

describe('payment links', async () => {
  const scene = await LinkScene.open();
  const { links } = scene.serve();

  it('are given to nobody where the mint, the token program or the destination is not what it was', async () => {
    const view = await scene.create(links);
    const found = await scene.keys.links.find(view.link.id);
    assert.ok(found);
    const payWith = (changes: Partial<PaymentLink>) => {
      const store = { ...scene.links, find: async () => ({ ...found, link: { ...found.link, ...changes } }) };
      return scene.askToPay(scene.serve({ store }).links, view);
    };
    for (const changes of [{ decimals: 7 }, { tokenProgram: freshWallet() }, { destination: freshWallet() }]) {
      await assert.rejects(payWith(changes), isProblem('payment_link_changed'), Object.keys(changes).join());
    }
    assert.ok(await payWith({}));
  });

  it('are paid by ten payers a second, and networks that wait take turns', async (t) => {
    const view = await scene.create(links);
    // Whole, so that tenths of a second add up to turns exactly.
    let now = Math.ceil(performance.now());
    t.mock.method(performance, 'now', () => now);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const begun: string[] = [];
    const build: TransferBuilder['build'] = ({ from }) => Promise.reject(new Error(String(begun.push(from))));
    const { links: busy } = scene.serve({ builder: { build } });
    const pay = (who: WalletName, owner: string) =>
      scene.askToPay(busy, view, { who, work: new Work({ owner }) }).catch(() => undefined);
    const paying = Promise.all([...Array.from({ length: 14 }, () => pay('alice', 'crowd')), pay('carol', 'other')]);
    for (const expected of [10, 11, 12, 13]) {
      for (let turn = 0; turn < 20 || begun.length < expected; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal(begun.length, expected);
      now += 100;
      t.mock.timers.tick(100);
    }
    assert.ok(begun.includes(addressOf('carol')));
    now += 1_000;
    t.mock.timers.tick(1_000);
    await paying;
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

  it('of one list wait for their turns together, a second and a half, and are shown as they were after that', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const owner = { ownerId: 'key_of_many', keyId: 'key_of_many' };
    const { link } = await scene.create(links);
    for (let count = 0; count < 6; count += 1)
      await links.create({ ...link, tokensAt: '', expiresInSeconds: 3_600 }, owner, never);
    scene.later(60_000);
    const askedAt = scene.clock.now;
    const listing = scene.serve({ checksPerSecond: 2 }).links.list(owner.ownerId, { limit: 100 }, never);
    for (let passed = 0; passed < 1_500; passed += 50) {
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      scene.later(50);
      t.mock.timers.tick(50);
    }
    const ages = (await listing).map(({ link: { checkedAt } }) => (checkedAt?.getTime() ?? 0) - askedAt);
    assert.deepEqual(
      ages.toSorted((a, b) => a - b),
      [-60_000, -60_000, 0, 0, 500, 1_000],
    );
  });

  it('are asked about again, long after they were settled, once another payment with their reference is seen', async () => {
    const view = await scene.create(links);
    const first = await scene.send(view);
    scene.finalize();
    await scene.look(links, view);
    scene.later(301_000);
    scene.ledger.advanceSlots(600);
    assert.ok((await scene.look(links, view)).link.settledAt);
    const second = await scene.send(view, { amount: tenTokens + 1n });
    const seenAt = scene.ledger.slot();
    scene.finalize();
    const payments = async () =>
      (await scene.look(links, view)).payments.map(({ signature, flaw }) => [signature, flaw]);
    assert.deepEqual(await payments(), [[first, undefined]]);
    await links.check(view.link.id, seenAt, never);
    assert.deepEqual(await payments(), [
      [first, undefined],
      [second, undefined],
    ]);
    const { links: restarted, node } = scene.serve();
    await restarted.check(view.link.id, seenAt, never);
    assert.deepEqual(node.calls, [], 'it is known');
  });

  it('of another key are not looked at', async () => {
    const view = await scene.create(links);
    scene.later(10_000);
    const { links: other, node } = scene.serve();
    assert.equal(await other.read(view.link.id, never, 'another key'), undefined);
    assert.deepEqual(node.calls, []);
  });

  it('pass on what is no fault of a node', async () => {
    const view = await scene.create(links);
    scene.later(10_000);
    const store = {
      ...scene.links,
      find: (id: string) => scene.keys.links.find(id),
      saveCheck: async () => {
        throw new RangeError('a mistake');
      },
    };
    await assert.rejects(scene.serve({ store }).links.read(view.link.id, never), RangeError);
  });
});
