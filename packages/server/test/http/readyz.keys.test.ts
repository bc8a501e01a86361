import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTestService } from '../../../../test/setup/service.ts';
import { openKeyStore } from '../../src/keys/store/open-key-store.ts';
import { temporaryFolder } from '../keys/temporary-folder.ts';
import { memoPath, yidBody } from './sample-bodies.ts';

test('A service whose SQLite file is deleted', async (t) => {
  const folder = temporaryFolder(t);
  const databaseUrl = `sqlite:${folder}/keys.db`;
  const makeKey = async (): Promise<string> => {
    const store = await openKeyStore(databaseUrl);
    const { key } = await store.create({ name: 'acme', expiresAt: null });
    await store.close();
    return key;
  };
  const old = await makeKey();
  const service = await startTestService(t, { DATABASE_URL: databaseUrl });
  const statusOf = async (key: string): Promise<number> =>
    (await service.post(memoPath, yidBody, { authorization: `Bearer ${key}` })).status;
  const untilReady = async (status: number): Promise<Response> => {
    for (;;) {
      const response = await fetch(`${service.url}/readyz`);
      if (response.status === status) return response;
      await response.body?.cancel();
    }
  };
  assert.equal(await statusOf(old), 200);

  await t.test('is not ready, logs the reason, and still accepts keys in use', async () => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    const body: unknown = await (await untilReady(503)).json();
    assert.ok(typeof body === 'object' && body !== null && 'checks' in body);
    assert.deepEqual(body.checks, { upstream: 'ok', keys: 'failed' });
    assert.match(service.log.join(''), /keys\.db is gone: its file was deleted or moved/);
    assert.equal(await statusOf(old), 200);
  });

  await t.test('uses the file that replaces it, without a restart', async () => {
    const made = await makeKey();
    await untilReady(200);
    assert.deepEqual([await statusOf(made), await statusOf(old)], [200, 401]);
  });
});
