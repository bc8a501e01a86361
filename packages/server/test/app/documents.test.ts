import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import { startTestService } from '../../../../test/setup/service.ts';
import { documentHandler } from '../../src/app/document-handler.ts';

const shop = 'https://shop.example';

/** Gets a document as it was sent, which `fetch` does not show. */
function get(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      const sent = request(url, { headers }, (reply) => {
        reply
          .toArray()
          .then(
            (parts) => resolve({ status: reply.statusCode, headers: reply.headers, body: Buffer.concat(parts) }),
            reject,
          );
      });
      sent.on('error', reject).end();
    },
  );
}

for (const path of ['/openapi.json', '/docs', '/sandbox/world']) {
  test(`${path} is sent compressed to clients that take gzip, and once to those that keep it`, async (t) => {
    const { url } = await startTestService(t);
    const plain = await get(url + path, {});
    const { etag = '', vary } = Object(plain.headers);
    assert.deepEqual([plain.status, plain.headers['cache-control']], [200, 'no-cache']);
    assert.match(vary, /(^|, )Accept-Encoding$/);
    for (const coding of ['gzip', 'br, GZIP;q=0.5']) {
      const packed = await get(url + path, { 'accept-encoding': coding });
      assert.deepEqual(
        [packed.status, packed.headers['content-encoding'], packed.headers.etag, packed.headers.vary],
        [200, 'gzip', etag, vary],
      );
      assert.ok(packed.body.length < plain.body.length);
      assert.deepEqual(gunzipSync(packed.body), plain.body);
    }
    for (const coding of ['identity', 'gzip;q=0', 'br']) {
      const reply = await get(url + path, { 'accept-encoding': coding });
      assert.deepEqual([reply.headers['content-encoding'], reply.body], [undefined, plain.body]);
    }
    for (const known of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
      const reply = await get(url + path, { 'if-none-match': known, 'accept-encoding': 'gzip' });
      assert.deepEqual(
        [reply.status, reply.headers.etag, reply.headers.vary, reply.headers['content-encoding'], reply.body.length],
        [304, etag, vary, undefined, 0],
      );
    }
    for (const other of ['"other"', 'W/"other"', '']) {
      assert.equal((await get(url + path, { 'if-none-match': other })).status, 200);
    }
  });
}

test('A document for several origins says that it depends on the origin, too', async (t) => {
  const { url } = await startTestService(t, { CORS_ORIGINS: `${shop}, https://other.example` });
  for (const known of ['', '*']) {
    const { headers } = await get(`${url}/openapi.json`, { origin: shop, 'if-none-match': known });
    assert.deepEqual([headers['access-control-allow-origin'], headers.vary], [shop, 'Origin, Accept-Encoding']);
  }
});

test('A document is made once for all who ask meanwhile and afterwards, and again after it could not be made', async (t) => {
  let made = 0;
  const app = fastify();
  t.after(() => app.close());
  const handler = documentHandler(async () => {
    made += 1;
    if (made === 1) throw new Error('not yet');
    return { text: 'text', headers: {} };
  });
  app.get('/', handler);
  const ask = async (count: number) =>
    (await Promise.all(Array.from({ length: count }, () => app.inject('/')))).map(({ statusCode }) => statusCode);
  assert.deepEqual(await ask(3), [500, 500, 500]);
  assert.deepEqual([await ask(3), await ask(1), made], [[200, 200, 200], [200], 2]);
});
