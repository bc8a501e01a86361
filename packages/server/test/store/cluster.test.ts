import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Store } from '../../src/serve/store/store.ts';
import { assertOfSandbox, assertWritable, claimForNetwork, claimForSandbox } from '../../src/store/cluster.ts';
import { KeyStoreError } from '../../src/store/store-faults.ts';
import { claimBy, replyWith, requestOf, sentAs, start } from '../idempotency/records/idempotent-requests.ts';
import { checkWith, linkWith, paymentWith } from '../links/records/links.ts';
import { readByHand } from './change-by-hand.ts';
import { keyDatabases, newKeyStore, openPatiently } from './databases.ts';

const mainnet = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const devnet = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';

/** Stores a record of each kind, and a key. */
async function fill(store: Store): Promise<void> {
  const { record } = await store.create({ name: 'acme', expiresAt: null });
  const usage = [{ keyId: record.id, day: '2026-11-22', outcome: 'built', requests: 1 }];
  await store.addUsage({ writer: 'w', number: 1, usage, lastUsedAt: new Map() });
  await store.addDailyAmounts([{ added: { keyId: record.id, day: '2026-11-22', mint: 'm', amount: 1n }, limit: 5n }]);
  const id = requestOf('order-1', { scope: record.id });
  await store.idempotency.claim(id, claimBy('1'));
  await store.idempotency.complete(id, '1', replyWith({ sent: sentAs(['m1']) }), start, 1_000);
  await store.idempotency.storedBytesOf(record.id, start);
  const { destination } = linkWith();
  const otherTokens = [linkWith({ destination })];
  const link = linkWith({ ownerId: record.id, keyId: record.id, destination, otherTokens });
  await store.links.insert(link);
  await store.links.saveCheck(link.id, checkWith({ payments: [paymentWith()] }));
  const { payer } = paymentWith();
  const bytes = Uint8Array.of(1);
  const endpoint = { owner_id: record.id, url: 'https://shop.example/', types: null, description: null };
  const made = await store.webhooks.endpoints.insert(endpoint, link.createdAt);
  await store.webhooks.events.test(record.id, made?.id ?? '', link.createdAt);
  const [wallet, mint, tokenAccount] = [link.recipient, link.mint, link.destination];
  await store.incoming.recipients.put(
    record.id,
    { wallet, tokens: [{ mint, tokenAccount }], slot: 1n },
    link.createdAt,
  );
  await store.incoming.accounts.update(1);
  const times = { slot: 1, block_time: null, seen_at: 1 };
  const credit = { token_account: tokenAccount, signature: 's', amount: '1', payer: null, memo: null, ...times };
  const finalCredit = { ...credit, reference_addresses: '[]', commitment: 'finalized' } as const;
  await store.database.db.insertInto('credits').values(finalCredit).execute();
  const sender = { scope: record.id, source: tokenAccount };
  await store.database.db
    .insertInto('watched_senders')
    .values({ ...sender, due_at: 1, taken_until: null })
    .execute();
  const built = { path: '/', idempotency_key: 'order-1', transaction_index: 0, transfers: null, told: null };
  const life = { bytes: Uint8Array.of(1), last_valid_block_height: 1, changed_at: 1, expires_at: 1 };
  await store.database.db
    .insertInto('watched_transactions')
    .values({ message_hash: 'm1', ...sender, ...built, ...life })
    .execute();
  await store.links.reserveRefund(
    {
      ...{ reference: payer, linkId: link.id, key: 'refund-1', payment: 'sig', to: payer, mint: link.mint, amount: 1n },
      ...{ bytes, lastValidBlockHeight: 1n, state: 'issued', signature: null, createdAt: new Date(1) },
    },
    1n,
  );
  await store.links.issue({
    linkId: link.id,
    payer,
    mint: link.mint,
    amount: 1n,
    paymentsBefore: 0,
    bytes,
    lastValidBlockHeight: 1n,
  });
}

const recordTables = [
  ...['key_usage', 'key_usage_writers', 'key_daily_amounts', 'idempotent_requests', 'idempotent_messages'],
  ...[
    'idempotent_bytes',
    'payment_links',
    'link_other_accounts',
    'link_payments',
    'issued_transactions',
    'link_refunds',
  ],
  ...['events', 'event_deliveries', 'credits', 'watched_accounts', 'recipients'],
  ...['watched_senders', 'watched_transactions'],
];

for (const database of keyDatabases) {
  async function open(t: TestContext) {
    const { databaseUrl, store } = await newKeyStore(t, database);
    const countIn = async (table: string) =>
      Number((await readByHand(databaseUrl, `select count(*) as count from ${table}`))[0]?.count);
    const assertRecords = async (count: number) => {
      for (const table of recordTables) assert.equal(await countIn(table), count, table);
      assert.equal((await store.list()).length, 1);
      for (const table of ['key_history', 'webhook_endpoints']) assert.equal(await countIn(table), 1, table);
    };
    return { databaseUrl, store, assertRecords };
  }

  describe(`the cluster of ${database.name}`, () => {
    it('is the network that it was first used on, for good, and any other is refused with the remedy', async (t) => {
      const { store, assertRecords } = await open(t);
      await fill(store);
      await claimForNetwork(store.database, mainnet);
      await claimForNetwork(store.database, mainnet);
      for (const claim of [
        () => claimForNetwork(store.database, devnet),
        () => claimForSandbox(store.database),
        () => assertOfSandbox(store.database),
      ]) {
        await assert.rejects(claim, (error) => {
          assert.ok(error instanceof KeyStoreError);
          assert.match(error.message, new RegExp(`^DATABASE_URL: .* the network of ${mainnet}.*Name another database`));
          return true;
        });
      }
      await assertRecords(1);
    });

    it('is found by one of several processes that come first at the same moment', async (t) => {
      const { databaseUrl } = await open(t);
      const stores = await Promise.all(Array.from({ length: 6 }, () => openPatiently(databaseUrl, t)));
      const claims = await Promise.allSettled(
        stores.map((each, index) => claimForNetwork(each.database, index % 2 === 0 ? mainnet : devnet)),
      );
      assert.equal(claims.filter(({ status }) => status === 'fulfilled').length, 3);
    });

    it('is a sandbox until a network takes it over: at each start of either it is emptied, and keys stay', async (t) => {
      const { store, assertRecords } = await open(t);
      await claimForSandbox(store.database);
      await fill(store);
      await assertOfSandbox(store.database);
      await assertRecords(1);
      await claimForSandbox(store.database);
      await assertRecords(0);
      await store.links.insert(linkWith());
      await claimForNetwork(store.database, devnet);
      await assertRecords(0);
      await assert.rejects(assertOfSandbox(store.database), /the network of EtWT/);
    });

    it('takes a write when it is asked whether it does', async (t) => {
      const { store, databaseUrl } = await open(t);
      await assertWritable(store.database, 1_234);
      assert.equal(Number((await readByHand(databaseUrl, 'select written_at from cluster'))[0]?.written_at), 1_234);
    });
  });
}
