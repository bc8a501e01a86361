import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Redis } from 'iovalkey';
import { openKeyStore } from '../../../packages/server/src/serve/store/open-key-store.ts';
import {
  claimBy,
  replyWith,
  requestOf,
  sentAs,
} from '../../../packages/server/test/idempotency/records/idempotent-requests.ts';
import { at, checkWith, linkWith, paymentWith } from '../../../packages/server/test/links/records/links.ts';
import { changeByHand, readByHand } from '../../../packages/server/test/store/change-by-hand.ts';
import { makeCertificates } from '../../setup/certificates.ts';
import { postgresBinaries, startPostgres } from '../../setup/postgres.ts';
import { startRedis } from '../../setup/redis.ts';
import { startTestService } from '../../setup/service.ts';
import { blocksOf, type DocumentShell, openShell, runDocument } from './document-shell.ts';

const onPostgres = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  PATH: `${postgresBinaries()}:${process.env.PATH}`,
});
const sqliteOf = ({ folder }: DocumentShell): string => `sqlite:${folder}/.splwright/keys.db`;

/** Makes a key, backs up while the store is open, makes and revokes more, restores, and says what is there. */
async function rehearseBackup(databaseUrl: string, shell: DocumentShell, backUp = '', restore = ''): Promise<void> {
  const store = await openKeyStore(databaseUrl);
  const { record } = await store.create({ name: 'before', expiresAt: null });
  await shell.run(backUp);
  await store.create({ name: 'after', expiresAt: null });
  await store.revoke(record.id);
  await store.close();
  await shell.run(restore);
  const restored = await openKeyStore(databaseUrl);
  const keys = await restored.list();
  await restored.close();
  assert.deepEqual(
    keys.map(({ name, revokedAt }) => ({ name, isRevoked: revokedAt !== null })),
    [{ name: 'before', isRevoked: false }],
  );
}

/** Fills a database with two customers. */
async function fill(databaseUrl: string): Promise<void> {
  const store = await openKeyStore(databaseUrl);
  for (const name of ['acme', 'other']) {
    const { record } = await store.create({ name, expiresAt: null });
    const rotated = await store.rotate(record.id);
    const keyId = rotated?.record.id ?? '';
    const usage = [{ keyId, day: '2026-11-22', outcome: 'built', requests: 1 }];
    await store.addUsage({ writer: name, number: 1, usage, lastUsedAt: new Map() });
    await store.addDailyAmounts([{ added: { keyId, day: '2026-11-22', mint: 'm', amount: 1n }, limit: 5n }]);
    const id = requestOf(name, { scope: record.id });
    await store.idempotency.claim(id, claimBy('1'));
    await store.idempotency.complete(id, '1', replyWith({ sent: sentAs([`message of ${name}`]) }), 1, 1_000);
    await store.idempotency.storedBytesOf(id.scope, 1);
    const endpoint = { owner_id: record.id, url: 'https://shop.example/', types: null, description: null };
    const hook = await store.webhooks.endpoints.insert(endpoint, at(0));
    await store.webhooks.events.test(record.id, hook?.id ?? '', at(0));
    const { recipient: wallet, mint, destination: tokenAccount } = linkWith();
    await store.incoming.recipients.put(record.id, { wallet, tokens: [{ mint, tokenAccount }], slot: 1n }, at(0));
    for (const settledAt of [at(2_000), null]) {
      const link = linkWith({ ownerId: record.id, keyId });
      const links = store.links;
      await links.insert(link);
      const payments = [paymentWith({ commitment: 'finalized' })];
      await links.saveCheck(link.id, checkWith({ payments, settledAt }));
    }
  }
  await store.close();
}

/** Fills a database, forgets one of its two customers by the blocks of the page, and says what is left. */
async function rehearseRetention(databaseUrl: string, shell: DocumentShell, stop = '', forget = ''): Promise<void> {
  await fill(databaseUrl);
  const history = (await shell.run(stop)).split('\n').find((line) => line.startsWith('['));
  const [statements = ''] = blocksOf('docs/operate/retention.md', 'sql');
  const script = statements.replaceAll('key_0123456789abcdef', JSON.parse(history ?? '')[0].id);
  writeFileSync(join(shell.folder, 'forget.sql'), script);
  await shell.run(forget);
  // All of the other customer, and the link of this one that is not settled.
  const left = {
    api_keys: 2,
    key_usage: 1,
    key_daily_amounts: 1,
    idempotent_requests: 1,
    idempotent_messages: 1,
    idempotent_bytes: 1,
    payment_links: 3,
    link_payments: 3,
    webhook_endpoints: 1,
    // A test, and of two links the payment, also that it is final.
    events: 5,
    event_deliveries: 5,
    recipients: 1,
    key_history: 5,
  };
  for (const [table, rows] of Object.entries(left)) {
    const [row] = await readByHand(databaseUrl, `select count(*) as count from ${table}`);
    assert.equal(Number(row?.count), rows, table);
  }
}

