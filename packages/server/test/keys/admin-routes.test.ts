import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { startTestService, type TestService } from '../../../../test/setup/service.ts';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { handleError } from '../../src/app/problem-replies.ts';
import { checkBySchemas } from '../../src/app/validate.ts';
import { registerAdminRoutes } from '../../src/keys/admin-routes.ts';
import { unrestricted } from '../../src/keys/authenticated-key.ts';
import { KeyRecords } from '../../src/keys/records/key-records.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import { assertFaults, readProblem } from '../app/problem.ts';
import { alice, bob, memoBody, memoPath, usdc } from '../app/sample-bodies.ts';
import { newKeyStore } from '../store/databases.ts';

const adminKey = 'an-admin-key-of-this-test-alone-0123456789';
const keysPath = '/v1/admin/keys';

/** Calls as the admin, unless other headers are given. */
function send({ url }: TestService, method: string, path: string, body?: object, headers = { 'x-api-key': adminKey }) {
  const json = body && { 'content-type': 'application/json' };
  return fetch(url + path, { method, headers: { ...json, ...headers }, ...(body && { body: JSON.stringify(body) }) });
}

async function dataOf(response: Response, status = 200) {
  const reply = Object(await response.json());
  assert.equal(response.status, status, JSON.stringify(reply));
  return reply.data;
}

