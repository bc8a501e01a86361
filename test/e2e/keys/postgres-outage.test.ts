import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateApiKey } from '../../../packages/server/src/app/api-key.ts';
import { openKeyStore } from '../../../packages/server/src/serve/store/open-key-store.ts';
import { assertProblem, readProblem } from '../../../packages/server/test/app/problem.ts';
import { bob, memoBody, memoPath, usdc } from '../../../packages/server/test/app/sample-bodies.ts';
import { createLimitedKey } from '../../../packages/server/test/keys/limited-key.ts';
import { postgresPassword, startPostgres } from '../../setup/postgres.ts';
import { startTestService } from '../../setup/service.ts';
import { waitUntil } from '../../setup/wait-until.ts';

const carol = '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC';
/** Where no day ends while a test runs. */
const noon = Date.parse('2026-11-21T12:00:00Z');
const body = { ...memoBody, amount: '1' };
const keyed = { 'idempotency-key': 'order-7' };

test('While PostgreSQL is away, known keys and their limits go on, and nothing is built that it must count or remember', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: noon });
  const postgres = await startPostgres(t);
  const databaseUrl = await postgres.createDatabase();
  const store = await openKeyStore(databaseUrl);
  t.after(() => store.close());
  const toAddresses = new Set([bob]);
  const amounts = new Map([[usdc, { perTransfer: null, perDay: 2n }]]);
  const { headers: daily } = await createLimitedKey(store, { amounts, toAddresses });
  const { headers: known } = await createLimitedKey(store, { toAddresses });
  const { headers: unused } = await createLimitedKey(store, {});
  const service = await startTestService(t, { DATABASE_URL: databaseUrl });
  const post = (headers: Record<string, string>, more: object = {}) =>
    service.post(memoPath, { ...body, ...more }, headers);
  const statusOf = async (headers: Record<string, string>, more?: object) => (await post(headers, more)).status;
  const first = await (await post({ ...known, ...keyed })).text();
  assert.equal(await statusOf(daily), 200);

  await postgres.kill();
  for (const authorization of [unused.authorization ?? '', `Bearer ${generateApiKey()}`]) {
    const reply = await post({ authorization });
    assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]$/);
    const detail = 'The store of API keys is not available, and this key was not used recently. Try again soon.';
    await assertProblem(reply, 'key_store_unavailable', detail);
  }
  for (const idempotencyKey of ['order-7', 'order-8']) {
    const refused = await post({ ...known, 'idempotency-key': idempotencyKey });
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
    assert.equal((await readProblem(refused)).code, 'idempotency_unavailable');
  }
  const uncounted = await readProblem(await post(daily));
  assert.equal(uncounted.code, 'key_store_unavailable');
  assert.match(uncounted.detail, /daily limit.*Nothing was built/);
  assert.equal(await statusOf(known), 200);
  for (const headers of [daily, known]) assert.equal(await statusOf(headers, { to_address: carol }), 403);
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200, 'known keys need no store');

  await postgres.start();
  await waitUntil(async () => (await statusOf(unused)) === 200);
  await waitUntil(async () => (await statusOf({ ...known, ...keyed })) === 200);
  assert.equal(await (await post({ ...known, ...keyed })).text(), first);
  assert.deepEqual([await statusOf(daily), await statusOf(daily)], [200, 403]);
  for (const line of service.log) {
    assert.ok(!line.includes('order-7') && !line.includes('SECRET') && !line.includes(postgresPassword), line);
  }
});
