import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { LinkRecords } from '../../../src/links/records/link-records.ts';
import type { LinkBounds, PaymentLink } from '../../../src/links/records/payment-link.ts';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { startStoreProcess } from '../../store/child-process.ts';
import { keyDatabases, openPatiently } from '../../store/databases.ts';
import { anyAddress, at, checkWith, linkWith, paymentWith } from './links.ts';

const day = '2026-11-22';
const mint = anyAddress();
const dayWith = (limit: bigint): LinkBounds => ({ daily: { day, limits: new Map([[mint, limit]]) } });

for (const { name, newUrl } of keyDatabases) {
  async function open(t: TestContext) {
    const url = await newUrl(t);
    const keys = await openPatiently(url, t);
    const store = keys.links;
    const insert = (changes: Partial<PaymentLink>, bounds: LinkBounds) =>
      store.insert(linkWith({ mint, ...changes }), bounds);
    const kindOf = async (changes: Partial<PaymentLink>, bounds: LinkBounds) => (await insert(changes, bounds)).kind;
    const built = async (keyId = 'key_1') => (await keys.findDailyAmounts(keyId, day)).get(mint) ?? 0n;
    const count = async (ownerId = 'key_1') => (await store.list(ownerId, { limit: 100 })).length;
    return { url, keys, store, insert, kindOf, built, count };
  }

  describe(`the daily limit of a key and its payment links, in ${name}`, () => {
    it('counts the most that a link takes as it is stored, and stores none beyond it', async (t) => {
      const { insert, kindOf, built, count } = await open(t);
      assert.equal(await kindOf({ minAmount: 1n, maxAmount: 60n }, dayWith(100n)), 'inserted');
      assert.deepEqual(await insert({ maxAmount: 41n }, dayWith(100n)), {
        kind: 'daily_limit_reached',
        mint,
        builtToday: 60n,
        limit: 100n,
      });
      assert.equal(await kindOf({ maxAmount: 101n }, dayWith(100n)), 'daily_limit_reached');
      assert.deepEqual([await built(), await count()], [60n, 1]);
      assert.equal(await kindOf({ maxAmount: 40n }, dayWith(100n)), 'inserted');
      assert.deepEqual([await built(), await count()], [100n, 2]);
    });

    it('counts nothing for a link that is not stored, whatever keeps it from that', async (t) => {
      const { store, kindOf, built, count } = await open(t);
      const link = linkWith({ mint, maxAmount: 5n });
      await store.insert(link, dayWith(100n));
      await assert.rejects(store.insert(linkWith({ mint, id: link.id, maxAmount: 5n }), dayWith(100n)));
      assert.equal(await kindOf({ maxAmount: 5n }, { ...dayWith(100n), maxOpen: 1 }), 'too_many_open');
      assert.equal(await kindOf({ maxAmount: 5n }, { ...dayWith(100n), needsKey: true }), 'key_ended');
      assert.deepEqual([await built(), await count()], [5n, 1]);
    });

    it('is that of the key, with the transfers that it builds', async (t) => {
      const { keys, kindOf, built } = await open(t);
      await keys.addDailyAmounts([{ added: { keyId: 'key_1', day, mint, amount: 7n }, limit: 10n }]);
      assert.equal(await kindOf({ maxAmount: 4n }, dayWith(10n)), 'daily_limit_reached');
      assert.equal(await kindOf({ maxAmount: 4n, keyId: 'key_2' }, dayWith(10n)), 'inserted');
      assert.deepEqual([await built(), await built('key_2')], [7n, 4n]);
    });

    it('counts links of several tokens at the same moment, in whatever order they name them', async (t) => {
      const { keys, store } = await open(t);
      const mints = Array.from({ length: 4 }, anyAddress);
      const limits = new Map(mints.map((each) => [each, 100n]));
      const links = Array.from({ length: 10 }, (_, index) => {
        const [first = mint, ...others] = index % 2 === 0 ? mints : mints.toReversed();
        const link = linkWith({ mint: first, maxAmount: 1n });
        return { ...link, otherTokens: others.map((each) => ({ ...link, mint: each, destination: anyAddress() })) };
      });
      const ends = await Promise.all(links.map((link) => store.insert(link, { daily: { day, limits } })));
      assert.deepEqual(new Set(ends.map(({ kind }) => kind)), new Set(['inserted']));
      assert.deepEqual([...(await keys.findDailyAmounts('key_1', day)).values()], [10n, 10n, 10n, 10n]);
    });

    it('holds though processes race for the last of it, and no process ever sees what is refused', async (t) => {
      const { url, store, built, kindOf } = await open(t);
      await kindOf({ maxAmount: 95n }, dayWith(100n));
      const links = new URL('./links.ts', import.meta.url).href;
      const script = `
        const { linkWith } = await import('${links}');
        const links = store.links;
        await go();
        const insertions = await Promise.all(Array.from({ length: 40 }, (_, index) =>
          links.insert(linkWith({ mint: '${mint}', maxAmount: index % 2 ? 1n : 60n }), { daily: { day: '${day}', limits: new Map([['${mint}', 100n]]) } })));
        console.log(insertions.filter(({ kind }) => kind === 'inserted').length);`;
      const children = Array.from({ length: 2 }, () => startStoreProcess(url, script));
      await Promise.all(children.map(({ ready }) => ready));
      let isOver = false;
      const ended = Promise.all(children.map((child) => child.ended)).finally(() => {
        isOver = true;
      });
      for (const child of children) child.go();
      const seen = new Set<bigint>();
      while (!isOver) {
        const all = await store.list('key_1', { limit: 100 });
        seen.add(all.reduce((sum, { link }) => sum + link.maxAmount, 0n));
        await new Promise((resolve) => setImmediate(resolve));
      }
      const made = (await ended).map(({ status, output }) => {
        assert.equal(status, 0, output);
        return Number(output);
      });
      assert.deepEqual([made.reduce((sum, each) => sum + each), await built()], [5, 100n]);
      assert.ok(
        [...seen].every((sum) => sum >= 95n && sum <= 100n),
        [...seen].join(),
      );
    });
  });

  describe(`the number of open payment links, in ${name}`, () => {
    it('is bounded for an owner, and cancellation, expiry and payment make room', async (t) => {
      const { store, insert, kindOf } = await open(t);
      const [first, second] = [linkWith(), linkWith({ expiresAt: at(1000) })];
      for (const link of [first, second]) await store.insert(link, { maxOpen: 2 });
      assert.deepEqual(await insert({}, { maxOpen: 2 }), { kind: 'too_many_open', open: 2, maxOpen: 2 });
      assert.deepEqual(await insert({ keyId: 'key_9' }, { maxOpen: 1 }), {
        kind: 'too_many_open',
        open: 2,
        maxOpen: 1,
      });
      assert.equal(await kindOf({ ownerId: 'key_2' }, { maxOpen: 2 }), 'inserted');
      await store.cancel(first.id, at(1));
      const third = linkWith();
      assert.equal((await store.insert(third, { maxOpen: 2 })).kind, 'inserted');
      assert.equal(await kindOf({}, { maxOpen: 2 }), 'too_many_open');
      assert.equal(await kindOf({ createdAt: at(1000) }, { maxOpen: 2 }), 'inserted', 'the second has expired');
      await store.saveCheck(third.id, checkWith({ payments: [paymentWith({ flaw: 'too_little' })] }));
      assert.equal(await kindOf({ createdAt: at(1000) }, { maxOpen: 2 }), 'too_many_open', 'it is not paid');
      await store.saveCheck(third.id, checkWith({ payments: [paymentWith()] }));
      assert.equal(await kindOf({ createdAt: at(1000) }, { maxOpen: 2 }), 'inserted');
    });

    it('counts again a link whose payment a fork has dropped, and always one for any number of payments', async (t) => {
      const { store, kindOf } = await open(t);
      const [single, many] = [linkWith(), linkWith({ isSingleUse: false })];
      for (const link of [single, many]) await store.insert(link);
      const payment = paymentWith();
      for (const { id } of [single, many]) await store.saveCheck(id, checkWith({ payments: [payment] }));
      assert.equal(await kindOf({}, { maxOpen: 1 }), 'too_many_open');
      assert.equal(await kindOf({}, { maxOpen: 2 }), 'inserted');
      await store.saveCheck(single.id, checkWith({ checkedAt: at(2000), dropped: [payment.signature] }));
      assert.equal(await kindOf({}, { maxOpen: 3 }), 'too_many_open');
    });
  });

  describe(`payment links of a key that ends, in ${name}`, () => {
    const now = Date.now();
    const ofKey = ({ id, rootId }: { id: string; rootId: string }) =>
      linkWith({ keyId: id, ownerId: rootId, createdAt: new Date(now), expiresAt: new Date(now + 3_600_000) });

    async function openShop(t: TestContext) {
      const { url, keys, store } = await open(t);
      const { record } = await keys.create({ name: 'shop', expiresAt: null });
      const states = async () =>
        (await store.list(record.id, { limit: 100 }))
          .map(({ link }) => `${link.label} ${link.cancelledAt ? 'canceled' : 'open'}`)
          .sort();
      return { url, keys, store, record, states };
    }

    it('are canceled with it on request: those that it made, and that can still be paid', async (t) => {
      const { keys, store, record, states } = await openShop(t);
      const [paid, expired] = [ofKey(record), { ...ofKey(record), expiresAt: new Date(now - 1) }];
      const links = [
        { ...ofKey(record), label: 'open one' },
        { ...paid, label: 'paid' },
        { ...expired, label: 'expired' },
        { ...ofKey(record), keyId: 'key_0', label: 'of its predecessor' },
      ];
      for (const link of links) await store.insert(link);
      await store.saveCheck(paid.id, checkWith({ payments: [paymentWith()] }));
      const rotated = await keys.rotate(record.id, 0, { closesLinks: true });
      assert.equal(rotated?.closedLinks, 1);
      assert.deepEqual(await states(), ['expired open', 'of its predecessor open', 'open one canceled', 'paid open']);
      await store.insert({ ...ofKey(rotated.record), label: 'new' });
      assert.equal((await keys.revoke(rotated.record.id))?.closedLinks, 0);
      assert.ok((await states()).includes('new open'));
    });

    it('are not stored any more, once it is revoked, expired or replaced', async (t) => {
      const { keys, store, record } = await openShop(t);
      const kindOf = async (link: PaymentLink) => (await store.insert(link, { needsKey: true })).kind;
      assert.equal(await kindOf(ofKey(record)), 'inserted');
      const successor = (await keys.rotate(record.id))?.record ?? assert.fail();
      assert.deepEqual([await kindOf(ofKey(record)), await kindOf(ofKey(successor))], ['key_ended', 'inserted']);
      await keys.update(successor.id, () => ({ expiresAt: new Date(now) }));
      assert.equal(await kindOf(ofKey(successor)), 'key_ended');
    });

    it('do not slip in while it is replaced, whichever process makes them', async (t) => {
      const { url, store, record } = await openShop(t);
      // A command waits for the lock of an SQLite file.
      const commands = await openKeyStore(url);
      t.after(() => commands.close());
      const links = new URL('./links.ts', import.meta.url).href;
      const script = `
        const { linkWith } = await import('${links}');
        const links = store.links;
        const insert = async () => (await links.insert(linkWith({ keyId: '${record.id}', ownerId: '${record.id}',
          createdAt: new Date(${now}), expiresAt: new Date(${now + 3_600_000}) }), { needsKey: true })).kind;
        await go();
        let made = 0;
        const run = async () => {
          while ((await insert()) === 'inserted') if ((made += 1) === 20) console.log('made twenty');
        };
        await Promise.all([run(), run(), run()]);
        console.log(made);`;
      const child = startStoreProcess(url, script);
      await child.ready;
      child.go();
      await child.printed('made twenty');
      const rotated = await commands.rotate(record.id, 0, { closesLinks: true });
      const { status, output } = await child.ended;
      assert.equal(status, 0, output);
      const all = await allOf(store, record.id);
      assert.equal(rotated?.closedLinks, all.length);
      assert.deepEqual(
        all.filter(({ link }) => link.cancelledAt === null),
        [],
      );
    });
  });
}

/** All links of an owner, page by page. */
async function allOf(store: LinkRecords, ownerId: string) {
  const all: Awaited<ReturnType<typeof store.list>>[number][] = [];
  for (;;) {
    const last = all.at(-1)?.link;
    const page = await store.list(ownerId, { limit: 1000, ...(last && { before: last }) });
    if (page.length === 0) return all;
    all.push(...page);
  }
}
