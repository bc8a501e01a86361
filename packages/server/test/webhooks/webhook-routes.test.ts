import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startTestSandbox } from '../../../../test/setup/sandbox.ts';
import { startTestService } from '../../../../test/setup/service.ts';
import { readUntil } from '../../../../test/setup/wait-until.ts';
import { startWebhookReceiver } from '../../../../test/setup/webhook-receiver.ts';
import type { Environment } from '../../src/config/variables.ts';
import { sandboxApiKey } from '../../src/keys/authenticated-key.ts';
import { keyDatabases, newKeyStore } from '../store/databases.ts';

describe('webhooks over HTTP', () => {
  it('makes an endpoint whose test event the library of Standard Webhooks verifies, with either secret after a rotation', async (t) => {
    const { call, receive } = await open(t);
    const receiver = await receive();
    const { status, data, location } = await call('POST', '/v1/webhook-endpoints', {
      url: receiver.url,
      description: 'The shop',
    });
    assert.equal(status, 201);
    assert.equal(location, `/v1/webhook-endpoints/${data.id}`);
    assert.match(data.secret, /^whsec_/);
    assert.equal((await call('POST', `${location}/test`)).status, 202);
    const [first] = await readUntil(
      () => receiver.received,
      ({ length }) => length === 1,
    );
    assert.ok(first);
    const payload = Object(new Webhook(data.secret).verify(first.body, Object(first.headers)));
    assert.deepEqual([payload.type, payload.data], ['webhook.test', { endpoint_id: data.id }]);
    assert.throws(() => new Webhook(data.secret).verify(first.body.replace('test', 'best'), Object(first.headers)));

    const rotated = await call('POST', `${location}/rotate-secret`);
    await call('POST', `${location}/test`);
    const [, second] = await readUntil(
      () => receiver.received,
      ({ length }) => length === 2,
    );
    assert.ok(second);
    for (const secret of [data.secret, rotated.data.secret])
      new Webhook(secret).verify(second.body, Object(second.headers));
    assert.equal((await call('GET', location)).data.secret, undefined);
  });

  it('lists what became of each event, sends one again, and sends nothing once the endpoint is gone', async (t) => {
    const { call, receive } = await open(t);
    const receiver = await receive(500, 200);
    const { data } = await call('POST', '/v1/webhook-endpoints', { url: receiver.url });
    const sent = await call('POST', `/v1/webhook-endpoints/${data.id}/test`);
    const read = async () => (await call('GET', `/v1/events?object=${data.id}&type=webhook.test`)).data[0];
    const failed = await readUntil(read, (event) => event.deliveries[0]?.attempts.length === 1);
    assert.equal(failed.id, sent.data.id);
    assert.deepEqual([failed.deliveries[0].state, failed.deliveries[0].attempts[0].status], ['waiting', 500]);
    assert.match((await call('GET', `/v1/webhook-endpoints/${data.id}`)).data.failing_since, /Z$/);
    assert.equal((await call('POST', `/v1/events/${failed.id}/redeliver`)).status, 202);
    await readUntil(read, (event) => event.deliveries[0]?.state === 'delivered');
    assert.equal(receiver.received[0]?.headers['webhook-id'], receiver.received[1]?.headers['webhook-id']);
    assert.equal((await call('DELETE', `/v1/webhook-endpoints/${data.id}`)).data.id, data.id);
    assert.deepEqual((await call('GET', '/v1/webhook-endpoints')).data, []);
    assert.equal((await call('POST', `/v1/events/${failed.id}/redeliver`)).code, 'event_not_found');
    assert.equal(await read(), undefined);
  });

  it('refuses texts that are no URL, and unknown types', async (t) => {
    const { call } = await open(t);
    const refused = async (body: object) => {
      const { status, errors } = await call('POST', '/v1/webhook-endpoints', body);
      return [status, ...errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)];
    };
    assert.deepEqual(await refused({ url: 'https://user@shop.example' }), [400, '/url invalid_value']);
    assert.deepEqual(await refused({ url: 'ftp://shop.example', events: ['paid'] }), [
      400,
      '/url invalid_value',
      '/events/0 invalid_value',
    ]);
    assert.deepEqual(await refused({}), [400, '/url missing_field']);
    assert.deepEqual(await refused({ url: 'https://shop.example', description: 'a\0b' }), [
      400,
      '/description invalid_value',
    ]);
    for (const url of [
      'https://shop.example:99999',
      'https://a..b:x',
      'https://[::1',
      'https://shop.example/#a',
      'https://sh op',
    ]) {
      assert.deepEqual(await refused({ url }), [400, '/url invalid_value'], url);
    }
    assert.equal((await call('GET', '/v1/events?cursor=abc')).status, 400);
    assert.equal((await call('GET', '/v1/webhook-endpoints/we_none')).code, 'webhook_endpoint_not_found');
    assert.equal((await call('POST', '/v1/events/evt_none/redeliver')).code, 'event_not_found');
  });

  for (const database of keyDatabases) {
    it(`refuses to send to this machine, or without TLS, on a real network, with ${database.name}`, async (t) => {
      const { store, databaseUrl } = await newKeyStore(t, database);
      const { key } = await store.create({ name: 'shop', expiresAt: null });
      const sandbox = await startTestSandbox(t);
      const { call, receive } = await open(t, { SOLANA_RPC_URLS: sandbox.rpcUrl, DATABASE_URL: databaseUrl }, key);
      const receiver = await receive();
      const refused = await call('POST', '/v1/webhook-endpoints', { url: receiver.url });
      assert.deepEqual([refused.status, refused.errors[0].pointer], [400, '/url']);
      const { data } = await call('POST', '/v1/webhook-endpoints', { url: receiver.url.replace('http:', 'https:') });
      await call('POST', `/v1/webhook-endpoints/${data.id}/test`);
      const read = async () => (await call('GET', '/v1/events')).data[0].deliveries[0].attempts;
      const [attempt] = await readUntil(read, ({ length }) => length === 1);
      assert.deepEqual([attempt.status, attempt.error], [null, 'its address is not on the public internet']);
      // What a database of texts may not hold.
      assert.equal((await call('GET', '/v1/events?object=%00')).status, 400);
      assert.equal((await call('DELETE', '/v1/webhook-endpoints/%00')).code, 'webhook_endpoint_not_found');
      assert.equal((await call('POST', '/v1/events/%00/redeliver')).code, 'event_not_found');
    });
  }
});

async function open(t: TestContext, environment: Environment = {}, apiKey: string = sandboxApiKey) {
  const service = await startTestService(t, environment);
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const reply = Object(await response.json());
    return { ...reply, status: response.status, location: String(response.headers.get('location')) };
  };
  return {
    call,
    receive: (...statuses: readonly number[]) => startWebhookReceiver(t, statuses.length === 0 ? [204] : statuses),
  };
}
