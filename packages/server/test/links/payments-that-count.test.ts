import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AddressLookupTableAccount, PublicKey, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { writeLookupTable } from '../../../../test/judge/links/lookup-table.ts';
import { toAddress } from '../../../core/src/addresses/address.ts';
import { keypairFromName } from '../../../sandbox/src/ledger/keypair.ts';
import { addressOf, walletOf } from '../outcomes/outcome-scene.ts';
import { LinkScene, lamportsTo, mintOf, tenTokens } from './link-scene.ts';

describe('a payment link is paid', async () => {
  const scene = await LinkScene.open();
  const { links } = scene.serve();

  it('by the transaction that a payer was given', async () => {
    const view = await scene.create(links);
    assert.deepEqual([view.state, view.isFinal, view.payments], ['open', false, []]);
    const signature = await scene.payLink(links, view);
    const paid = await scene.look(links, view);
    assert.deepEqual([paid.state, paid.isFinal], ['paid', false]);
    const record = scene.ledger.transactionRecord(signature);
    assert.deepEqual(paid.payments, [
      {
        signature,
        payer: addressOf('alice'),
        mint: view.link.mint,
        owner: addressOf('alice'),
        amount: tenTokens,
        received: tenTokens,
        slot: record?.slot,
        blockTime: record?.blockTime,
        commitment: 'confirmed',
        flaw: undefined,
      },
    ]);
    scene.finalize();
    const final = await scene.look(links, view);
    assert.deepEqual([final.state, final.isFinal, final.payments[0]?.commitment], ['paid', true, 'finalized']);
  });

  it('by a transaction that a wallet changed, and that a sponsor pays for', async () => {
    const view = await scene.create(links, { memo: 'order 7' });
    const { transaction } = await scene.askToPay(links, view);
    const signature = scene.chain.landChanged({ bytes: transaction }, { feePayer: 'carol' });
    const paid = await scene.look(links, view);
    assert.deepEqual([paid.state, paid.payments[0]?.signature], ['paid', signature]);
    assert.equal(paid.payments[0]?.payer, addressOf('alice'));
  });

  it('into a token account that the payment creates', async () => {
    const view = await scene.create(links, { recipient: addressOf('dave'), mint: mintOf(scene, 'GOLD') });
    await scene.payLink(links, view);
    const { state, payments } = await scene.look(links, view);
    assert.deepEqual([state, payments[0]?.received], ['paid', tenTokens]);
  });

  it('by what was sent, whatever fee the mint takes of it, beside transfers to others', async () => {
    const view = await scene.create(links, { mint: mintOf(scene, 'TAXED') });
    const own = await scene.instructionsOf(view);
    scene.sendAll([...(await scene.instructionsOf(view, { to: addressOf('carol'), amount: 3n })), ...own]);
    const { state, payments } = await scene.look(links, view);
    assert.deepEqual([state, payments[0]?.amount, payments[0]?.received], ['paid', tenTokens, 9_900_000n]);
  });

  it('in version 0 and version 1', async () => {
    for (const version of [0, 1] as const) {
      const view = await scene.create(links);
      await scene.send(view, { version });
      assert.equal((await scene.look(links, view)).state, 'paid');
    }
  });

  it('with its accounts in a lookup table', async () => {
    const view = await scene.create(links);
    const built = await scene.chain.build({ ...scene.requestFor(view), version: 0 });
    const plain = VersionedTransaction.deserialize(built.bytes).message;
    const table = keypairFromName('a table of these tests').address;
    writeLookupTable(
      scene.ledger,
      table,
      plain.staticAccountKeys.map((key) => toAddress(key.toBase58())),
    );
    const state = { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0 };
    const account = new AddressLookupTableAccount({
      key: new PublicKey(table),
      state: { ...state, addresses: plain.staticAccountKeys },
    });
    const compiled = TransactionMessage.decompile(plain).compileToV0Message([account]);
    const bytes = new VersionedTransaction(compiled);
    const alice = walletOf('alice');
    bytes.addSignature(new PublicKey(alice.address), alice.sign(Uint8Array.from(compiled.serialize())));
    scene.chain.send(bytes.serialize());
    assert.ok(compiled.addressTableLookups.length > 0);
    const paid = await scene.look(links, view);
    assert.deepEqual([paid.state, paid.payments[0]?.received], ['paid', tenTokens]);
  });

  it('by more than it asks for, beside a reference that is of no link', async () => {
    const view = await scene.create(links);
    await scene.send(view, { amount: tenTokens + 1n, references: [addressOf('carol'), view.link.reference] });
    assert.equal((await scene.look(links, view)).state, 'paid');
  });

  it('once, and lists who else paid', async () => {
    const view = await scene.create(links);
    const [one, other] = [await scene.send(view), await scene.send(view, { amount: tenTokens * 2n })];
    const { state, payments } = await scene.look(links, view);
    assert.equal(state, 'paid');
    assert.deepEqual(
      payments.map(({ signature, flaw }) => [signature, flaw]),
      [
        [one, undefined],
        [other, undefined],
      ],
    );
  });

  it('never when it takes many payments: it lists them and stays open', async () => {
    const view = await scene.create(links, { isSingleUse: false, minAmount: 1n });
    for (const amount of [1n, 7n]) await scene.payLink(links, view, 'alice', amount);
    scene.finalize();
    const { state, isFinal, payments } = await scene.look(links, view);
    assert.deepEqual([state, isFinal], ['open', false]);
    assert.deepEqual(
      payments.map(({ amount, flaw }) => [amount, flaw]),
      [
        [1n, undefined],
        [7n, undefined],
      ],
    );
  });
});

describe('a payment link is not paid', async () => {
  const scene = await LinkScene.open();
  const { links } = scene.serve();
  const flawsOf = async (view: Parameters<LinkScene['look']>[1]): Promise<readonly unknown[]> => {
    const { state, payments } = await scene.look(links, view);
    assert.equal(state, 'open');
    return payments.map(({ flaw, amount }) => [flaw, amount]);
  };

  it('by payments that are enough together only, which are listed', async () => {
    const view = await scene.create(links);
    for (const amount of [tenTokens - 1n, 1n]) await scene.send(view, { amount });
    assert.deepEqual(await flawsOf(view), [
      ['too_little', tenTokens - 1n],
      ['too_little', 1n],
    ]);
  });

  it('by a transfer without its reference', async () => {
    const view = await scene.create(links);
    await scene.send(view, { references: [] });
    assert.deepEqual(await flawsOf(view), []);
  });

  it('by a payment that failed', async () => {
    const view = await scene.create(links);
    const instructions = await scene.instructionsOf(view);
    scene.sendAll([...instructions, lamportsTo(view.link.reference, 2n ** 60n)]);
    assert.equal(scene.ledger.transactionRecordsOf(view.link.reference).length, 1);
    assert.deepEqual(await flawsOf(view), []);
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
});
