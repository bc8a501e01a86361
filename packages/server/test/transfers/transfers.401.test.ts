import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../../../../test/setup/service.ts';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { generateApiKey } from '../../src/app/api-key.ts';
import { sandboxApiKey } from '../../src/keys/authenticated-key.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import { readProblem } from '../app/problem.ts';
import { exchangeRaw } from '../app/raw-http.ts';
import { createPath, memoPath, yidBody } from '../app/sample-bodies.ts';
import { newKeyStore } from '../store/databases.ts';

const wanted = 'Send the header Authorization: Bearer <API key>';
const missing = `${wanted}; this request has none.`;
const noKey = 'This is not an API key of this service: those begin with swk_.';
const mistyped = 'The API key was mistyped or cut short: its checksum does not fit.';
const invalid = 'The API key is unknown, revoked or expired.';

async function assertUnauthorized(response: Response, code: string, detail: string): Promise<void> {
  const body = await readProblem(response);
  assert.deepEqual([body.status, body.code, body.detail, body.errors], [401, code, detail, undefined]);
  // RFC 6750, section 3.1: no error code for a request without credentials.
  const challenge = 'Bearer realm="splwright"';
  const expected = code === 'api_key_missing' ? challenge : `${challenge}, error="invalid_token"`;
  assert.equal(response.headers.get('www-authenticate'), expected);
}

test('A request without a valid API key', async (t) => {
  const { databaseUrl, store } = await newKeyStore(t);
  const service = await startTestService(t, { DATABASE_URL: databaseUrl });
  const post = (authorization: string | undefined, body = JSON.stringify(yidBody)): Promise<Response> => {
    const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) };
    return fetch(service.url + memoPath, { method: 'POST', headers, body });
  };

  await t.test('learns that the key is missing', async () => {
    for (const header of [undefined, '']) await assertUnauthorized(await post(header), 'api_key_missing', missing);
  });

  await t.test('learns what is in the place of Bearer and a key, without reading a key again', async () => {
    const basic = Buffer.from(`${sandboxApiKey}:`).toString('base64');
    for (const [header, found] of [
      [sandboxApiKey, 'this request has Authorization without the word Bearer'],
      [`Bearer${sandboxApiKey}`, 'this request has Authorization without the word Bearer'],
      [`Basic ${basic}`, 'this request has Basic in place of Bearer'],
      [`token ${sandboxApiKey}`, 'this request has token in place of Bearer'],
      ['Bearer', 'this request has no key after Bearer'],
      ['bearer ', 'this request has no key after Bearer'],
      ['Bearer a b', 'this request has more than one word after Bearer'],
    ] as const) {
      await assertUnauthorized(await post(header), 'api_key_missing', `${wanted}; ${found}.`);
    }
    const headers = { 'content-type': 'application/json', 'x-api-key': sandboxApiKey };
    const response = await fetch(service.url + memoPath, { method: 'POST', headers, body: '{}' });
    await assertUnauthorized(response, 'api_key_missing', `${wanted}; this request has its key in X-API-Key.`);
  });

  await t.test('learns whether the text cannot be a key or was mistyped', async () => {
    for (const key of ['x', 'sk_live_1', sandboxApiKey.toUpperCase(), 'null', 'Bearer']) {
      await assertUnauthorized(await post(`Bearer ${key}`), 'api_key_invalid', noKey);
    }
    const swapped = sandboxApiKey.replace('Sandbox', 'Sanbdox');
    for (const key of [swapped, sandboxApiKey.slice(0, -1), `${sandboxApiKey}x`, 'swk_', "swk_'OR'1'='1"]) {
      await assertUnauthorized(await post(`Bearer ${key}`), 'api_key_invalid', mistyped);
    }
  });

  await t.test('cannot tell an unknown, a revoked and an expired key apart', async () => {
    const revoked = await store.create({ name: 'revoked', expiresAt: null });
    await store.revoke(revoked.record.id);
    const expired = await store.create({ name: 'expired', expiresAt: new Date(Date.now() - 1000) });
    const replies = new Set<string>();
    for (const key of [generateApiKey(), revoked.key, expired.key]) {
      const response = await post(`Bearer ${key}`);
      const headers = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
      await assertUnauthorized(response.clone(), 'api_key_invalid', invalid);
      const body = { ...(await readProblem(response)), request_id: '' };
      replies.add(JSON.stringify([response.status, headers, body]));
    }
    assert.equal(replies.size, 1);
  });

  await t.test('is refused before its body and its content type are looked at', async () => {
    for (const body of ['{', '', 'x'.repeat(1_000_000), JSON.stringify({ from_address: 1 })]) {
      await assertUnauthorized(await post(undefined, body), 'api_key_missing', missing);
    }
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' };
    const response = await fetch(service.url + createPath, { method: 'POST', headers, body: 'x' });
    await assertUnauthorized(response, 'api_key_missing', missing);
  });

  await t.test('is refused although its body never arrives', async () => {
    for (const length of ['Content-Length: 500', 'Content-Length: 99999999', 'Transfer-Encoding: chunked']) {
      const head = `POST ${createPath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
      await assertUnauthorized(await exchangeRaw(service.url, head), 'api_key_missing', missing);
    }
  });

  await t.test('leaves no trace of the key in a reply or the log', async () => {
    const created = await store.create({ name: 'secret', expiresAt: null });
    await store.revoke(created.record.id);
    for (const key of [created.key, `${created.key}x`, `my-secret-${created.key}`, generateApiKey()]) {
      const response = await post(`Bearer ${key}`);
      assert.equal(response.status, 401);
      const reply = JSON.stringify([[...response.headers], await response.text()]);
      for (const text of [reply, ...service.log]) assert.ok(!text.includes(key.slice(-20)), text);
    }
  });
});

test('A valid API key', async (t) => {
  const databaseUrl = `sqlite:${temporaryFolder(t)}/keys.db`;
  const service = await startTestService(t, { DATABASE_URL: databaseUrl });

  await t.test('is taken whatever the case of the scheme, and with spaces around it', async () => {
    for (const authorization of ['Bearer ', 'bearer ', 'BEARER  '].map((scheme) => `${scheme}${sandboxApiKey} `)) {
      assert.equal((await service.post(memoPath, yidBody, { authorization })).status, 200, authorization);
    }
  });

  await t.test('counts from the moment it is made, and until it is revoked or at most 5 seconds more', async () => {
    const store = await openKeyStore(databaseUrl);
    const { key, record } = await store.create({ name: 'acme', expiresAt: new Date(Date.now() + 3_600_000) });
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await service.post(memoPath, yidBody, headers)).status, 200);
    await store.revoke(record.id);
    const revokedAt = performance.now();
    // A request that was sent in time may be answered later.
    for (let sentAt = revokedAt; (await service.post(memoPath, yidBody, headers)).status !== 401; ) {
      assert.ok(sentAt - revokedAt < 5000, 'still accepted after 5 seconds');
      sentAt = performance.now();
    }
    await store.close();
    for (const line of service.log) assert.ok(!line.includes(key) && !line.includes(sandboxApiKey));
  });
});
