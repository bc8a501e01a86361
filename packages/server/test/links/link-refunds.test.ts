import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifyTransfer } from '../../../client/src/verify/index.ts';
import { sol } from '../../../core/src/addresses/address.ts';
import { Work } from '../../src/app/work.ts';
import type { BuiltReply } from '../../src/idempotency/idempotent-request.ts';
import { linkJson } from '../../src/links/link-json.ts';
import { type AskedRefund, assertKeyAllowsRefunds, LinkRefunds } from '../../src/links/link-refunds.ts';
import type { LinkView } from '../../src/links/link-view.ts';
import { inToken } from '../../src/links/records/payment-link.ts';
import { OutcomeFinder } from '../../src/outcomes/outcome-finder.ts';
import { isAppError, type ProblemCode } from '../../src/problems.ts';
import { TransferBuilder } from '../../src/transfers/transfer-builder.ts';
import { apiKeyWith, KeyedScene, requestId } from '../app/keyed-scene.ts';
import { historyOf } from '../outcomes/ledger-node-history.ts';
import { addressOf } from '../outcomes/outcome-scene.ts';
import { LinkScene, mintOf, tenTokens } from './link-scene.ts';

const all: AskedRefund = { amount: undefined, signature: undefined };
const host = 'https://pay.example';
// Longer than unsigned bytes live, with the blocks that a wallet may add.
const deadAfterSlots = 400;

