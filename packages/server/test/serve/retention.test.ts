import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { LinkPayment, PaymentLink } from '../../src/links/records/payment-link.ts';
import { createRetentionTasks } from '../../src/serve/retention.ts';
import type { Store } from '../../src/serve/store/store.ts';
import {
  claimBy,
  replyWith,
  requestOf,
  start as requestStart,
  sentAs,
} from '../idempotency/records/idempotent-requests.ts';
import { anyAddress, at, checkWith, linkWith, paymentWith, start } from '../links/records/links.ts';
import { readByHand } from '../store/change-by-hand.ts';
import { keyDatabases, openPatiently, sqliteFile } from '../store/databases.ts';

const day = 86_400_000;

/** Does all that is due on a day after the start, as one run of a service does. */
async function keep(store: Store, days: number | undefined, daysLater: number): Promise<readonly string[]> {
  const settled: string[] = [];
  const settleLink = async (id: string) => void settled.push(id);
  for (const task of createRetentionTasks({ store, days, settleLink })) {
    for (let steps = 0; steps < (task.maxSteps ?? 1_000); steps += 1) {
      if (await task.step(start + daysLater * day)) break;
    }
  }
  return settled;
}

const countOf = async (url: string, table: string): Promise<number> =>
  Number((await readByHand(url, `select count(*) as count from ${table}`))[0]?.count);

describe(`what is kept, and for how long`, () => {
  async function open(t: TestContext) {
    const url = await sqliteFile.newUrl(t);
    const store = await openPatiently(url, t);
    const links = store.links;
    const add = async (changes: Partial<PaymentLink>, ...payments: readonly LinkPayment[]): Promise<PaymentLink> => {
      const link = linkWith(changes);
      await links.insert(link);
      if (payments.length > 0) await links.saveCheck(link.id, checkWith({ payments }));
      return link;
    };
    const settle = ({ id }: PaymentLink, ms = 10_000) =>
      links.saveCheck(id, checkWith({ checkedAt: at(ms), settledAt: at(ms) }));
    const isThere = async ({ id }: PaymentLink): Promise<boolean> => (await links.find(id)) !== undefined;
    return { url, store, links, add, settle, isThere };
  }

  it('usage is kept for its days, today and the days that count included', async (t) => {
    const { store } = await open(t);
    const days = ['2025-10-18', '2025-10-19', '2026-11-21', '2026-11-22', '2026-11-23'];
    const usage = days.map((each) => ({ keyId: 'key_1', day: each, outcome: 'built', requests: 1 }));
    await store.addUsage({ writer: 'w', number: 1, usage, lastUsedAt: new Map() });
    const kept = async () => (await store.listUsage('2000-01-01')).map((row) => row.day);
    await keep(store, undefined, 10_000);
    assert.deepEqual(await kept(), days);
    await keep(store, 400, 0);
    assert.deepEqual(await kept(), days.slice(0, 5));
    await keep(store, 400, 1);
    assert.deepEqual(await kept(), days.slice(1));
    await keep(store, 1, 0);
    assert.deepEqual(await kept(), days.slice(2));
  });

  it('amounts that daily limits count are kept for 30 days', async (t) => {
    const { store } = await open(t);
    const add = (on: string) =>
      store.addDailyAmounts([{ added: { keyId: 'key_1', day: on, mint: 'm', amount: 5n }, limit: 10n }]);
    for (const on of ['2026-10-22', '2026-10-23', '2026-11-22']) await add(on);
    await keep(store, undefined, 0);
    const left = [];
    for (const on of ['2026-10-22', '2026-10-23', '2026-11-22']) {
      left.push((await store.findDailyAmounts('key_1', on)).get('m'));
    }
    assert.deepEqual(left, [undefined, 5n, 5n]);
    const sixMore = { added: { keyId: 'key_1', day: '2026-11-22', mint: 'm', amount: 6n }, limit: 10n };
    assert.equal(await store.addDailyAmounts([sixMore]), sixMore);
  });

  it('replies are kept until their own time, and no longer', async (t) => {
    const { store, url } = await open(t);
    for (const [key, retentionMs] of [
      ['short', day],
      ['long', 3 * day],
    ] as const) {
      await store.idempotency.claim(requestOf(key), claimBy('1'));
      const reply = replyWith({ sent: sentAs([`${key}-1`, `${key}-2`]) });
      await store.idempotency.complete(requestOf(key), '1', reply, requestStart, retentionMs);
    }
    await keep(store, undefined, 0.99);
    assert.equal(await countOf(url, 'idempotent_requests'), 2);
    await keep(store, undefined, 1);
    const left = await readByHand(url, 'select idempotency_key from idempotent_requests');
    assert.deepEqual(
      left.map((row) => row.idempotency_key),
      ['long'],
    );
    assert.equal(await countOf(url, 'idempotent_messages'), 2);
  });

  it('a link without a payment is deleted days after it was settled, and then unknown', async (t) => {
    const { add, settle, isThere, store, links } = await open(t);
    const link = await add({ expiresAt: at(5_000) });
    await settle(link);
    await keep(store, 90, 90);
    assert.equal(await isThere(link), true);
    await keep(store, undefined, 10_000);
    assert.equal(await isThere(link), true, 'for ever');
    await keep(store, 90, 90.001);
    assert.equal(await isThere(link), false);
    assert.deepEqual(await links.list(link.ownerId, { limit: 10 }), []);
    assert.deepEqual(await links.findByReferences([link.reference]), []);
  });

  it('a link that is not settled is never deleted', async (t) => {
    const { add, isThere, store } = await open(t);
    const stored = [
      await add({}),
      await add({ expiresAt: at(1) }),
      await add({ cancelledAt: at(1), expiresAt: at(2) }),
      await add({ expiresAt: at(1) }, paymentWith({ commitment: 'confirmed' })),
      await add({ expiresAt: at(1) }, paymentWith({ commitment: 'finalized' })),
    ];
    await keep(store, 1, 10_000);
    for (const link of stored) assert.equal(await isThere(link), true);
  });

  it('a link with any payment is deleted with all its payments and token accounts', async (t) => {
    const { url, add, settle, isThere, store } = await open(t);
    const final = { commitment: 'finalized' } as const;
    const stored = [
      await add({ otherTokens: [linkWith()] }, paymentWith(final)),
      await add({}, paymentWith({ ...final, flaw: 'too_little' })),
      await add({ isSingleUse: false }, ...Array.from({ length: 120 }, () => paymentWith(final))),
    ];
    for (const link of stored) await settle(link);
    await keep(store, 365, 365);
    assert.equal(await countOf(url, 'link_payments'), 122);
    assert.equal(await countOf(url, 'link_other_accounts'), 1);
    await keep(store, 365, 366);
    for (const link of stored) assert.equal(await isThere(link), false);
    for (const table of ['link_payments', 'link_other_accounts']) assert.equal(await countOf(url, table), 0);
  });

  it('a paid link is kept while another link, not settled, could count the same payment', async (t) => {
    const { add, settle, isThere, store } = await open(t);
    const recipient = anyAddress();
    const payment = () => paymentWith({ commitment: 'finalized' });
    const paid = await add({ recipient }, payment());
    const elsewhere = await add({}, payment());
    const notSettled = await add({ recipient, createdAt: at(5_000) });
    await add({ recipient, createdAt: at(11_000) });
    for (const link of [paid, elsewhere]) await settle(link);
    await keep(store, 1, 2);
    assert.deepEqual([await isThere(paid), await isThere(elsewhere)], [true, false]);
    await settle(notSettled, 20_000);
    await keep(store, 1, 3);
    assert.equal(await isThere(paid), false, 'the link that was made later cannot have its payment');
  });

  it('closed links that are not settled are asked about once a day for a week, from an hour after their end', async (t) => {
    const { add, settle, links, store } = await open(t);
    const ended = await add({ expiresAt: at(day) });
    const checked = await add({ expiresAt: at(day) });
    const notSettled = await add({ expiresAt: at(100 * day) });
    await settle(await add({ expiresAt: at(1) }));
    const ask = async (daysLater: number) => [...(await keep(store, 90, daysLater))].sort();
    assert.deepEqual(await ask(1.04), []);
    assert.deepEqual(await ask(1.05), [ended.id, checked.id].sort());
    await links.saveCheck(checked.id, checkWith({ checkedAt: at(1.05 * day) }));
    assert.deepEqual(await ask(2), [ended.id]);
    assert.deepEqual(await ask(2.06), [ended.id, checked.id].sort());
    await links.saveCheck(checked.id, checkWith({ checkedAt: at(8.01 * day) }));
    assert.deepEqual(await ask(50), [ended.id]);
    assert.deepEqual(await ask(101), [ended.id, notSettled.id].sort());
    assert.deepEqual(await keep(store, undefined, 50), [], 'nothing is asked where links are kept for ever');
  });
});

