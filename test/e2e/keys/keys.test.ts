import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import { memoBody, memoPath, usdc } from '../../../packages/server/test/app/sample-bodies.ts';
import { createLimitedKey } from '../../../packages/server/test/keys/limited-key.ts';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startTestService, type TestService } from '../../setup/service.ts';

/** Where no day ends while a test runs. */
const noon = Date.parse('2026-11-21T12:00:00Z');

it('A key with a daily limit builds no more in a day, though it asks two services at the same time', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: noon });
  const { databaseUrl, store } = await newKeyStore(t);
  const service = await startTestService(t, { DATABASE_URL: databaseUrl });
  // Amounts are counted by ledger.
  const other = await startTestService(t, { DATABASE_URL: databaseUrl, SOLANA_RPC_URLS: service.sandbox.rpcUrl });
  const { headers } = await createLimitedKey(store, { amounts: new Map([[usdc, { perTransfer: null, perDay: 7n }]]) });
  const body = { ...memoBody, amount: '2' };
  // How often the count came too late to build, though it may have been taken: on a slow machine alone.
  let uncertain = 0;
  const decidedStatus = async (post: TestService['post']): Promise<number> => {
    for (;;) {
      const response = await post(memoPath, body, headers);
      if (response.status < 500) return response.status;
      if ((await readProblem(response)).code === 'key_store_unavailable') uncertain += 1;
    }
  };
  const posts = Array.from({ length: 10 }, () => [service, other]).flat();
  const statuses = await Promise.all(posts.map(({ post }) => decidedStatus(post)));
  const built = statuses.filter((status) => status === 200).length;
  assert.deepEqual([statuses.length, new Set(statuses)], [20, new Set([200, 403])]);
  assert.ok(built <= 3 && built + uncertain >= 3, `${built} built, ${uncertain} uncertain`);
});
