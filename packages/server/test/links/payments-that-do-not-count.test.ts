import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressOf } from '../outcomes/outcome-scene.ts';
import { LinkScene, lamportsTo, mintOf, tenTokens } from './link-scene.ts';

describe('a payment link is not paid', async () => {
  const scene = await LinkScene.open();
  const { links } = scene.serve();
  const flawsOf = async (view: Parameters<LinkScene['look']>[1]): Promise<readonly unknown[]> => {
    const { state, payments } = await scene.look(links, view);
    assert.equal(state, 'open');
    return payments.map(({ flaw, amount }) => [flaw, amount]);
  };

  it('by too little, which is listed', async () => {
    const view = await scene.create(links);
    await scene.send(view, { amount: tenTokens - 1n });
    await scene.send(view, { amount: 1n });
    assert.deepEqual(await flawsOf(view), [
      ['too_little', tenTokens - 1n],
      ['too_little', 1n],
    ]);
  });

  it('by two payments that are enough together only', async () => {
    const view = await scene.create(links);
    for (const amount of [tenTokens - 1n, 1n]) await scene.send(view, { amount });
    assert.equal((await scene.look(links, view)).state, 'open');
  });

  it('by a payment to somebody else or in another token, which is listed', async () => {
    const view = await scene.create(links);
    await scene.send(view, { to: addressOf('carol') });
    for (const name of ['PYUSD', 'GOLD']) await scene.send(view, { mint: mintOf(scene, name) });
    assert.deepEqual(await flawsOf(view), [
      ['elsewhere', tenTokens],
      ['other_mint', tenTokens],
      ['other_mint', tenTokens],
    ]);
  });

  it('by transfers to somebody else and in another token, of which the first and those like it are listed', async () => {
    const view = await scene.create(links);
    const elsewhere = await scene.instructionsOf(view, { to: addressOf('carol'), amount: 3n });
    const otherMint = await scene.instructionsOf(view, { mint: mintOf(scene, 'PYUSD'), amount: tenTokens });
    scene.sendAll([...elsewhere, ...otherMint, ...elsewhere]);
    assert.deepEqual(await flawsOf(view), [['elsewhere', 6n]]);
  });

  it('by a transfer without its reference, or by its reference without a transfer, which is listed', async () => {
    const view = await scene.create(links);
    await scene.send(view, { references: [] });
    assert.deepEqual(await flawsOf(view), []);
    scene.spam(view);
    assert.deepEqual(await flawsOf(view), [['no_transfer', 0n]]);
  });

  it('by a payment that failed', async () => {
    const view = await scene.create(links);
    const instructions = await scene.instructionsOf(view);
    scene.sendAll([...instructions, lamportsTo(view.link.reference, 2n ** 60n)]);
    assert.equal(scene.ledger.transactionRecordsOf(view.link.reference).length, 1);
    assert.deepEqual(await flawsOf(view), []);
  });

  it('by what the recipient’s delegate sends from the token account to itself', async () => {
    const view = await scene.create(links);
    await scene.send(view, { references: [], amount: 2n * tenTokens });
    const [transfer] = await scene.instructionsOf(view);
    assert.ok(transfer);
    const [, ...others] = transfer.accounts;
    const self = { address: view.link.destination, signer: false, writable: true };
    const bob = { address: addressOf('bob'), signer: true, writable: false };
    const [mint, destination, , ...further] = others;
    assert.ok(mint && destination);
    scene.sendAll([{ ...transfer, accounts: [self, mint, destination, bob, ...further] }], { cosigner: 'bob' });
    assert.equal(scene.ledger.transactionRecordsOf(view.link.reference)[0]?.error, null);
    assert.deepEqual(await flawsOf(view), [['no_transfer', 0n]]);
  });

  it('by a transfer that pays another link: it counts for the first reference only, whoever looks first', async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ] as const) {
      const views = [await scene.create(links), await scene.create(links)] as const;
      const references = views.map(({ link }) => link.reference);
      await scene.send(views[0], { references });
      const states: Record<number, unknown> = {};
      for (const index of order) {
        const { state, payments } = await scene.look(links, views[index]);
        states[index] = [state, payments.map(({ flaw }) => flaw)];
      }
      assert.deepEqual(states, { 0: ['paid', [undefined]], 1: ['open', ['other_link']] });
    }
  });

  it('by what another link was paid in the same transaction', async () => {
    const [view, other] = [await scene.create(links), await scene.create(links)];
    const references = [other.link.reference, view.link.reference];
    const ofOther = await scene.instructionsOf(view, { references });
    const elsewhere = await scene.instructionsOf(view, { to: addressOf('carol'), amount: 2n });
    scene.sendAll([...ofOther, ...(await scene.instructionsOf(view, { amount: 3n }))]);
    scene.sendAll([...ofOther, ...elsewhere]);
    assert.deepEqual(await flawsOf(view), [
      ['too_little', 3n],
      ['other_link', tenTokens],
    ]);
  });

  it('but a reference that is of no link does not stand in its way', async () => {
    const view = await scene.create(links);
    await scene.send(view, { references: [addressOf('carol'), view.link.reference] });
    assert.equal((await scene.look(links, view)).state, 'paid');
  });
});
