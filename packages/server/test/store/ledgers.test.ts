import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sandboxKeyId } from '../../src/keys/authenticated-key.ts';
import { createDailyAmounts } from '../../src/keys/usage/daily-amounts.ts';
import type { Store } from '../../src/serve/store/store.ts';
import { idOnLedger } from '../../src/store/ledger-store.ts';
import { claimBy, requestOf } from '../idempotency/records/idempotent-requests.ts';
import { isLimitReached, keyWithDailyLimit } from '../keys/usage/daily-limits.ts';
import { at, checkWith, linkWith, paymentWith, start } from '../links/records/links.ts';
import { changeByHand, readByHand } from './change-by-hand.ts';
import { keyDatabases, openPatiently } from './databases.ts';
import { returnToStep } from './schema/older-schema.ts';

const day = 86_400_000;
const [mainnet, devnet, sandbox, nextSandbox, awokenSandbox] = [
  'Mainnet1',
  'Devnet1',
  'Sandbox1',
  'Sandbox2',
  'Sandbox3',
];

for (const database of keyDatabases) {
  async function open(t: TestContext): Promise<{ url: string; store: Store }> {
    const url = await database.newUrl(t);
    const store = await openPatiently(url, t);
    return { url, store };
  }

  describe(`the ledgers of records in ${database.name}`, () => {
    it('are told apart: no service sees, lists, cancels, settles or deletes a link of another ledger', async (t) => {
      const { store } = await open(t);
      const ledgers = [
        await store.ledgers.open(mainnet, false, start),
        await store.ledgers.open(devnet, false, start),
        await store.ledgers.open(sandbox, true, start),
      ];
      const links = ledgers.map((ledger) => store.paymentLinksOf(ledger));
      const made = links.map(() => linkWith({ expiresAt: at(1), destination: linkWith().destination }));
      for (const [index, link] of made.entries()) await links[index]?.insert(link);
      const unsettled = { expiredBefore: start + day, checkedBefore: start, checkedForMs: day, afterId: '', limit: 9 };
      for (const [index, own] of made.entries()) {
        const service = links[index] ?? assert.fail();
        const references = made.map(({ reference }) => reference);
        assert.deepEqual(
          (await service.findByReferences(references)).map(({ id }) => id),
          [own.id],
        );
        assert.deepEqual(await service.list('key_1', { limit: 9 }), [{ link: own, payments: [] }]);
        assert.deepEqual(await service.listUnsettled(unsettled), [own.id]);
        for (const link of made) {
          assert.equal((await service.find(link.id)) !== undefined, link === own);
          if (link !== own) assert.equal(await service.cancel(link.id, at(1)), false);
        }
      }
      for (const [index, link] of made.entries())
        await links[index]?.saveCheck(link.id, checkWith({ settledAt: at(2) }));
      const pruning = { kind: 'unpaid', settledBefore: start + day } as const;
      assert.equal((await links[1]?.prune(pruning))?.deleted, 1);
      const left = await Promise.all(links.map((each) => each.list('key_1', { limit: 9 })));
      assert.deepEqual(
        left.map(({ length }) => length),
        [1, 0, 1],
      );
    });

    it('the first network, and never a sandbox, has what names none: also what the version before still writes', async (t) => {
      const { url, store } = await open(t);
      const before = await store.ledgers.open(sandbox, true, start);
      const first = await store.ledgers.open(devnet, false, start);
      const second = await store.ledgers.open(mainnet, false, start);
      assert.deepEqual(
        [before, first, second].map(({ ownsUnnamed }) => ownsUnnamed),
        [false, true, false],
      );
      // Whatever is opened later, and however often.
      assert.deepEqual(await store.ledgers.open(devnet, false, start + day), first);
      assert.deepEqual(await store.ledgers.open(mainnet, false, start + day), second);
      assert.deepEqual(
        await store.ledgers.open(sandbox, false, start + day),
        before,
        'a sandbox that others reach, too',
      );
      const link = linkWith();
      const ofSandbox = linkWith({ ownerId: sandboxKeyId });
      for (const each of [link, ofSandbox]) await store.paymentLinksOf(second).insert(each);
      await changeByHand(url, 'update payment_links set genesis_hash = null');
      const found = async (id: string) =>
        Promise.all(
          [before, first, second].map(async (ledger) => (await store.paymentLinksOf(ledger).find(id)) !== undefined),
        );
      assert.deepEqual(await found(link.id), [false, true, false]);
      assert.deepEqual(await found(ofSandbox.id), [false, false, false], 'its key works on no network');
      assert.deepEqual(
        [before, first, second].map((ledger) => idOnLedger(ledger, 'key_1')),
        [`${sandbox}/key_1`, 'key_1', `${mainnet}/key_1`],
      );
    });

    it('of sandboxes that ended a day ago lose their links, and no other does, nor the one that is served', async (t) => {
      const { url, store } = await open(t);
      const network = await store.ledgers.open(mainnet, false, start);
      const gone = await store.ledgers.open(sandbox, true, start);
      const running = await store.ledgers.open(nextSandbox, true, start);
      const add = async (ledger: typeof gone, changes = {}) => {
        const link = linkWith(changes);
        await store.paymentLinksOf(ledger).insert(link);
        await store.paymentLinksOf(ledger).saveCheck(link.id, checkWith({ payments: [paymentWith()] }));
        return link.id;
      };
      for (let count = 0; count < 60; count += 1) await add(gone);
      // Seen as long ago as the one that is gone: the machine slept.
      const served = await store.ledgers.open(awokenSandbox, true, start);
      const kept = [await add(network), await add(running), await add(served)];
      const unnamed = await add(network, { ownerId: sandboxKeyId });
      await changeByHand(url, `update payment_links set genesis_hash = null where id = '${unnamed}'`);
      const youngest = await add(network, { ownerId: sandboxKeyId, createdAt: at(2 * day) });
      await changeByHand(url, `update payment_links set genesis_hash = null where id = '${youngest}'`);
      await store.leases.take(idOnLedger(gone, 'retention'), 'killed', start, 1);
      await store.ledgers.noteSeen(nextSandbox, start + 2 * day);
      const deleted: number[] = [];
      do deleted.push(await store.ledgers.pruneSandboxes(start + day, served));
      while (deleted.at(-1) !== 0);
      assert.deepEqual(deleted, [50, 11, 0]);
      const column = async (sql: string) => (await readByHand(url, sql)).flatMap((row) => Object.values(row));
      assert.deepEqual((await column('select id from payment_links')).sort(), [...kept, youngest].sort());
      assert.deepEqual((await column('select link_id from link_payments')).sort(), [...kept, youngest].sort());
      assert.deepEqual(
        (await column('select genesis_hash from ledgers')).sort(),
        [mainnet, nextSandbox, awokenSandbox].sort(),
      );
      assert.deepEqual(await column('select name from leases'), []);
    });
  });

  describe(`a database of before, in ${database.name}`, () => {
    it('keeps its links, replies and amounts working on the first network that is served, and shows none on a sandbox', async (t) => {
      const url = await database.newUrl(t);
      const before = await openPatiently(url);
      const { record } = await before.create({ name: 'shop', expiresAt: null });
      await before.close();
      await returnToStep(url, 9);
      const link = linkWith({ ownerId: record.id });
      // As the version before writes them.
      const columns =
        'id, owner_id, key_id, reference, recipient, mint, token_program, decimals, destination, min_amount, max_amount';
      const others = 'texts, is_single_use, allows_off_curve_recipient, created_at, created_slot, expires_at';
      const addresses = [link.reference, link.recipient, link.mint, link.tokenProgram].map((each) => `'${each}'`);
      const texts = JSON.stringify({
        tokenName: null,
        tokenSymbol: null,
        memo: null,
        label: 'Coffee',
        message: null,
        icon: null,
        redirect: null,
      });
      await changeByHand(
        url,
        `insert into payment_links (${columns}, ${others}) values ('${link.id}', '${record.id}', 'key_1', ${addresses.join()}, 6,
          '${link.destination}', '10000000', '10000000', '${texts}', 1, 0, ${start}, 900, ${link.expiresAt.getTime()})`,
      );
      const today = new Date(start).toISOString().slice(0, 10);
      await changeByHand(url, `insert into key_daily_amounts values ('${record.id}', '${today}', 'm', 0, 7)`);
      await changeByHand(
        url,
        `insert into idempotent_requests (scope, path, idempotency_key, body_hash, attempt, state, started_at, expires_at, reply, reply_headers, transactions)
          values ('${record.id}', '/v1/transfers', 'order-1', 'a', '1', 'built', ${start}, ${start + day}, '{}', '{}', '[]')`,
      );

      const store = await openPatiently(url, t);
      const onSandbox = await store.ledgers.open(sandbox, true, start);
      assert.equal(await store.paymentLinksOf(onSandbox).find(link.id), undefined);
      assert.deepEqual(await store.ledgers.countRecordsOfOtherLedgers(onSandbox, start), { links: 1, requests: 1 });
      const network = await store.ledgers.open(mainnet, false, start);
      assert.deepEqual(await store.paymentLinksOf(network).list(record.id, { limit: 9 }), [
        { link: { ...link, keyId: 'key_1', transferFees: null }, payments: [] },
      ]);
      const claim = await store.idempotency.claim(
        requestOf('order-1', { scope: idOnLedger(network, record.id) }),
        claimBy('2'),
      );
      assert.equal(claim.kind, 'built');
      const daily = createDailyAmounts({ store, ledger: async () => network, now: () => start });
      const counted = daily.count(keyWithDailyLimit(record.id, 10n), { mint: 'm', amount: 4n, pointer: '/amount' });
      await assert.rejects(counted, isLimitReached('has built 7 today'));
    });
  });
}
