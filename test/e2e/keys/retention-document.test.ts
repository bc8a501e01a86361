import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { variables } from '../../../packages/server/src/config/variables.ts';
import { idOnLedger } from '../../../packages/server/src/store/ledgers/ledger-store.ts';
import { openKeyStore } from '../../../packages/server/src/store/open-key-store.ts';
import { readByHand } from '../../../packages/server/test/store/change-by-hand.ts';
import { claimBy, replyWith, requestOf } from '../../../packages/server/test/store/idempotency/idempotent-requests.ts';
import { onlyLedger, sandboxLedger } from '../../../packages/server/test/store/ledgers/ledgers.ts';
import { at, checkWith, linkWith, paymentWith } from '../../../packages/server/test/store/links/links.ts';
import { postgresBinaries, startPostgres } from '../../setup/postgres.ts';
import { repository, runCommand } from '../../setup/process.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const document = readFileSync(join(repository, 'docs/operate/retention.md'), 'utf8');
const [stop = '', onSqlite = '', onPostgres = ''] = [...document.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
  ([, body = '']) => body.trim(),
);
const [, statements = ''] = /^```sql\n([\s\S]*?)^```$/m.exec(document) ?? [];

/** Fills a database with two customers, forgets one by the commands of the page, and says what is left. */
async function rehearse(databaseUrl: string, folder: string, command: string, environment: Record<string, string>) {
  const store = await openKeyStore(databaseUrl);
  for (const name of ['acme', 'other']) {
    const { record } = await store.create({ name, expiresAt: null });
    const rotated = await store.rotate(record.id);
    const keyId = rotated?.record.id ?? '';
    const usage = [{ keyId, day: '2026-11-22', outcome: 'built', requests: 1 }];
    await store.addUsage({ writer: name, number: 1, usage, lastUsedAt: new Map() });
    for (const ledger of [onlyLedger, sandboxLedger]) {
      await store.addDailyAmount({ keyId: idOnLedger(ledger, keyId), day: '2026-11-22', mint: 'm', amount: 1n }, 5n);
      const id = requestOf(name, { scope: idOnLedger(ledger, record.id) });
      await store.idempotency.claim(id, claimBy('1'));
      await store.idempotency.claimMessages(id, '1', [`message of ${name} on ${ledger.genesisHash}`]);
      await store.idempotency.complete(id, '1', replyWith(), 1, 1_000);
      await store.idempotency.storedBytesOf(id.scope, 1);
    }
    for (const settledAt of [at(2_000), null]) {
      const link = linkWith({ ownerId: record.id, keyId });
      await store.paymentLinksOf(onlyLedger).insert(link);
      await store
        .paymentLinksOf(onlyLedger)
        .saveCheck(link.id, checkWith({ payments: [paymentWith({ commitment: 'finalized' })], settledAt }));
    }
  }
  await store.close();
  const shell = { ...environment, DATABASE_URL: databaseUrl };
  const { status, stdout, stderr } = await runCommand(stop, shell);
  assert.equal(status, 0, stderr);
  const changes = JSON.parse(stdout.split('\n').find((line) => line.startsWith('[')) ?? '');
  const script = join(folder, 'forget.sql');
  writeFileSync(script, statements.replaceAll('key_0123456789abcdef', changes[0].id));
  const ended = await runCommand(command.replaceAll('forget.sql', script), shell);
  assert.equal(ended.status, 0, ended.stderr);
  const left: Record<string, number> = {};
  for (const table of [
    'api_keys',
    'key_usage',
    'key_daily_amounts',
    'idempotent_requests',
    'idempotent_messages',
    'idempotent_bytes',
    'payment_links',
    'link_payments',
    'key_history',
  ]) {
    const [row] = await readByHand(databaseUrl, `select count(*) as count from ${table}`);
    left[table] = Number(row?.count);
  }
  // All of the other customer, and the link of this one that is not settled.
  assert.deepEqual(left, {
    api_keys: 2,
    key_usage: 1,
    key_daily_amounts: 2,
    idempotent_requests: 2,
    idempotent_messages: 2,
    idempotent_bytes: 2,
    payment_links: 3,
    link_payments: 3,
    key_history: 5,
  });
}

describe('docs/operate/retention.md', () => {
  it('forgets one customer in SQLite, and no other', async (t) => {
    const folder = temporaryFolder(t);
    await rehearse(`sqlite:${folder}/keys.db`, folder, onSqlite.replaceAll('.splwright/', `${folder}/`), {});
  });

  it('forgets one customer in PostgreSQL, and no other', async (t) => {
    const postgres = await startPostgres(t);
    const environment = { PATH: `${postgresBinaries()}:${process.env.PATH}` };
    await rehearse(await postgres.createDatabase(), temporaryFolder(t), onPostgres, environment);
  });

  it('has every variable of retention, with its default', () => {
    const ofRetention = variables.filter(({ name }) => name.includes('_RETENTION_'));
    assert.equal(ofRetention.length, 4);
    for (const { name, default: days } of ofRetention) {
      const row = document.split('\n').find((line) => line.startsWith('|') && line.includes(`| \`${name}\``));
      assert.ok(row?.includes(days === '0' ? '| for ever |' : `| ${days} `), name);
    }
  });
});
