import assert from 'node:assert/strict';
import { copyFileSync, renameSync } from 'node:fs';
import { test } from 'node:test';
import { startTestService } from '../../../../test/setup/service.ts';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { readUntil } from '../../../../test/setup/wait-until.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import { memoPath, yidBody } from './sample-bodies.ts';

test('A service whose SQLite file is moved away or replaced', async (t) => {
  const path = `${temporaryFolder(t)}/keys.db`;
  const store = await openKeyStore(`sqlite:${path}`);
  const { key: used } = await store.create({ name: 'acme', expiresAt: null });
  const { key: unused } = await store.create({ name: 'unused', expiresAt: null });
  await store.close();
  const service = await startTestService(t, { DATABASE_URL: `sqlite:${path}` });
  const post = (key: string) => service.post(memoPath, yidBody, { authorization: `Bearer ${key}` });
  const untilReady = async (status: number): Promise<unknown> => {
    const isReady = (response: Response): boolean => response.status === status;
    return (await readUntil(() => fetch(`${service.url}/readyz`), isReady)).json();
  };
  assert.equal((await post(used)).status, 200);

  for (const [name, takeAway] of [
    ['moved away', () => renameSync(path, `${path}.away`)],
    [
      'replaced',
      () => {
        copyFileSync(path, `${path}.new`);
        renameSync(path, `${path}.away`);
        renameSync(`${path}.new`, path);
      },
    ],
  ] as const) {
    await t.test(`is not ready when it is ${name}, logs the reason, and accepts keys in use alone`, async () => {
      takeAway();
      const body = await untilReady(503);
      assert.ok(typeof body === 'object' && body !== null && 'checks' in body);
      assert.deepEqual(body.checks, { upstream: 'ok', keys: 'failed' });
      assert.match(service.log.join(''), /keys\.db is gone: its file was deleted, moved or replaced/);
      assert.equal((await post(used)).status, 200);
      const refused = await post(unused);
      assert.equal(refused.status, 503);
      assert.match(await refused.text(), /key_store_unavailable/);
    });

    await t.test('is ready again when it is put back', async () => {
      renameSync(`${path}.away`, path);
      await untilReady(200);
      assert.equal((await post(used)).status, 200);
    });
  }
});
