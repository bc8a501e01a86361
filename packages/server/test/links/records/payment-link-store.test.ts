import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { unrestricted } from '../../../src/keys/authenticated-key.ts';
import type { LinkFilter } from '../../../src/links/records/payment-link.ts';
import type { Store } from '../../../src/serve/store/store.ts';
import { changeByHand } from '../../store/change-by-hand.ts';
import { keyDatabases, openPatiently } from '../../store/databases.ts';
import { anyAddress, at, checkWith, linkWith, paymentWith } from './links.ts';

const finalized = 'finalized';

for (const { name, newUrl } of keyDatabases) {
  async function openStores(t: TestContext): Promise<{ url: string; keys: Store }> {
    const url = await newUrl(t);
    const keys = await openPatiently(url, t);
    return { url, keys };
  }
  const openLinks = async (t: TestContext) => (await openStores(t)).keys.links;
  async function openWithLink(t: TestContext) {
    const store = await openLinks(t);
    const link = linkWith();
    await store.insert(link);
    return { store, link };
  }

  describe(`payment links in ${name}`, () => {
    it('are found as they were stored, every member of them', async (t) => {
      const store = await openLinks(t);
      const least = linkWith();
      const most = linkWith({
        ownerId: 'key_2',
        keyId: 'key_3',
        decimals: 9,
        minAmount: 1n,
        maxAmount: 2n ** 64n - 1n,
        tokenName: 'USD Coin',
        tokenSymbol: 'USDC',
        transferFees: [{ basisPoints: 269, maximumFee: 2n ** 64n - 1n }],
        uiAmountConfig: { kind: 'scaled', multiplier: 0.1, newMultiplier: 4, newMultiplierFrom: 2n ** 62n },
        memo: 'order 7\u0000',
        label: '\u202eeeffoC \u0000 ☕ "\'; drop table payment_links; --',
        message: 'Two, please.\n',
        icon: 'https://shop.example/icon.svg',
        redirect: 'https://shop.example/thanks',
        isSingleUse: false,
        allowsOffCurveRecipient: true,
        cancelledAt: at(1),
        checkedAt: at(2),
        handedOutAt: at(4),
        handedOutHeight: 400_000_000n,
        settledAt: at(3),
        examinedUntil: 'signature',
      });
      for (const link of [least, most]) {
        await store.insert(link);
        assert.deepEqual(await store.find(link.id), { link, payments: [] });
      }
      assert.equal(await store.find('1111111111111111'), undefined);
      assert.equal(await store.find(least.id.toLowerCase()), undefined);
    });

    it('are canceled once', async (t) => {
      const { store, link } = await openWithLink(t);
      const answers = await Promise.all([5, 6, 7].map((ms) => store.cancel(link.id, at(ms))));
      assert.equal(answers.filter(Boolean).length, 1);
      assert.equal(await store.cancel(link.id, at(9)), false);
      assert.equal(await store.cancel('unknown', at(9)), false);
      const stored = await store.find(link.id);
      assert.deepEqual(stored?.link.cancelledAt, at(5 + answers.indexOf(true)));
    });

    it('that are canceled, handed out, checked or settled leave every other link as it is, also of the same owner and payment', async (t) => {
      const store = await openLinks(t);
      const [link, other] = [linkWith(), linkWith()];
      for (const each of [link, other]) await store.insert(each);
      const [payment, unsettled] = [paymentWith(), paymentWith()];
      await store.saveCheck(other.id, checkWith({ payments: [payment, unsettled], examinedUntil: 'their own' }));
      const before = await store.find(other.id);
      assert.equal(await store.cancel(link.id, at(5)), true);
      for (const height of [900n, 1_000n, 950n]) await store.noteHandedOut(link.id, at(6), height);
      await store.saveCheck(link.id, checkWith({ checkedAt: at(2000), payments: [payment], examinedUntil: 'ours' }));
      await store.saveCheck(
        link.id,
        checkWith({
          checkedAt: at(3000),
          payments: [{ ...payment, commitment: finalized }],
          dropped: [unsettled.signature],
        }),
      );
      await store.saveCheck(link.id, checkWith({ checkedAt: at(4000), settledAt: at(4000) }));
      const settled = await store.find(link.id);
      const { cancelledAt, handedOutAt, handedOutHeight, settledAt } = settled?.link ?? {};
      assert.deepEqual([cancelledAt, handedOutAt, handedOutHeight, settledAt], [at(5), at(6), 1_000n, at(4000)]);
      assert.deepEqual(await store.find(other.id), before);
    });

    it('are found by their references, and by no other address', async (t) => {
      const store = await openLinks(t);
      const links = Array.from({ length: 3 }, () => linkWith());
      for (const link of links) await store.insert(link);
      const others = Array.from({ length: 1200 }, anyAddress);
      const found = await store.findByReferences([...others, ...links.map(({ reference }) => reference)]);
      assert.deepEqual(new Set(found.map(({ id }) => id)), new Set(links.map(({ id }) => id)));
      assert.deepEqual(await store.findByReferences([]), []);
    });
  });

  describe(`the list of payment links in ${name}`, () => {
    it('shows those of one owner, the newest first, with the payments that count and the number of the others', async (t) => {
      const store = await openLinks(t);
      const links = [0, 5, 10].map((ms) => linkWith({ createdAt: at(ms) }));
      for (const link of [...links, linkWith({ ownerId: 'key_2' })]) await store.insert(link);
      const payment = paymentWith();
      const flawed = [paymentWith({ flaw: 'too_little' }), paymentWith({ flaw: 'no_transfer' })];
      await store.saveCheck(links[1]?.id ?? '', checkWith({ payments: [payment, ...flawed] }));
      const listed = await store.list('key_1', { limit: 100 });
      assert.deepEqual(
        listed.map(({ link, payments, flawedCount }) => [link.id, payments, flawedCount]),
        [
          [links[2]?.id, [], 0],
          [links[1]?.id, [payment], 2],
          [links[0]?.id, [], 0],
        ],
      );
      assert.deepEqual(await store.list('key_3', { limit: 100 }), []);
    });

    it('has those that every filter takes, in the state that they are shown in', async (t) => {
      const store = await openLinks(t);
      const made = {
        open: linkWith({ createdAt: at(1), metadata: { order: '1001', 'a.b': '"x"\n' } }),
        paid: linkWith({ createdAt: at(2), metadata: { order: '10' } }),
        expired: linkWith({ createdAt: at(3), expiresAt: at(50), metadata: { other: '1001' } }),
        cancelled: linkWith({ createdAt: at(4), cancelledAt: at(9), metadata: { order: '"order":"1001"' } }),
        ended: linkWith({ createdAt: at(5), expiresAt: at(40), cancelledAt: at(60) }),
      };
      for (const link of Object.values(made)) await store.insert(link);
      await store.saveCheck(made.paid.id, checkWith({ payments: [paymentWith()] }));
      const namesOf = async (filter: LinkFilter): Promise<readonly string[]> => {
        const listed = await store.list('key_1', { limit: 100, filter });
        return listed.map(({ link }) => Object.entries(made).find(([, { id }]) => id === link.id)?.[0] ?? '');
      };
      const stateAt = (name: NonNullable<LinkFilter['state']>['name'], ms: number) =>
        namesOf({ state: { name, at: at(ms).getTime() } });
      assert.deepEqual(await stateAt('open', 39), ['ended', 'expired', 'open']);
      assert.deepEqual(await stateAt('open', 50), ['open']);
      assert.deepEqual(await stateAt('expired', 50), ['ended', 'expired']);
      assert.deepEqual(await stateAt('paid', 50), ['paid']);
      assert.deepEqual(await stateAt('cancelled', 70), ['cancelled']);
      assert.deepEqual(await namesOf({ createdFrom: at(2).getTime(), createdTo: at(4).getTime() }), [
        'expired',
        'paid',
      ]);
      assert.deepEqual(await namesOf({ metadata: 'order:1001' }), ['open']);
      assert.deepEqual(await namesOf({ metadata: 'a.b:"x"\n' }), ['open']);
      assert.deepEqual(await namesOf({ metadata: 'order:100' }), []);
      assert.deepEqual(await namesOf({ reference: made.paid.reference }), ['paid']);
      assert.deepEqual(await namesOf({ reference: made.paid.reference, metadata: 'order:1001' }), []);
    });

    it('has pages that miss and repeat none, though links are made meanwhile and share their moment', async (t) => {
      const store = await openLinks(t);
      const links = Array.from({ length: 25 }, (_, index) => linkWith({ createdAt: at(Math.floor(index / 7)) }));
      for (const link of links) await store.insert(link);
      const seen: string[] = [];
      let before: { createdAt: Date; id: string } | undefined;
      do {
        const page = await store.list('key_1', { limit: 4, ...(before && { before }) });
        assert.ok(page.length <= 4);
        seen.push(...page.map(({ link }) => link.id));
        before = page.at(-1)?.link;
        await store.insert(linkWith({ createdAt: at(100) }));
      } while (before);
      assert.deepEqual([...seen].sort(), links.map(({ id }) => id).sort());
    });
  });

  describe(`a check of a payment link in ${name}`, () => {
    it('stores payments, the oldest first, and what it noted', async (t) => {
      const { store, link } = await openWithLink(t);
      const payments = [
        paymentWith({ slot: 7n, flaw: 'too_little', amount: 2n ** 64n - 1n, received: 0n }),
        paymentWith({ slot: 8n, feePayer: anyAddress(), blockTime: null, commitment: finalized, flaw: 'elsewhere' }),
        paymentWith({ slot: 9n, flaw: 'other_mint' }),
        paymentWith({ slot: 10n, flaw: 'other_link' }),
        paymentWith({ slot: 11n }),
      ];
      const check = checkWith({ payments: [...payments].reverse(), examinedUntil: 'signature' });
      await store.saveCheck(link.id, check);
      assert.deepEqual(await store.find(link.id), {
        link: { ...link, checkedAt: check.checkedAt, examinedUntil: 'signature' },
        payments,
      });
      await store.saveCheck(link.id, checkWith({ checkedAt: at(2000) }));
      const { link: later } = (await store.find(link.id)) ?? assert.fail();
      assert.equal(later.examinedUntil, 'signature', 'it stays when nothing is said of it');
    });

    it('makes a confirmed payment final, changed or gone', async (t) => {
      const { store, link } = await openWithLink(t);
      const [first, second, third] = [1n, 2n, 3n].map((slot) => paymentWith({ slot }));
      assert.ok(first && second && third);
      await store.saveCheck(link.id, checkWith({ payments: [first, second, third] }));
      const changed = [
        { ...first, commitment: finalized, slot: 4n } as const,
        { ...second, flaw: 'too_little', received: 1n } as const,
      ];
      await store.saveCheck(
        link.id,
        checkWith({ checkedAt: at(2000), payments: changed, dropped: [third.signature, 'unknown'] }),
      );
      assert.deepEqual((await store.find(link.id))?.payments, [changed[1], changed[0]]);
    });

    it('never changes or deletes a finalized payment', async (t) => {
      const { store, link } = await openWithLink(t);
      const payment = paymentWith({ commitment: finalized });
      await store.saveCheck(link.id, checkWith({ payments: [payment] }));
      const lies = checkWith({
        checkedAt: at(2000),
        payments: [{ ...payment, commitment: 'confirmed', flaw: 'elsewhere', received: 0n }],
        dropped: [payment.signature],
      });
      await store.saveCheck(link.id, lies);
      await store.saveCheck(link.id, { ...lies, payments: [{ ...payment, amount: 1n }] });
      assert.deepEqual((await store.find(link.id))?.payments, [payment]);
    });

    it('that began before the last one adds finalized payments alone: it may have seen what a fork dropped', async (t) => {
      const { store, link } = await openWithLink(t);
      const [kept, dropped, final] = [
        paymentWith({ slot: 1n }),
        paymentWith({ slot: 2n }),
        paymentWith({ slot: 3n, commitment: finalized }),
      ];
      await store.saveCheck(link.id, checkWith({ checkedAt: at(1000), payments: [kept, dropped] }));
      await store.saveCheck(
        link.id,
        checkWith({ checkedAt: at(3000), dropped: [dropped.signature], examinedUntil: 'new' }),
      );
      const slow = checkWith({
        checkedAt: at(2000),
        payments: [dropped, { ...kept, flaw: 'elsewhere' }, final],
        dropped: [kept.signature],
        settledAt: at(2000),
        examinedUntil: 'old',
      });
      await store.saveCheck(link.id, slow);
      assert.deepEqual(await store.find(link.id), {
        link: { ...link, checkedAt: at(3000), examinedUntil: 'new' },
        payments: [kept, final],
      });
    });

    it('settles a link for good', async (t) => {
      const { store, link } = await openWithLink(t);
      const final = paymentWith({ commitment: finalized });
      await store.saveCheck(link.id, checkWith({ payments: [final], settledAt: at(1500) }));
      const settled = { ...link, checkedAt: at(1000), settledAt: at(1500) };
      assert.deepEqual(await store.find(link.id), { link: settled, payments: [final] });
      const another = paymentWith({ slot: 2000n, commitment: finalized });
      await store.saveCheck(
        link.id,
        checkWith({ checkedAt: at(9000), payments: [paymentWith(), another], settledAt: at(9000) }),
      );
      assert.deepEqual(await store.find(link.id), { link: settled, payments: [final, another] });
    });

    it('does not settle a link while a payment of it is not final', async (t) => {
      const { store, link } = await openWithLink(t);
      const payment = paymentWith();
      await store.saveCheck(link.id, checkWith({ payments: [payment], settledAt: at(1000) }));
      assert.equal((await store.find(link.id))?.link.settledAt, null);
      await store.saveCheck(
        link.id,
        checkWith({ checkedAt: at(2000), dropped: [payment.signature], settledAt: at(2000) }),
      );
      assert.deepEqual((await store.find(link.id))?.link.settledAt, at(2000));
    });

    it('is stored whole or not at all', async (t) => {
      const { store, link } = await openWithLink(t);
      const good = paymentWith();
      const bad = { ...paymentWith(), slot: 2n ** 70n };
      const check = checkWith({ payments: [good, bad], settledAt: at(1) });
      await assert.rejects(store.saveCheck(link.id, check));
      assert.deepEqual(await store.find(link.id), { link, payments: [] });
    });

    it('keeps the payments of each link apart, also when a transaction pays two', async (t) => {
      const store = await openLinks(t);
      const [first, second] = [linkWith(), linkWith()];
      await store.insert(first);
      await store.insert(second);
      const payment = paymentWith();
      const other = { ...payment, flaw: 'other_link' } as const;
      await store.saveCheck(first.id, checkWith({ payments: [payment] }));
      await store.saveCheck(second.id, checkWith({ payments: [other] }));
      await store.saveCheck(second.id, checkWith({ dropped: [other.signature] }));
      assert.deepEqual((await store.find(first.id))?.payments, [payment]);
      assert.deepEqual((await store.find(second.id))?.payments, []);
    });
  });

  describe(`the owner of payment links in ${name}`, () => {
    it('has the keys of its chain of rotations that are accepted, the newest first, each with its own limits', async (t) => {
      const { url, keys } = await openStores(t);
      const now = Date.now();
      const keysOf = async (id: string, afterMs = 0) =>
        (await keys.links.listOwnerKeys(id, new Date(now + afterMs))).map((key) => key.id);
      const root = (await keys.create({ name: 'shop', expiresAt: null })).record;
      await keys.create({ name: 'other', expiresAt: null });
      assert.deepEqual(await keysOf(root.id), [root.id]);
      const second = (await keys.rotate(root.id))?.record ?? assert.fail();
      assert.deepEqual(await keysOf(root.id), [second.id], 'its successor');
      await changeByHand(url, `update api_keys set created_at = created_at - 1000 where id = '${second.id}'`);
      const third = (await keys.rotate(second.id, 60_000))?.record ?? assert.fail();
      assert.deepEqual(await keysOf(root.id), [third.id, second.id], 'both during the overlap');
      const mints = new Set(['m']);
      await keys.update(third.id, () => ({ restrictions: { ...unrestricted, mints } }));
      const [newest, older] = await keys.links.listOwnerKeys(root.id, new Date(now));
      assert.deepEqual([newest?.restrictions.mints, older?.restrictions.mints], [mints, null]);
      await keys.revoke(third.id);
      assert.deepEqual([await keysOf(root.id), await keysOf(root.id, 120_000)], [[second.id], []]);
      assert.deepEqual(await keysOf('sandbox'), []);
    });
  });

  describe(`a payment link that another program has spoiled in ${name}`, () => {
    it('is an error, its content is not repeated, and a spoiled payment never counts', async (t) => {
      const { url, keys } = await openStores(t);
      const store = keys.links;
      const changes = [
        "update payment_links set texts = 'SECRET'",
        "update payment_links set texts = '{}'",
        'update payment_links set texts = \'["SECRET"]\'',
        "update payment_links set mint = 'SECRET'",
        "update payment_links set min_amount = 'SECRET'",
        "update payment_links set max_amount = '0'",
        "update link_payments set commitment = 'SECRET'",
        "update link_payments set flaw = 'SECRET'",
        "update link_payments set received = '-1'",
        "update link_payments set payer = ''",
      ];
      for (const change of changes) {
        const link = linkWith();
        await store.insert(link);
        await store.saveCheck(link.id, checkWith({ payments: [paymentWith()] }));
        const key = change.includes('link_payments') ? 'link_id' : 'id';
        await changeByHand(url, `${change} where ${key} = '${link.id}'`);
        await assert.rejects(store.find(link.id), (error) => {
          assert.ok(error instanceof Error);
          assert.match(error.message, /payment link that cannot be read/, change);
          assert.doesNotMatch(error.message, /SECRET/);
          return true;
        });
      }
    });
  });
}
