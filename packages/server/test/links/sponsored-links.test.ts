import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { address } from '@solana/kit';
import { decodeTransaction } from '../../../core/src/transaction/decode-transaction.ts';
import { type KeyRestrictions, unrestricted } from '../../src/keys/authenticated-key.ts';
import { sponsoredLamports, utcDayOf } from '../../src/keys/usage/daily-amounts.ts';
import type { LinkOwner } from '../../src/links/make-link.ts';
import type { PaymentLinks } from '../../src/links/payment-links.ts';
import { inToken } from '../../src/links/records/payment-link.ts';
import { isAppError, type ProblemCode } from '../../src/problems.ts';
import { KoraClient } from '../../src/sponsor/kora-client.ts';
import { Sponsor } from '../../src/sponsor/sponsor.ts';
import { SponsorBalance } from '../../src/sponsor/sponsor-balance.ts';
import { addressOf } from '../outcomes/outcome-scene.ts';
import { startKoraDouble } from '../setup/kora-double.ts';
import { LinkScene, mintOf, tenTokens } from './link-scene.ts';

const isProblem = (code: ProblemCode) => (error: unknown) => isAppError(error, code);
const networkFee = 10_000n;
const sponsored = { maxSponsorFee: 0n };

async function startSponsored() {
  const scene = await LinkScene.open();
  const kora = await startKoraDouble({ after });
  scene.ledger.airdrop(address(kora.address), 1_000_000_000n);
  const client = new KoraClient({ url: kora.url, timeoutMs: 5_000 });
  after(() => client.close());
  /** A service whose owners of links have keys with these restrictions. */
  const serve = (restrictions: Partial<KeyRestrictions> = {}): PaymentLinks => {
    const sponsor = new Sponsor(client, () => performance.now());
    const listOwnerKeys = async (id: string) => [{ id, restrictions: { ...unrestricted, ...restrictions } }];
    return scene.serve({
      store: { ...scene.links, listOwnerKeys },
      sponsoring: { sponsor, balance: new SponsorBalance(sponsor, scene.reader) },
    }).links;
  };
  const signatures = (): number => kora.calls.filter(({ method }) => method === 'signTransaction').length;
  const spentOn = async (id: string): Promise<bigint | undefined> =>
    (await scene.keys.findDailyAmounts(id, utcDayOf(scene.clock.now))).get(sponsoredLamports);
  const solOf = (wallet: string): bigint => scene.ledger.getAccount(address(wallet))?.lamports ?? 0n;
  return { scene, kora, serve, signatures, spentOn, solOf };
}

