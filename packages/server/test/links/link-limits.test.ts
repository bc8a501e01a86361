import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type KeyRestrictions, unrestricted } from '../../src/keys/authenticated-key.ts';
import type { OwnerKey } from '../../src/links/records/payment-link.ts';
import { isAppError } from '../../src/problems.ts';
import { addressOf } from '../outcomes/outcome-scene.ts';
import { LinkScene, never, tenTokens } from './link-scene.ts';

const isClosed = (error: unknown) => isAppError(error, 'payment_link_closed');
const mint = 'another mint';
const keyWith = (id: string, restrictions: Partial<KeyRestrictions> = {}): OwnerKey => ({
  id,
  restrictions: { ...unrestricted, ...restrictions },
});
const narrow = { toAddresses: new Set([addressOf('carol')]) };

describe('the limits of today, of the keys of the owner of a payment link', async () => {
  const scene = await LinkScene.open();

  /** A link of `key_1`, and a service for which its owner has these keys, the newest first. */
  async function makeLink(...keys: readonly OwnerKey[]) {
    const owner = { keys };
    const store = { ...scene.links, listOwnerKeys: async () => owner.keys };
    const { links, node } = scene.serve({ store });
    const view = await scene.create(links);
    const { id } = view.link;
    const pay = () => scene.askToPay(links, view);
    const state = async () => (await links.read(id, never))?.state;
    return { owner, links, node, view, id, pay, state };
  }

  it('close a link that its key may not make any more, in every view of it, and open it again', async () => {
    const { owner, links, view, pay, state } = await makeLink(keyWith('key_1'));
    const all = { perTransfer: null, perDay: null };
    const refused: readonly Partial<KeyRestrictions>[] = [
      { operations: new Set(['transfer']) },
      { mints: new Set([mint]) },
      { fromAddresses: new Set([addressOf('alice')]) },
      narrow,
      { amounts: new Map([[mint, all]]) },
      { amounts: new Map([[view.link.mint, { ...all, perTransfer: tenTokens - 1n }]]) },
      { amounts: new Map([[view.link.mint, { ...all, perDay: tenTokens - 1n }]]) },
    ];
    for (const restrictions of refused) {
      owner.keys = [keyWith('key_1', restrictions)];
      await assert.rejects(pay(), isClosed, Object.keys(restrictions).join());
      const listed = (await links.list('key_1', { limit: 100 }, never)).find(({ link }) => link.id === view.link.id);
      assert.deepEqual([await state(), listed?.state], ['cancelled', 'cancelled']);
      owner.keys = [keyWith('key_1', { toAddresses: new Set([view.link.recipient]) })];
      assert.ok(await pay());
      assert.equal(await state(), 'open');
    }
  });

  it('are those of the key that made it, while that is accepted, and then of the newest one', async () => {
    const { owner, state } = await makeLink();
    const states: [string | undefined, ...OwnerKey[]][] = [
      ['cancelled'],
      ['cancelled', keyWith('key_3'), keyWith('key_2'), keyWith('key_1', narrow)],
      ['open', keyWith('key_3', narrow), keyWith('key_2'), keyWith('key_1')],
      ['open', keyWith('key_3'), keyWith('key_2', narrow)],
      ['cancelled', keyWith('key_3', narrow), keyWith('key_2')],
    ];
    for (const [expected, ...keys] of states) {
      owner.keys = keys;
      assert.equal(await state(), expected, keys.map(({ id }) => id).join());
    }
  });

  it('are asked before the chain, which is not asked about what they refuse', async () => {
    const { owner, node, pay } = await makeLink(keyWith('key_1'));
    owner.keys = [];
    scene.later(10_000);
    node.calls.length = 0;
    await assert.rejects(pay(), isClosed);
    assert.deepEqual(node.calls, []);
  });

  it('do not keep a payment that was made from being seen', async () => {
    const { owner, links, view } = await makeLink(keyWith('key_1'));
    await scene.payLink(links, view);
    owner.keys = [];
    assert.equal((await scene.look(links, view)).state, 'paid');
  });

  it('do not keep a link from being canceled for good', async () => {
    const { owner, links, id, state } = await makeLink(keyWith('key_1'));
    owner.keys = [keyWith('key_1', narrow)];
    const cancelled = await links.cancel(id, never);
    assert.deepEqual([cancelled?.state, cancelled?.link.cancelledAt], ['cancelled', new Date(scene.clock.now)]);
    owner.keys = [keyWith('key_1')];
    assert.equal(await state(), 'cancelled');
  });

  it('refuse a link whose key has ended since the request came, and do not store it', async () => {
    const made = async () => (await scene.links.list('key_1', { limit: 100 })).length;
    const before = await made();
    const { links } = scene.serve({
      store: { ...scene.links, insert: (link, bounds) => scene.links.insert(link, { ...bounds, needsKey: true }) },
    });
    await assert.rejects(scene.create(links), (error) => isAppError(error, 'api_key_invalid'));
    assert.equal(await made(), before);
  });
});