test('With the admin key', async (t) => {
  const path = `sqlite:${temporaryFolder(t)}/keys.db`;
  const service = await startTestService(t, { ADMIN_KEY: adminKey, DATABASE_URL: path, LOG_LEVEL: 'trace' });
  const call = async (method: string, path: string, body?: object) => dataOf(await send(service, method, path, body));
  const create = async (body: object) => dataOf(await send(service, 'POST', keysPath, body), 201);
  const read = (key: string) => fetch(`${service.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });
  const shown: string[] = [];
  const limits = {
    rate_limit_per_minute: 60,
    allowed_operations: ['memo_transfer'],
    allowed_mints: ['SOL', usdc].sort(),
    allowed_from_addresses: [alice],
    allowed_to_addresses: [bob],
    amount_limits: { [usdc]: { per_transfer: '5', per_day: '9' } },
    sponsored_lamports_per_day: '7',
    sponsor_rent: true,
  };

  await t.test('a key is made with every limit, its text is shown once, and it works', async () => {
    const before = Date.now();
    const { key, ...made } = await create({ name: 'acme', expires: '90d', ...limits });
    shown.push(key);
    const [listed] = await call('GET', keysPath);
    assert.deepEqual(listed, { ...made, revoked_at: null, status: 'active' });
    const { id, prefix, created_at, expires_at, ...others } = made;
    assert.deepEqual(others, { name: 'acme', ...limits });
    assert.ok(key.startsWith(prefix) && Date.parse(created_at) >= before);
    assert.equal(Date.parse(expires_at) - Date.parse(created_at) > 89 * 86_400_000, true);
    assert.deepEqual([(await dataOf(await read(key))).id, (await dataOf(await read(key))).sponsors_rent], [id, true]);
  });

  await t.test('what a change leaves out stays, null removes a limit, and amounts change by mint', async () => {
    const { id, key } = await create({ name: 'changed', ...limits });
    shown.push(key);
    const only = await call('PATCH', `${keysPath}/${id}`, {
      amount_limits: { [usdc]: { per_day: null }, [bob]: null },
    });
    const amounts = { [usdc]: { per_transfer: '5' } };
    assert.partialDeepStrictEqual(only, { id, name: 'changed', ...limits, amount_limits: amounts });
    assert.equal('per_day' in only.amount_limits[usdc], false);
    const none = Object.fromEntries(Object.keys(limits).map((name) => [name, null]));
    const free = await call('PATCH', `${keysPath}/${id}`, {
      ...none,
      sponsor_rent: false,
      expires: '30m',
      name: 'free',
    });
    assert.deepEqual(Object.keys(free), ['id', 'name', 'prefix', 'created_at', 'expires_at', 'revoked_at', 'status']);
    assert.deepEqual([free.name, free.expires_at === null], ['free', false]);
    assert.equal((await call('PATCH', `${keysPath}/${id}`, { expires: null })).expires_at, null);
  });

  await t.test('a key is replaced, at once or after an overlap, and one that is revoked works no more', async () => {
    const first = await create({ name: 'shop' });
    const second = await call('POST', `${keysPath}/${first.id}/rotate`);
    assert.deepEqual([second.name, second.replaces, (await read(first.key)).status], ['shop', first.id, 401]);
    const third = await call('POST', `${keysPath}/${second.id}/rotate`, { overlap: '7d' });
    assert.ok(Date.parse(third.replaced_expires_at) > Date.now());
    assert.deepEqual([(await read(second.key)).status, (await read(third.key)).status], [200, 200]);
    const fourth = await call('POST', `${keysPath}/${third.id}/rotate`, { close_links: true });
    assert.equal(fourth.closed_links, 0);
    const revoked = await call('POST', `${keysPath}/${fourth.id}/revoke`, { close_links: true });
    assert.deepEqual([revoked.id, revoked.status, revoked.closed_links], [fourth.id, 'revoked', 0]);
    assert.equal((await read(fourth.key)).status, 401);
    shown.push(first.key, second.key, third.key, fourth.key);
    for (const [method, path, body] of [
      ['PATCH', `${keysPath}/${fourth.id}`, { name: 'again' }],
      ['POST', `${keysPath}/${fourth.id}/revoke`, {}],
      ['POST', `${keysPath}/${fourth.id}/rotate`, {}],
      ['POST', `${keysPath}/shop/revoke`, {}],
      ['POST', `${keysPath}/%00/rotate`, {}],
    ] as const) {
      const { status, code } = await readProblem(await send(service, method, path, body));
      assert.deepEqual([status, code], [404, 'api_key_not_found'], path);
    }
  });

  await t.test('the history of a key names the admin key', async () => {
    const store = await openKeyStore(path);
    t.after(() => store.close());
    const changes = await store.listChanges({ name: 'shop', limit: 9 });
    assert.deepEqual(
      changes.map(({ action, author }) => [action, author.user]),
      ['created', 'rotated', 'rotated', 'rotated', 'revoked'].map((action) => [action, 'ADMIN_KEY']),
    );
  });

  await t.test('what the command would refuse is refused, with where it is, and nothing is made', async () => {
    const count = (await call('GET', keysPath)).length;
    const body = {
      name: ' a',
      expires: '2020-01-01T00:00:00Z',
      allowed_operations: ['payment'],
      allowed_mints: [usdc, 'USDC'],
      allowed_from_addresses: ['11111111111111111111111111111111'],
      amount_limits: { [usdc]: { per_transfer: '0' }, x: null },
      sponsored_lamports_per_day: '',
    };
    await assertFaults(await send(service, 'POST', keysPath, body), [
      ['/amount_limits/x', 'invalid_value', /"x" is not a Solana address/],
      ['/name', 'invalid_value', /^name: It must be 1 to 64 visible characters/],
      ['/expires', 'invalid_value', /has passed/],
      ['/allowed_operations/0', 'invalid_value', /"payment" is not one of memo_transfer/],
      ['/allowed_mints/1', 'invalid_value', /"USDC" is not a Solana address/],
      [`/amount_limits/${usdc}/per_transfer`, 'invalid_value', /from 1 to 18446744073709551615/],
      ['/sponsored_lamports_per_day', 'invalid_value', /from 1 to/],
    ]);
    const misshapen = { rate_limit_per_minute: -1, allowed_mints: [], amount_limits: { [usdc]: {} }, days: 3 };
    const { errors = [] } = await readProblem(await send(service, 'POST', keysPath, misshapen));
    assert.deepEqual(errors.map(({ pointer, code }) => `${pointer} ${code}`).sort(), [
      '/allowed_mints wrong_type',
      '/amount_limits wrong_type',
      '/days unknown_field',
      '/name missing_field',
      '/rate_limit_per_minute wrong_type',
    ]);
    const [{ id }] = await call('GET', keysPath);
    const rotation = { overlap: '7d', close_links: true };
    await assertFaults(await send(service, 'POST', `${keysPath}/${id}/rotate`, rotation), [
      ['/close_links', 'invalid_value', /exclude each other/],
    ]);
    await assertFaults(await send(service, 'POST', `${keysPath}/${id}/rotate`, { overlap: '7 days' }), [
      ['/overlap', 'invalid_value', 'overlap must be a time such as "7d", "12h" or "30m".'],
    ]);
    assert.equal((await call('GET', keysPath)).length, count);
  });

  await t.test('no transfer is built', async () => {
    const json = { 'content-type': 'application/json' };
    for (const headers of [{ authorization: `Bearer ${adminKey}` }, { 'x-api-key': adminKey }]) {
      const body = JSON.stringify(memoBody);
      const response = await fetch(service.url + memoPath, { method: 'POST', headers: { ...json, ...headers }, body });
      assert.equal(response.status, 401);
    }
  });

  const refused = async (headers: Record<string, string>) => {
    const { status, code } = await readProblem(await fetch(service.url + keysPath, { headers }));
    return [status, code];
  };

  await t.test('alone a key is managed, not with an API key', async () => {
    const { key } = await create({ name: 'ordinary' });
    shown.push(key);
    assert.deepEqual(await refused({}), [401, 'api_key_missing']);
    assert.deepEqual(await refused({ authorization: `Bearer ${key}` }), [401, 'api_key_missing']);
    assert.deepEqual(await refused({ 'x-api-key': key }), [401, 'api_key_invalid']);
    assert.deepEqual(await refused({ 'x-api-key': `${adminKey}x` }), [401, 'api_key_invalid']);
  });

  await t.test('keys are managed also after a flood of guesses, which after 60 a minute are told to wait', async () => {
    const guesses = Array.from({ length: 60 }, (_, index) => refused({ 'x-api-key': `guess ${index}` }));
    assert.ok((await Promise.all(guesses)).some(([status]) => status === 401));
    assert.deepEqual(await refused({ 'x-api-key': 'another guess' }), [429, 'rate_limited']);
    assert.equal((await send(service, 'GET', keysPath)).status, 200);
  });

  await t.test('neither it nor a key is in the log', () => {
    const log = service.log.join('');
    assert.ok(log.includes('/v1/admin/keys/:id/rotate'));
    for (const secret of [adminKey, ...shown]) assert.ok(!log.includes(secret.slice(10, 30)));
  });
});

test('Changes of one key at the same moment keep what the others change', async (t) => {
  const { store } = await newKeyStore(t);
  const changes = { allowed_mints: [usdc], allowed_to_addresses: [bob], rate_limit_per_minute: 5 };
  const { promise: allAsked, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  store.update = async (...given) => {
    asked += 1;
    if (asked === Object.keys(changes).length) resolve();
    await allAsked;
    return KeyRecords.prototype.update.apply(store, given);
  };
  const app = fastify();
  checkBySchemas(app);
  registerAdminRoutes(app, { admin: { key: adminKey, records: store }, authenticator: { refuseUnknown: assert.fail } });
  const { record } = await store.create({ name: 'acme', expiresAt: null });
  const patches = Object.entries(changes).map(([name, value]) =>
    app.inject({
      method: 'PATCH',
      url: `${keysPath}/${record.id}`,
      headers: { 'x-api-key': adminKey },
      payload: { [name]: value },
    }),
  );
  for (const { statusCode, body } of await Promise.all(patches)) assert.equal(statusCode, 200, body);
  const [changed] = await store.list();
  assert.deepEqual(changed, {
    ...record,
    rateLimitPerMinute: 5,
    restrictions: { ...unrestricted, mints: new Set([usdc]), toAddresses: new Set([bob]) },
  });
});

test('While the store does not answer, keys cannot be managed', async () => {
  const away = (): Promise<never> => Promise.reject(new Error('no answer'));
  const records = { create: away, list: away, update: away, revoke: away, rotate: away };
  const app = fastify();
  checkBySchemas(app);
  app.setErrorHandler(handleError);
  registerAdminRoutes(app, { admin: { key: adminKey, records }, authenticator: { refuseUnknown: assert.fail } });
  const { statusCode, headers } = await app.inject({ url: keysPath, headers: { 'x-api-key': adminKey } });
  assert.deepEqual([statusCode, headers['retry-after']], [503, '1']);
});
