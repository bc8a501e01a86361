import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LinkScene, never } from './link-scene.ts';

describe('the chain is asked about a payment link', async () => {
  const scene = await LinkScene.open();

  it('once for two services on one database', async () => {
    const { links } = scene.serve();
    const { links: others, node } = scene.serve();
    const { link } = await scene.create(links);
    scene.later(10_000);
    await links.read(link.id, never);
    await others.read(link.id, never);
    assert.deepEqual(node.calls, []);
  });

  it('as often by the other services on the database, which is told of a request once in ten seconds', async () => {
    const { links } = scene.serve();
    const { links: others, node } = scene.serve();
    const view = await scene.create(links);
    const handedOutAt = async () => (await links.find(view.link.id))?.link.handedOutAt?.getTime();
    await scene.askToPay(links, view);
    const first = scene.clock.now;
    scene.later(9_999);
    await scene.askToPay(links, view);
    assert.equal(await handedOutAt(), first);
    scene.later(1);
    await scene.askToPay(links, view);
    assert.equal(await handedOutAt(), first + 10_000);
    scene.later(1_500);
    await others.read(view.link.id, never);
    assert.ok(node.calls.length > 0);
  });
});

describe('the events of a payment link', async () => {
  const scene = await LinkScene.open();

  it('are dated by the end of their check: a reader of the newest ones never looks below those that it has seen', async (t) => {
    const { links, node } = scene.serve();
    const { endpoints, events } = scene.keys.webhooks;
    const shop = { owner_id: 'key_1', url: 'https://shop.example/hook', description: null, types: null };
    await endpoints.insert(shop, new Date(scene.clock.now));
    const view = await scene.create(links);
    await scene.send(view);
    const read = node.readTransaction.bind(node);
    t.mock.method(node, 'readTransaction', (...input: Parameters<typeof read>) => {
      scene.later(5_000);
      return read(...input);
    });
    await scene.look(links, view);
    const [paid] = await events.list('key_1', { limit: 1 });
    assert.deepEqual([paid?.type, paid?.created_at], ['payment_link.paid', scene.clock.now]);
  });
});

describe('a reference that is flooded', async () => {
  const scene = await LinkScene.open();

  /** The transactions that are read when a link is looked at. */
  async function readsOf(look: () => Promise<unknown>, calls: readonly string[]): Promise<number> {
    const before = calls.length;
    await look();
    return calls.slice(before).filter((method) => method === 'readTransaction').length;
  }

  it('with 300 transactions costs 20 reads a check, hides no payment, and is settled in the end', async () => {
    const { links, node } = scene.serve();
    const view = await scene.create(links);
    const flood = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) scene.spam(view);
    };
    await flood(150);
    await scene.send(view);
    await flood(150);
    const late = await scene.create(links);
    for (let index = 0; index < 40; index += 1) scene.spam(late);
    await scene.send(late);
    assert.equal((await scene.look(links, late)).state, 'paid', 'what is paid now is seen at once');
    let checks = 0;
    let state = 'open';
    while (state === 'open') {
      checks += 1;
      const reads = await readsOf(async () => {
        state = (await scene.look(links, view)).state;
      }, node.calls);
      assert.ok(reads <= 20, `${reads} reads`);
    }
    assert.ok(checks <= 16, `${checks} checks`);
    scene.finalize();
    scene.later(3_600_000 + 300_000);
    for (let check = 0; check < 20; check += 1) await scene.look(links, view);
    assert.ok((await scene.look(links, view)).link.settledAt);
  });

  it('with what is no payment is not read again by another service', async () => {
    const { links } = scene.serve();
    const view = await scene.create(links);
    for (let index = 0; index < 15; index += 1) scene.spam(view);
    scene.finalize();
    await scene.look(links, view);
    const { links: others, node } = scene.serve();
    assert.equal(await readsOf(() => scene.look(others, view), node.calls), 0);
  });

  it('with payments that are too small fills no database', async () => {
    const { links } = scene.serve();
    const view = await scene.create(links, { isSingleUse: false });
    for (let index = 0; index < 110; index += 1) await scene.send(view, { amount: BigInt(index + 1) });
    for (let check = 0; check < 8; check += 1) await scene.look(links, view);
    await scene.send(view);
    const { payments } = await scene.look(links, view);
    assert.equal(payments.filter(({ flaw }) => flaw === 'too_little').length, 100);
    assert.equal(payments.filter(({ flaw }) => flaw === undefined).length, 1);
    // Those that are stored become final.
    scene.finalize();
    for (let check = 0; check < 8; check += 1) await scene.look(links, view);
    const later = await scene.look(links, view);
    assert.deepEqual([...new Set(later.payments.map(({ commitment }) => commitment))], ['finalized']);
  });
});