describe('docs/operate/backup.md', () => {
  const [backUpSqlite, backUpPostgres, restoreSqlite, restorePostgres] = blocksOf('docs/operate/backup.md', 'sh');

  it('backs SQLite up while it is used, and restores what was there then', async (t) => {
    const shell = openShell(t, { SOLANA_RPC_URLS: 'http://127.0.0.1:1' });
    await rehearseBackup(sqliteOf(shell), shell, backUpSqlite, restoreSqlite);
  });

  it('backs PostgreSQL up while it is used, and restores what was there then', async (t) => {
    const databaseUrl = await (await startPostgres(t)).createDatabase();
    await rehearseBackup(databaseUrl, openShell(t, onPostgres(databaseUrl)), backUpPostgres, restorePostgres);
  });
});

describe('docs/operate/retention.md', () => {
  const [stop, forgetOnSqlite, forgetOnPostgres] = blocksOf('docs/operate/retention.md', 'sh');

  it('forgets one customer in SQLite, and no other', async (t) => {
    const shell = openShell(t, { SOLANA_RPC_URLS: 'http://127.0.0.1:1' });
    await rehearseRetention(sqliteOf(shell), shell, stop, forgetOnSqlite);
  });

  it('forgets one customer in PostgreSQL, and no other', async (t) => {
    const databaseUrl = await (await startPostgres(t)).createDatabase();
    await rehearseRetention(databaseUrl, openShell(t, onPostgres(databaseUrl)), stop, forgetOnPostgres);
  });
});

describe('the commands of', () => {
  it('docs/keys.md make keys in SQLite, over HTTP, and in a PostgreSQL that its statements prepare', async (t) => {
    const server = new URL(await (await startPostgres(t)).createDatabase());
    const [statements = ''] = blocksOf('docs/keys.md', 'sql');
    for (const statement of statements.trim().split('\n')) await changeByHand(server.href, statement);
    const adminKey = 'k'.repeat(32);
    const places = {
      '127.0.0.1:5432': server.host,
      'http://127.0.0.1:3000': (await startTestService(t, { ADMIN_KEY: adminKey })).url,
    };
    await runDocument(openShell(t, { ADMIN_KEY: adminKey }, places), 'docs/keys.md');
  });

  it('docs/limits.md start several processes, and one with a Redis', async (t) => {
    const redis = await startRedis(t);
    await runDocument(openShell(t, {}, { 'redis://user:password@redis.internal:6379': redis.url }), 'docs/limits.md');
  });

  it('docs/operate/stores.md examine a Redis, with the rights it lists, and a PostgreSQL, both with TLS', async (t) => {
    const certificates = makeCertificates(t);
    const redis = await startRedis(t, [], certificates);
    const administrator = new Redis(redis.url, { tls: { ca: readFileSync(certificates.ca) } });
    t.after(() => administrator.disconnect());
    const [rights = ''] = blocksOf('docs/operate/stores.md', 'text');
    await administrator.call('ACL', ...rights.trim().split(' ').slice(1));
    const databaseUrl = await (await startPostgres(t, { certificates })).createDatabase();
    const shell = openShell(
      t,
      {},
      {
        'localhost:6380': `localhost:${redis.port}`,
        '/etc/splwright/redis-ca.pem': certificates.ca,
        'postgres://splwright:change%2Fme@localhost:5432/splwright': databaseUrl.replace('127.0.0.1', 'localhost'),
        '/etc/splwright/postgres-ca.pem': certificates.ca,
      },
    );
    const [ofRedis = '', ofPostgres = ''] = await runDocument(shell, 'docs/operate/stores.md');
    assert.match(ofRedis, /^ok +redis +It answers by TLS, and counts for the rate limits\.$/m);
    assert.match(ofPostgres, /^ok +database /m);
  });
});
