import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifyLink } from '../../../client/src/verify/index.ts';
import { sol, toAddress } from '../../../core/src/addresses/address.ts';
import { type Instruction, role } from '../../../core/src/transaction/instruction.ts';
import { keypairFromName } from '../../../sandbox/src/ledger/keypair.ts';
import { payReplyJson } from '../../src/links/action-json.ts';
import { linkJson } from '../../src/links/link-json.ts';
import type { LinkView } from '../../src/links/link-view.ts';
import { TransferRefused } from '../../src/transfers/transfer-refused.ts';
import { addressOf } from '../outcomes/outcome-scene.ts';
import { noBrand } from '../pages/fake-pay-app.ts';
import { LinkScene, lamportsTo, mintOf } from './link-scene.ts';

const oneTenth = 100_000_000n;
const bob = addressOf('bob');

describe('a link in SOL', async () => {
  const scene = await LinkScene.open();
  const { links } = scene.serve();
  const create = (changes = {}) =>
    scene.create(links, { mint: sol, minAmount: oneTenth, maxAmount: oneTenth, ...changes });
  const carrying = (instruction: Instruction, ...views: readonly LinkView[]): Instruction => ({
    ...instruction,
    accounts: [...instruction.accounts, ...views.map(({ link }) => role.readonly(link.reference))],
  });
  const seen = async (view: LinkView) => {
    const { state, payments } = await scene.look(links, view);
    return [state, payments.map(({ received, flaw }) => [received, flaw])];
  };

  it('is paid by the transaction that a payer was given, which the client accepts', async () => {
    const view = await create({ memo: 'order 7' });
    const { transaction } = await scene.askToPay(links, view);
    const { recipient, mint, reference } = view.link;
    const terms = {
      ...{ account: addressOf('alice'), to_address: recipient, token_mint_address: mint, reference },
      ...{ amount: oneTenth, memo: 'order 7' },
    };
    const reply = { transaction: Buffer.from(transaction).toString('base64') };
    const { sentence } = await verifyLink(terms, reply);
    assert.match(sentence, /sends 0\.1 to \w+ .*, in SOL;/);
    await assert.rejects(verifyLink({ ...terms, amount: oneTenth - 1n }, reply));
    const signature = scene.chain.land({ bytes: transaction });
    const { state, payments } = await scene.look(links, view);
    assert.deepEqual([state, payments.length], ['paid', 1]);
    const { payer, owner, amount, received, flaw } = payments[0] ?? {};
    assert.deepEqual([payments[0]?.signature, payer, owner], [signature, addressOf('alice'), addressOf('alice')]);
    assert.deepEqual([amount, received, flaw], [oneTenth, oneTenth, undefined]);
    scene.finalize();
    assert.equal((await scene.look(links, view)).isFinal, true);
  });

  it('names SOL in its JSON, and no mint in its transfer request, which wallets pay by a transfer with the reference', async () => {
    const view = await create();
    const json = linkJson(view, 'https://pay.example');
    assert.deepEqual(
      [json.token_mint_address, json.amount, json.decimals, json.token_symbol],
      [sol, '100000000', 9, sol],
    );
    const url = `solana:${bob}?amount=0.1&reference=${view.link.reference}&label=Coffee`;
    assert.equal(json.transfer_request_url, url);
    scene.sendAll([carrying(lamportsTo(bob, oneTenth), view)]);
    assert.deepEqual(await seen(view), ['paid', [[oneTenth, undefined]]]);
  });

  it('is paid in full where the recipient pays the network fee itself', async () => {
    const view = await create();
    const { transaction } = await scene.askToPay(links, view);
    scene.chain.landChanged({ bytes: transaction }, { feePayer: 'bob' });
    assert.deepEqual(await seen(view), ['paid', [[oneTenth, undefined]]]);
  });

  it('is not paid by too little, elsewhere, without the reference, in tokens, or by what is sent back', async () => {
    const view = await create();
    const back = {
      ...lamportsTo(addressOf('alice'), oneTenth),
      accounts: [role.writableSigner(bob), role.writable(addressOf('alice'))],
    };
    scene.sendAll([carrying(lamportsTo(bob, oneTenth - 1n), view)]);
    scene.sendAll([carrying(lamportsTo(addressOf('carol'), oneTenth), view)]);
    scene.sendAll([lamportsTo(bob, oneTenth), carrying(lamportsTo(addressOf('carol'), 1n), view)]);
    await scene.send(view, { mint: mintOf(scene, 'USDC'), amount: oneTenth });
    scene.sendAll([carrying(lamportsTo(bob, oneTenth), view), back], { cosigner: 'bob' });
    assert.deepEqual(await seen(view), [
      'open',
      [
        [oneTenth - 1n, 'too_little'],
        [oneTenth, 'elsewhere'],
        [0n, 'other_link'],
        [0n, 'no_transfer'],
        [0n, 'nothing_stayed'],
      ],
    ]);
  });

  it('shares one payment with no other link', async () => {
    const [one, other] = [await create(), await create()];
    scene.sendAll([carrying(lamportsTo(bob, oneTenth), one, other)]);
    assert.deepEqual(await seen(one), ['paid', [[oneTenth, undefined]]]);
    assert.deepEqual(await seen(other), ['open', [[0n, 'other_link']]]);
  });

  it('is one of several tokens that a link accepts', async () => {
    const view = await scene.create(links, {
      otherTokens: [{ mint: sol, minAmount: oneTenth, maxAmount: oneTenth }],
      tokensAt: '/accepts',
    });
    assert.equal((await seen(view))[0], 'open');
    scene.sendAll([carrying(lamportsTo(bob, oneTenth), view)]);
    const { state, payments } = await scene.look(links, view);
    assert.deepEqual([state, payments[0]?.mint, payments[0]?.received], ['paid', sol, oneTenth]);
  });

  it('is refused where its least amount would leave a new wallet below the minimum of an account', async () => {
    const recipient = keypairFromName('a wallet that is new').address;
    await assert.rejects(create({ recipient, minAmount: 1_000n, maxAmount: 1_000n }), TransferRefused);
    assert.equal((await seen(await create({ recipient })))[0], 'open');
  });
});