for (const database of keyDatabases) {
  it(`What is kept in ${database.name} for long enough is deleted by several processes at once, in full`, async (t) => {
    const url = await database.newUrl(t);
    const stores = [await openPatiently(url, t), await openPatiently(url, t), await openPatiently(url, t)];
    const [store] = stores;
    assert.ok(store);
    const usage = Array.from({ length: 3_000 }, (_, index) => ({
      keyId: `key_${index}`,
      day: '2025-11-22',
      outcome: 'built',
      requests: 1,
    }));
    await store.addUsage({ writer: 'w', number: 1, usage, lastUsedAt: new Map() });
    for (let index = 0; index < 150; index += 1) {
      const link = linkWith({ expiresAt: at(1) });
      await store.links.insert(link);
      const payments = [paymentWith({ commitment: 'finalized' })];
      await store.links.saveCheck(link.id, checkWith({ payments, checkedAt: at(2_000), settledAt: at(2_000) }));
      await store.idempotency.claim(requestOf(link.id), claimBy('1'));
      const reply = replyWith({ sent: sentAs([`${link.id}-1`, `${link.id}-2`]) });
      await store.idempotency.complete(requestOf(link.id), '1', reply, requestStart, day);
    }
    await Promise.all(stores.map((each) => keep(each, 90, 100)));
    // What another one had locked for the moment.
    await keep(store, 90, 101);
    for (const table of ['key_usage', 'payment_links', 'link_payments', 'idempotent_requests', 'idempotent_messages']) {
      assert.equal(await countOf(url, table), 0, table);
    }
  });
}