describe('a sponsored payment link', async () => {
  const { scene, kora, serve, signatures, spentOn, solOf } = await startSponsored();
  const links = serve();

  it('is paid by a transaction that the sponsor has signed, and that costs its payer no SOL', async () => {
    const view = await scene.create(links, sponsored);
    const { transaction, sponsored: by } = await scene.askToPay(links, view);
    assert.deepEqual(decodeTransaction(transaction).signers, [kora.address, addressOf('alice')]);
    assert.deepEqual(by, { sponsor: kora.address, fee: undefined, secondsLeft: 60 });
    const before = solOf(addressOf('alice'));
    const signature = scene.chain.land({ bytes: transaction });
    assert.equal(solOf(addressOf('alice')), before);
    const paid = await scene.look(links, view);
    const [payment] = paid.payments;
    assert.deepEqual([paid.state, payment?.signature, payment?.feePayer], ['paid', signature, kora.address]);
  });

  it('costs one signature, however often a payer asks: the same bytes while they can land, and others then', async () => {
    const view = await scene.create(links, sponsored);
    const before = signatures();
    const given = await Promise.all(Array.from({ length: 10 }, () => scene.askToPay(links, view)));
    scene.ledger.advanceSlots(149);
    given.push(await scene.askToPay(serve(), view));
    assert.equal(new Set(given.map(({ transaction }) => transaction.join())).size, 1);
    assert.equal(given.at(-1)?.sponsored?.secondsLeft, 0);
    assert.deepEqual([signatures() - before, await spentOn(view.link.id)], [1, networkFee]);
    scene.ledger.advanceSlots(2);
    const late = await scene.askToPay(links, view);
    assert.notDeepEqual(late.transaction, given[0]?.transaction);
    assert.deepEqual([signatures() - before, await spentOn(view.link.id)], [2, 2n * networkFee]);
  });

  it('gives a payer one payable transaction at a time, whatever amount is asked for, also from two services', async () => {
    const view = await scene.create(links, { ...sponsored, isSingleUse: false, minAmount: 1n });
    const other = serve();
    scene.ledger.advanceSlots(1);
    const asked = await Promise.allSettled([
      scene.askToPay(links, view, { amount: 1n }),
      scene.askToPay(other, view, { amount: 2n }),
    ]);
    const [given, ...more] = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const [refused] = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    assert.ok(given && more.length === 0 && isAppError(refused, 'sponsored_payment_open'));
    assert.ok((refused.retryAfterSeconds ?? 0) > 55 && /try again in 6/.test(refused.payerMessage ?? ''));
    assert.equal(await spentOn(view.link.id), networkFee, 'what was not given is not counted');
    const before = signatures();
    await assert.rejects(scene.askToPay(links, view, { amount: 3n }), isProblem('sponsored_payment_open'));
    assert.equal(signatures(), before);
    scene.chain.land({ bytes: given.transaction });
    scene.ledger.advanceSlots(1);
    scene.later(10_000);
    const next = await scene.askToPay(other, view, { amount: 3n });
    assert.equal(next.amount, 3n, 'a payer who has paid may pay again');
  });

  it('gives a payer none in another token beside it, though as many base units of that pay the link', async () => {
    const mint = mintOf(scene, 'PYUSD');
    const otherTokens = [{ mint, minAmount: tenTokens, maxAmount: tenTokens }];
    const view = await scene.create(links, { ...sponsored, otherTokens, tokensAt: '/accepts' });
    await scene.askToPay(links, view);
    const inOther = { ...view, link: inToken(view.link, mint) ?? assert.fail() };
    await assert.rejects(scene.askToPay(links, inOther), isProblem('sponsored_payment_open'));
  });

  it('is paid with the fee of the sponsor, which counts for no payment, also where it goes to the same recipient', async () => {
    kora.rules.price = { type: 'margin', margin: 0 };
    const paid = serve();
    try {
      await assert.rejects(scene.create(paid, sponsored), isProblem('sponsor_fee_too_high'));
      const view = await scene.create(paid, { maxSponsorFee: 20_100n });
      const { transaction, amount, sponsored: by } = await scene.askToPay(paid, view);
      assert.deepEqual([by?.fee?.amount.base_units, by?.fee?.recipient], ['20100', addressOf('bob')]);
      assert.deepEqual((await scene.askToPay(serve(), view)).sponsored?.fee, by?.fee);
      scene.chain.land({ bytes: transaction });
      const { payments } = await scene.look(paid, view);
      assert.deepEqual(
        [amount, ...payments.map((each) => [each.amount, each.received, each.flaw])],
        [tenTokens, [tenTokens, tenTokens, undefined]],
      );
      const low = await scene.create(paid, { maxSponsorFee: 20_099n });
      await assert.rejects(scene.askToPay(paid, low), isProblem('sponsor_fee_too_high'));
    } finally {
      kora.rules.price = { type: 'free' };
    }
  });

  it('costs the sponsor in a day what its key may have it pay, over all its links and services', async () => {
    const limits = { sponsoredLamportsPerDay: 2n * networkFee + 1n };
    const services = [serve(limits), serve(limits)];
    const owner: LinkOwner = { ownerId: 'key_2', keyId: 'key_2' };
    const made = await Promise.all(Array.from({ length: 4 }, () => scene.create(links, sponsored, owner)));
    const ended = await Promise.allSettled(
      made.map((view, index) => scene.askToPay(services[index % 2] ?? links, view)),
    );
    const reasons = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
    assert.deepEqual(reasons, ['daily_limit_reached', 'daily_limit_reached']);
    assert.equal(await spentOn('key_2'), 2n * networkFee);
  });

  it('costs the sponsor no more than its own limit where its key has none, since any number of strangers may ask', async () => {
    const view = await scene.create(links, sponsored);
    const { id } = view.link;
    const spent = { keyId: id, day: utcDayOf(scene.clock.now), mint: sponsoredLamports, amount: 9_990_001n };
    await scene.keys.addDailyAmounts([{ added: spent, limit: 10_000_000n }]);
    await assert.rejects(scene.askToPay(links, view), isProblem('daily_limit_reached'));
    assert.equal(await spentOn(id), 9_990_001n);
  });

  it('has the rent of a token account paid by the sponsor only where its key may have that', async () => {
    const changes = { ...sponsored, recipient: addressOf('dave'), mint: mintOf(scene, 'GOLD') };
    await assert.rejects(scene.create(links, changes), isProblem('key_not_allowed'));
    const view = await scene.create(links, changes, { ownerId: 'key_1', keyId: 'key_1', sponsorsRent: true });
    const before = signatures();
    await assert.rejects(scene.askToPay(links, view), isProblem('key_not_allowed'));
    assert.equal(signatures(), before);
    const { transaction } = await scene.askToPay(serve({ sponsorsRent: true }), view);
    scene.chain.land({ bytes: transaction });
  });

  it('gives out, stores and counts nothing of a sponsor that answers other bytes', async () => {
    const view = await scene.create(links, sponsored);
    kora.answer = (method, result) =>
      method === 'signTransaction' ? { ...result, signed_transaction: 'AAAA' } : result;
    try {
      await assert.rejects(scene.askToPay(links, view), isProblem('sponsor_error'));
    } finally {
      kora.answer = (_, result) => result;
    }
    assert.equal(await spentOn(view.link.id), undefined);
    const { transaction } = await scene.askToPay(links, view);
    scene.chain.land({ bytes: transaction });
  });

  it('is not made where there is no sponsor', async () => {
    const refused = scene.create(scene.serve().links, sponsored);
    await assert.rejects(refused, (error) => {
      return isAppError(error, 'sponsor_not_configured') && error.findings[0]?.pointer === '/sponsored';
    });
  });
});
