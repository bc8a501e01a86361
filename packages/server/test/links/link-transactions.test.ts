import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeTransaction } from '../../../core/src/transaction/decode-transaction.ts';
import type { LinkView } from '../../src/links/link-view.ts';
import type { PaymentLinks } from '../../src/links/payment-links.ts';
import type { LinkTransaction } from '../../src/links/payment-request.ts';
import { isAppError, type ProblemCode } from '../../src/problems.ts';
import { isTransferRefused } from '../../src/transfers/transfer-refused.ts';
import { addressOf, type WalletName } from '../outcomes/outcome-scene.ts';
import { LinkScene, mintOf, never, tenTokens } from './link-scene.ts';

const isProblem = (code: ProblemCode) => (error: unknown) => isAppError(error, code);

describe('the transaction of a payment link', async () => {
  const scene = await LinkScene.open();
  const { links } = scene.serve();

  const take = (
    view: LinkView,
    { from = links, ...asked }: { who?: WalletName; amount?: bigint; from?: PaymentLinks } = {},
  ): Promise<LinkTransaction> => scene.askToPay(from, view, asked);

  it('carries the reference and the memo, and says what it does', async () => {
    const view = await scene.create(links, { memo: 'order 7' });
    const { transaction, amount, summary, lifetime, view: seen } = await take(view);
    assert.deepEqual([amount, summary.amount, summary.memo], [tenTokens, tenTokens, 'order 7']);
    assert.deepEqual(summary.references, [view.link.reference]);
    assert.ok('blockhash' in lifetime && decodeTransaction(transaction).blockhash === lifetime.blockhash);
    assert.equal(seen.state, 'open');
  });

  it('is the same from every service while it can land, also at the same moment, and another one later', async () => {
    const { links: other } = scene.serve();
    const view = await scene.create(links);
    // Each builds its own, of blocks of its own.
    scene.ledger.advanceSlots(1);
    const [one, second] = await Promise.all([take(view), take(view, { from: other })]);
    assert.deepEqual(second.transaction, one.transaction);
    for (const blocks of [30, 119, 1]) {
      scene.ledger.advanceSlots(blocks);
      scene.later(12_000);
      for (const from of [links, other]) {
        const { transaction, lifetime } = await take(view, { from });
        assert.deepEqual([transaction, lifetime], [one.transaction, one.lifetime]);
      }
    }
    scene.ledger.advanceSlots(1);
    const late = await take(view, { from: other });
    assert.notDeepEqual(late.transaction, one.transaction);
    assert.deepEqual((await take(view)).transaction, late.transaction);
  });

  it('is another one for another payer or amount, of which the payer is told, and for a payer who has paid', async () => {
    const view = await scene.create(links, { isSingleUse: false, minAmount: 1n });
    await scene.send(view, { to: addressOf('carol'), references: [], amount: 5n });
    const one = await take(view, { amount: 1n });
    const two = await take(view, { amount: 2n });
    assert.notDeepEqual(two.transaction, one.transaction);
    const open = (given: LinkTransaction) => given.openAmounts.map(({ amount }) => amount);
    assert.deepEqual([open(one), open(two)], [[], [1n]]);
    const hers = await take(view, { amount: 1n, who: 'carol' });
    assert.notDeepEqual(hers.transaction, one.transaction);
    assert.deepEqual(open(hers), []);
    scene.chain.land({ bytes: one.transaction });
    scene.ledger.advanceSlots(1);
    scene.later(1_500);
    // What was paid is not open, and what was not paid is.
    const second = await take(view, { amount: 2n });
    assert.deepEqual([second.transaction, open(second)], [two.transaction, []]);
    const again = await take(view, { amount: 1n });
    assert.notDeepEqual(again.transaction, one.transaction);
    assert.deepEqual(open(again), [2n]);
  });

  it('is the same for a second tap although somebody else has paid in between', async () => {
    const view = await scene.create(links, { isSingleUse: false });
    const one = await take(view);
    await scene.send(view, { to: addressOf('carol'), references: [] });
    scene.chain.land({ bytes: (await take(view, { who: 'carol' })).transaction }, 'carol');
    scene.ledger.advanceSlots(1);
    scene.later(1_500);
    const again = await take(view);
    assert.deepEqual(
      again.view.payments.map(({ payer }) => payer),
      [addressOf('carol')],
    );
    assert.deepEqual(again.transaction, one.transaction);
  });

  it('is not kept when it could not be built', async () => {
    const view = await scene.create(links, { mint: mintOf(scene, 'GOLD') });
    await assert.rejects(take(view, { who: 'carol' }), (error) => isTransferRefused(error));
    scene.chain.land(await scene.chain.build({ ...scene.requestFor(view), to: addressOf('carol'), references: [] }));
    await take(view, { who: 'carol' });
  });

  it('is refused once the link is paid, expired or canceled', async () => {
    const paid = await scene.create(links);
    const before = await take(paid);
    await scene.send(paid);
    scene.later(1_500);
    await assert.rejects(take(paid), isProblem('payment_link_closed'));
    // Two payers at once: both have a transaction, and what they pay is seen.
    scene.chain.land({ bytes: before.transaction });
    assert.equal((await scene.look(links, paid)).payments.length, 2);
    const cancelled = await scene.create(links);
    await links.cancel(cancelled.link.id, never);
    await assert.rejects(take(cancelled), isProblem('payment_link_closed'));
    const expired = await scene.create(links, { expiresInSeconds: 60 });
    scene.later(59_999);
    await take(expired);
    scene.later(1);
    await assert.rejects(take(expired), isProblem('payment_link_closed'));
  });

  it('is refused when the mint withholds more than the link has promised, with both amounts, and given when it withholds less', async () => {
    const view = await scene.create(links, { mint: mintOf(scene, 'TAXED') });
    assert.deepEqual(view.link.transferFees, [
      { basisPoints: 100, maximumFee: view.link.transferFees?.[0]?.maximumFee },
    ]);
    const payable = async (transferFees: LinkView['link']['transferFees']) => {
      const found = await scene.keys.links.find(view.link.id);
      assert.ok(found);
      const store = { ...scene.links, find: async () => ({ ...found, link: { ...found.link, transferFees } }) };
      return take(view, { from: scene.serve({ store }).links });
    };
    assert.equal((await take(view)).summary.receivedAmount, 9_900_000n);
    const dearer = [{ basisPoints: 101, maximumFee: 2n ** 64n - 1n }];
    assert.equal((await payable(dearer)).summary.receivedAmount, 9_900_000n);
    for (const [transferFees, promised] of [
      [[{ basisPoints: 99, maximumFee: 2n ** 64n - 1n }], '9.901'],
      [[], '10'],
    ] as const) {
      await assert.rejects(payable(transferFees), (error) => {
        assert.ok(isAppError(error, 'payment_link_changed') && error instanceof Error);
        assert.match(
          error.message,
          new RegExp(`promises that ${promised} tokens arrive, and 9\\.9 would\\. Ask the seller`),
        );
        return true;
      });
    }
  });

  it('is of the amount that was chosen, within the bounds', async () => {
    const range = await scene.create(links, { minAmount: 5n, maxAmount: 7n });
    for (const amount of [undefined, 0n, 4n, 8n]) {
      const wanted = amount === undefined ? {} : { amount };
      await assert.rejects(take(range, wanted), isProblem('amount_out_of_bounds'));
    }
    for (const amount of [5n, 7n]) assert.equal((await take(range, { amount })).summary.amount, amount);
    const fixed = await scene.create(links);
    assert.equal((await take(fixed, { amount: tenTokens })).summary.amount, tenTokens);
    await assert.rejects(take(fixed, { amount: tenTokens + 1n }), isProblem('amount_out_of_bounds'));
  });
});