describe('a link in wrapped SOL', async () => {
  const scene = await LinkScene.open();
  const { links } = scene.serve();
  const mint = toAddress('So11111111111111111111111111111111111111112');

  it('is paid by a payer who has none with SOL, which the transaction wraps, says so, and the client takes where it is told', async () => {
    const view = await scene.create(links, { mint, minAmount: oneTenth, maxAmount: oneTenth });
    const given = await scene.askToPay(links, view, { who: 'carol' });
    const reply = payReplyJson(view.link, given, { publicUrl: 'https://pay.example', brand: noBrand });
    assert.match(reply.message, /It first wraps 0\.10 of your SOL\./);
    const terms = { account: addressOf('carol'), to_address: bob, token_mint_address: mint, amount: oneTenth };
    const { reference } = view.link;
    await verifyLink({ ...terms, reference, wrap: true }, reply);
    await assert.rejects(verifyLink({ ...terms, reference }, reply));
    scene.chain.land({ bytes: given.transaction }, 'carol');
    const { state, payments } = await scene.look(links, view);
    assert.deepEqual([state, payments[0]?.received, payments[0]?.payer], ['paid', oneTenth, addressOf('carol')]);
  });

  it('says of a transaction that a payer is given again what it wraps, not what a new one would', async () => {
    const view = await scene.create(links, { mint, minAmount: oneTenth, maxAmount: oneTenth });
    const ask = async () => {
      const given = await scene.askToPay(links, view, { who: 'carol' });
      return payReplyJson(view.link, given, { publicUrl: 'https://pay.example', brand: noBrand });
    };
    const first = await ask();
    await scene.send(view, { to: addressOf('carol'), references: [], wrap: true });
    assert.deepEqual(await ask(), first);
  });
});
