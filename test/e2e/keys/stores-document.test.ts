import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Redis } from 'iovalkey';
import { readRedisUrl } from '../../../packages/server/src/config/read-values.ts';
import { openKeyStore } from '../../../packages/server/src/store/open-key-store.ts';
import { makeCertificates } from '../../setup/certificates.ts';
import { startPostgres } from '../../setup/postgres.ts';
import { repository, runCommand } from '../../setup/process.ts';
import { startRedis } from '../../setup/redis.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const document = readFileSync(join(repository, 'docs/operate/stores.md'), 'utf8');
const commands = [...document.matchAll(/^```sh\n(.*)\n```$/gm)].map(([, command = '']) => command);
const [withRedis = '', withPostgres = ''] = commands;

describe('docs/operate/stores.md', () => {
  it('has the two commands, and no other', () => assert.equal(commands.length, 2));

  it('names forms of REDIS_URL that are read', () => {
    const forms = [...document.matchAll(/^\| `(redis[^`]*)` \|/gm)].map(([, form = '']) => form);
    assert.equal(forms.length, 3);
    const faults: string[] = [];
    for (const form of forms) readRedisUrl(form, faults);
    assert.deepEqual(faults, []);
  });

  it('examines a Redis with TLS, as the user whose rights it lists', async (t) => {
    const certificates = makeCertificates(t);
    const redis = await startRedis(t, [], certificates);
    const [, rights = ''] = /^ACL SETUSER (limits on .*)$/m.exec(document) ?? [];
    const administrator = new Redis(redis.url, { tls: { ca: readFileSync(certificates.ca) } });
    t.after(() => administrator.disconnect());
    await administrator.call('ACL', 'SETUSER', ...rights.split(' '));
    const command = withRedis
      .replace('localhost:6380', `localhost:${redis.port}`)
      .replace('/etc/splwright/redis-ca.pem', certificates.ca);
    const databaseUrl = `sqlite:${temporaryFolder(t)}/none.db`;
    const { status, stdout } = await runCommand(command, { DATABASE_URL: databaseUrl, SOLANA_RPC_URLS: '' });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^ok +redis +It answers by TLS, and counts for the rate limits\.$/m);
  });

  it('examines a PostgreSQL with TLS', async (t) => {
    const certificates = makeCertificates(t);
    const postgres = await startPostgres(t, { certificates });
    const databaseUrl = await postgres.createDatabase();
    const store = await openKeyStore(databaseUrl);
    await store.create({ name: 'acme', expiresAt: null });
    await store.close();
    const command = withPostgres
      .replace(
        'postgres://splwright:change%2Fme@localhost:5432/splwright',
        databaseUrl.replace('127.0.0.1', 'localhost'),
      )
      .replace('/etc/splwright/postgres-ca.pem', certificates.ca);
    const { status, stdout } = await runCommand(command, { REDIS_URL: '', SOLANA_RPC_URLS: '' });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^ok +database +It opens, and has every migration\.$/m);
    assert.doesNotMatch(stdout, /warning +database/);
  });
});