describe('a refund of a payment link', async () => {
  const scene = await LinkScene.open();
  const { links, nodes } = scene.serve();
  const outcomes = new OutcomeFinder(historyOf(nodes, { quorum: 1 }));
  const builder = new TransferBuilder(scene.reader, { maxPriorityFeeLamports: 1_000_000n });
  const serveRefunds = () =>
    new LinkRefunds({
      ...{ store: scene.links, outcomes, builder, now: () => scene.clock.now },
    });
  const refunds = serveRefunds();
  const anyKey = apiKeyWith();

  async function paid(changes = {}): Promise<LinkView> {
    const view = await scene.create(links, changes);
    await scene.payLink(links, view);
    scene.finalize();
    return scene.look(links, view);
  }
  const look = async (view: LinkView) => refunds.refresh(await scene.look(links, view), new Work());
  const build = async (view: LinkView, key: string, asked: Partial<AskedRefund> = {}, by = refunds, apiKey = anyKey) =>
    by.build(await look(view), { ...all, ...asked }, { key, apiKey, work: new Work() });
  const bytesOf = ({ transactions }: BuiltReply): Uint8Array => transactions[0]?.bytes ?? new Uint8Array();
  const land = (built: BuiltReply): string => {
    scene.ledger.advanceSlots(1);
    return scene.chain.land({ bytes: bytesOf(built) }, 'bob');
  };
  const refuses = (asked: Promise<unknown>, code: ProblemCode) =>
    assert.rejects(asked, (error) => isAppError(error, code));

  it('is a transfer back to the owner who paid, and is listed once it is on chain', async () => {
    const view = await paid();
    const built = await build(view, 'refund-1');
    const { data } = JSON.parse(built.reply);
    const { reference } = (await look(view)).refunds?.[0] ?? {};
    await verifyTransfer(
      {
        from_address: addressOf('bob'),
        to_address: addressOf('alice'),
        token_mint_address: view.link.mint,
        amount: `${tenTokens}`,
        references: [`${reference}`],
      },
      { data, status: 'x' },
    );
    assert.deepEqual(
      linkJson(await look(view), host).refunds.map(({ state, signature }) => [state, signature]),
      [['issued', null]],
    );
    const signature = land(built);
    const [confirmed] = linkJson(await look(view), host).refunds;
    assert.deepEqual(
      [confirmed?.state, confirmed?.signature, confirmed?.amount],
      ['confirmed', signature, `${tenTokens}`],
    );
    assert.deepEqual(
      [confirmed?.to_address, confirmed?.payment_signature],
      [addressOf('alice'), view.payments[0]?.signature],
    );
    scene.finalize();
    assert.equal(linkJson(await look(view), host).refunds[0]?.state, 'finalized');
    await refuses(build(view, 'refund-2'), 'refund_too_large');
    // Its own key too: what kept its reply may have forgotten it.
    await refuses(build(view, 'refund-1'), 'refund_not_possible');
  });

  it('of SOL goes back to the wallet that paid', async () => {
    const view = await paid({ mint: sol, minAmount: 100_000_000n, maxAmount: 100_000_000n });
    land(await build(view, 'refund-of-sol'));
    const [refund] = linkJson(await look(view), host).refunds;
    assert.deepEqual(
      [refund?.state, refund?.to_address, refund?.token_mint_address, refund?.amount],
      ['confirmed', addressOf('alice'), sol, '100000000'],
    );
  });

  it('gives back no more than was received, in parts under keys of their own', async () => {
    const view = await paid();
    await refuses(build(view, 'too-much', { amount: tenTokens + 1n }), 'refund_too_large');
    await build(view, 'part-1', { amount: 4_000_000n });
    await refuses(build(view, 'part-2', { amount: 6_000_001n }), 'refund_too_large');
    const rest = await build(view, 'part-3');
    assert.equal(JSON.parse(rest.reply).data.summary.amount.base_units, '6000000');
    await refuses(build(view, 'part-4', { amount: 1n }), 'refund_too_large');
  });

  it('holds its amount against others that are asked for at the same time, in every process', async () => {
    const view = await look(await paid());
    const askedAtOnce = Array.from({ length: 6 }, (_, index) =>
      serveRefunds().build(
        view,
        { ...all, amount: 4_000_000n },
        { key: `at-once-${index}`, apiKey: anyKey, work: new Work() },
      ),
    );
    const settled = await Promise.allSettled(askedAtOnce);
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 2);
    const same = await look(await paid());
    const twice = await Promise.allSettled(
      [1, 2].map(() => refunds.build(same, { ...all, amount: 1n }, { key: 'same', apiKey: anyKey, work: new Work() })),
    );
    assert.deepEqual(twice.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  });

  it('that the limit of the day refuses holds nothing, and is refused for the same reason again', async () => {
    const [first, second] = [await paid(), await paid()];
    const perDay = { perTransfer: null, perDay: tenTokens };
    const apiKey = apiKeyWith({ amounts: new Map([[first.link.mint, perDay]]) });
    const { keyedRequests } = new KeyedScene();
    const answer = (view: LinkView, key: string) =>
      keyedRequests.answer(
        {
          ...{ id: { ...requestId, key }, bodyHash: 'a', bodyBytes: 2, work: new Work() },
          build: () => build(view, key, {}, refunds, apiKey),
          assertAllowed: () => undefined,
        },
        Number.POSITIVE_INFINITY,
      );
    await answer(first, 'refund-1');
    for (let retry = 0; retry < 2; retry += 1) await refuses(answer(second, 'refund-2'), 'daily_limit_reached');
    assert.deepEqual(linkJson(await look(second), host).refunds, []);
    await build(second, 'refund-3');
  });

  it('holds its amount until it is proven that it never lands, and not longer', async () => {
    const view = await paid();
    const built = await build(view, 'late');
    scene.ledger.advanceSlots(160);
    // A wallet may have given it a newer blockhash.
    await refuses(build(view, 'other'), 'refund_too_large');
    scene.ledger.advanceSlots(deadAfterSlots);
    assert.deepEqual(linkJson(await look(view), host).refunds, []);
    const again = await build(view, 'late');
    assert.notDeepEqual(bytesOf(again), bytesOf(built));
    await refuses(build(view, 'other'), 'refund_too_large');
    land(again);
    scene.ledger.advanceSlots(deadAfterSlots);
    await refuses(build(view, 'other', { amount: 1n }), 'refund_too_large');
  });

  it('is in the token that was paid', async () => {
    const euro = mintOf(scene, 'PYUSD');
    const view = await scene.create(links, {
      otherTokens: [{ mint: euro, minAmount: 7_000_000n, maxAmount: 7_000_000n }],
      tokensAt: '/accepts',
    });
    await scene.payLink(links, { ...view, link: inToken(view.link, euro) ?? view.link });
    scene.finalize();
    await build(view, 'euro');
    const [refund] = linkJson(await look(view), host).refunds;
    assert.deepEqual([refund?.token_mint_address, refund?.amount], [euro, '7000000']);
  });

  it('names its payment where there are several, and waits until it is final', async () => {
    const view = await scene.create(links, { isSingleUse: false });
    await refuses(build(view, 'none'), 'refund_not_possible');
    const first = await scene.payLink(links, view);
    await refuses(build(view, 'early'), 'refund_not_possible');
    scene.later(1_500);
    scene.ledger.advanceSlots(1);
    const second = await scene.payLink(links, view);
    scene.finalize();
    await refuses(build(view, 'which'), 'refund_not_possible');
    await build(view, 'second', { signature: second });
    await build(view, 'first', { signature: first });
    const { refunds: made } = await look(view);
    assert.deepEqual(made?.map(({ payment }) => payment).toSorted(), [first, second].toSorted());
  });

  it('is none of what did not arrive at the link, nor of what came from several owners', async () => {
    const elsewhere = await scene.create(links);
    await scene.send(elsewhere, { to: addressOf('carol') });
    scene.finalize();
    assert.deepEqual(
      (await look(elsewhere)).payments.map(({ flaw, received }) => [flaw, received]),
      [['elsewhere', tenTokens]],
    );
    await refuses(build(elsewhere, 'elsewhere'), 'refund_not_possible');
    await scene.payLink(links, elsewhere);
    scene.finalize();
    // There is one payment to refund: it need not be named.
    await build(elsewhere, 'here');
    const shared = await scene.create(links);
    const half = { amount: tenTokens / 2n };
    scene.sendAll(
      [
        ...(await scene.instructionsOf(shared, half)),
        ...(await scene.instructionsOf(shared, { ...half, from: addressOf('carol'), feePayer: addressOf('alice') })),
      ],
      { cosigner: 'carol' },
    );
    scene.finalize();
    assert.deepEqual(
      (await look(shared)).payments.map(({ flaw, owner }) => [flaw, owner]),
      [[undefined, null]],
    );
    await refuses(build(shared, 'shared'), 'refund_not_possible');
  });

  it('needs an API key that may make this transfer, also for the reply of before', async () => {
    const view = await paid();
    const shopKey = apiKeyWith({ operations: new Set(['payment_link']) });
    await refuses(build(view, 'shop', {}, refunds, shopKey), 'key_not_allowed');
    assert.deepEqual((await look(view)).refunds ?? [], []);
    await build(view, 'shop');
    const after = await look(view);
    assert.throws(
      () => assertKeyAllowsRefunds(shopKey, after, 'shop'),
      (error) => isAppError(error, 'key_not_allowed'),
    );
    assertKeyAllowsRefunds(anyKey, after, 'shop');
  });
});
