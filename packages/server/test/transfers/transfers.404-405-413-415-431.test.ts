import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startTestService } from '../../../../test/setup/service.ts';
import { sandboxApiKey } from '../../src/keys/authenticated-key.ts';
import { assertProblem, readProblem } from '../app/problem.ts';
import { exchangeRaw } from '../app/raw-http.ts';
import { createPath, memoPath, yidBody } from '../app/sample-bodies.ts';

const key = `Authorization: Bearer ${sandboxApiKey}\r\nContent-Type: application/json\r\n`;

test('A path that does not exist', async (t) => {
  const service = await startTestService(t);

  await t.test('is a 404 for any method, key or not, and its body is not waited for', async () => {
    for (const path of ['/v1', '/v2/x', '/sandbox', '/problems/', '/__proto__']) {
      const detail = `There is nothing at ${path}. See /openapi.json for the paths of this service.`;
      await assertProblem(await service.post(path, yidBody), 'route_not_found', detail);
      const head = `DELETE ${path}?a=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n`;
      await assertProblem(await exchangeRaw(service.url, head), 'route_not_found', detail);
    }
  });

  await t.test('is a 404 that names the path that was meant', async () => {
    for (const [path, meant] of [
      [`${memoPath}/`, memoPath],
      [`${memoPath}//`, memoPath],
      [memoPath.toUpperCase(), memoPath],
      ['/transfers', '/v1/transfers'],
      ['/transfers/batch/', '/v1/transfers/batch'],
      ['/v1/transfer', '/v1/transfers'],
      ['/v1/tranfsers', '/v1/transfers'],
      ['/v1/transfers/batches', '/v1/transfers/batch'],
      ['/api/v1/transfers', '/v1/transfers'],
      ['//v1//transfers', '/v1/transfers'],
      ['/v1/payment_links', '/v1/payment-links'],
      ['/payment-links/8sXq2LtYvWm3DbRk', '/v1/payment-links/8sXq2LtYvWm3DbRk'],
      ['/v1/payment-links/8sXq2LtYvWm3DbRk/', '/v1/payment-links/8sXq2LtYvWm3DbRk'],
      ['/openapi', '/openapi.json'],
      ['/docs/', '/docs'],
      ['/ready', '/readyz'],
      ['/sandbox/worlds', '/sandbox/world'],
    ]) {
      const detail = `There is nothing at ${path}. Did you mean ${meant}?`;
      const response = await exchangeRaw(service.url, `GET ${path}?a=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
      await assertProblem(response, 'route_not_found', detail);
    }
  });

  await t.test('is a 404 when it is a problem that does not exist, however long its code', async () => {
    for (const code of ['nothing', '__proto__', 'constructor', 'a'.repeat(101), 'a'.repeat(8000)]) {
      const body = await readProblem(await fetch(`${service.url}/problems/${code}`));
      assert.equal(body.code, 'route_not_found');
    }
  });

  await t.test('is a 400 when its percent-encoding is broken', async () => {
    const detail = 'The path is not validly percent-encoded.';
    for (const path of ['/%', '/v1/%zz', '/problems/%ff']) {
      const response = await exchangeRaw(service.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await assertProblem(response, 'malformed_http', detail);
    }
  });

  await t.test('is a 404 for the sandbox world of a service on a real network', async (t2) => {
    const other = await startTestService(t2, { SOLANA_RPC_URLS: 'http://127.0.0.1:1' });
    assert.equal((await readProblem(await fetch(`${other.url}/sandbox/world`))).status, 404);
    assert.equal((await readProblem(await fetch(`${other.url}/sandbox/world`, { method: 'POST' }))).status, 404);
  });
});

test('A method that a path does not take', async (t) => {
  const service = await startTestService(t);
  const methods = ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];

  await t.test('is a 405 with Allow, without a key and without waiting for the body', async () => {
    for (const path of [memoPath, createPath]) {
      for (const method of methods) {
        const head = `${method} ${path}?a=b HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n`;
        const response = await exchangeRaw(service.url, head);
        assert.equal(response.headers.get('allow'), 'POST');
        await assertProblem(response, 'method_not_allowed', `${path} takes POST, not ${method}.`);
      }
      const response = await fetch(service.url + path, { method: 'HEAD' });
      assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
    }
  });

  await t.test('is a 405 with Allow where only reading is possible', async () => {
    for (const path of [
      '/',
      '/docs',
      '/openapi.json',
      '/livez',
      '/readyz',
      '/sandbox/world',
      '/problems/invalid_json',
    ]) {
      const response = await service.post(path, yidBody);
      assert.equal(response.headers.get('allow'), 'GET, HEAD');
      await assertProblem(response, 'method_not_allowed', `${path} takes GET, HEAD, not POST.`);
      assert.equal((await fetch(service.url + path, { method: 'HEAD' })).status, 200);
    }
  });
});

test('A body that is too large', async (t) => {
  const service = await startTestService(t, {}, { bodyLimitBytes: 300 });
  const detail = 'The body is larger than the 300 bytes that this service takes. Send a smaller one.';
  const padded = (length: number): string => JSON.stringify(yidBody).padEnd(length);

  await t.test('is a 413 that says the limit, from the first byte past it', async () => {
    assert.equal((await service.post(memoPath, padded(300))).status, 200);
    await assertProblem(await service.post(memoPath, padded(301)), 'body_too_large', detail);
  });

  await t.test('is a 413 as soon as its Content-Length says so', async () => {
    const head = `POST ${memoPath} HTTP/1.1\r\nHost: x\r\n${key}Content-Length: 99999999\r\n\r\n`;
    await assertProblem(await exchangeRaw(service.url, head), 'body_too_large', detail);
  });

  await t.test('is a 413 when it comes in chunks without a length', async () => {
    const head = `POST ${memoPath} HTTP/1.1\r\nHost: x\r\n${key}Transfer-Encoding: chunked\r\n\r\n`;
    const chunk = `100\r\n${' '.repeat(256)}\r\n`;
    await assertProblem(await exchangeRaw(service.url, `${head}${chunk}${chunk}`), 'body_too_large', detail);
  });
});

test('A caller that expects 100 Continue before it sends a body gets it once the head is accepted, and otherwise the refusal alone', async (t) => {
  const service = await startTestService(t);
  const body = JSON.stringify(yidBody);
  const { hostname, port } = new URL(service.url);
  const exchange = async (headers: string): Promise<string> => {
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    socket.write(`POST ${memoPath} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n${headers}\r\n`);
    let received = '';
    for await (const text of socket) {
      if (received === '' && String(text).startsWith('HTTP/1.1 100 ')) socket.write(body);
      received += text;
    }
    return received;
  };
  const length = `Content-Length: ${body.length}\r\n`;
  assert.match(await exchange(`${key}${length}`), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  for (const [headers, status] of [
    [length, 401],
    [`${key}Content-Length: 1000000\r\n`, 413],
    [`${key}${length}Content-Encoding: gzip\r\n`, 415],
  ] as const) {
    assert.match(await exchange(headers), new RegExp(`^HTTP/1\\.1 ${status} `));
  }
});

test('A body that is not declared as JSON in UTF-8 is a 415', async (t) => {
  const service = await startTestService(t);
  const post = (
    headers: Record<string, string>,
    body: string | Uint8Array = JSON.stringify(yidBody),
  ): Promise<Response> =>
    fetch(service.url + memoPath, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandboxApiKey}`, ...headers },
      body: Buffer.from(body),
    });
  const missing = 'The body must be sent with Content-Type: application/json.';

  await t.test('without a content type, or with another one', async () => {
    await assertProblem(await post({}), 'unsupported_media_type', missing);
    const other = ['text/plain', 'text/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a'];
    for (const type of [...other, 'application/jsonp', 'application/problem+json', 'json', 'a/b/c', '*/*', ',']) {
      await assertProblem(await post({ 'content-type': type }), 'unsupported_media_type', missing);
    }
  });

  await t.test('in another charset', async () => {
    for (const charset of ['latin1', 'utf-16', 'utf-7', '"us-ascii"']) {
      const response = await post({ 'content-type': `application/json; a=b; charset=${charset}` });
      await assertProblem(response, 'unsupported_media_type', 'The body must be UTF-8.');
    }
  });

  await t.test('in a content encoding', async () => {
    for (const encoding of ['gzip', 'br', 'deflate, gzip']) {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      const detail = 'The body must be sent without a Content-Encoding.';
      await assertProblem(await post(headers, gzipSync('{}')), 'unsupported_media_type', detail);
    }
  });
});

test('A request that is not HTTP', async (t) => {
  const service = await startTestService(t);
  const post = `POST ${memoPath} HTTP/1.1\r\nHost: x\r\n`;
  const malformed = 'The request is not valid HTTP/1.1.';

  await t.test('is a 400 problem on its bare socket', async () => {
    const requests: readonly (string | Uint8Array)[] = [
      Buffer.from('160301020001000001fc0303', 'hex'),
      'hello\r\n\r\n',
      'FROB / HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      `${post}No colon\r\n\r\n`,
      `${post}Content-Length: x\r\n\r\n`,
      `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
      `${post}${key}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ];
    for (const request of requests) {
      await assertProblem(await exchangeRaw(service.url, request), 'malformed_http', malformed);
    }
  });

  await t.test('is a 400 problem when it names no host', async () => {
    const detail = 'An HTTP/1.1 request needs one Host header.';
    const request = `POST ${memoPath} HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}`;
    await assertProblem(await exchangeRaw(service.url, request), 'malformed_http', detail);
  });

  await t.test('is a 431 problem when its headers are larger than 16 KiB', async () => {
    const detail = 'The headers are larger than this service takes. Send fewer or shorter ones.';
    const large = [
      `${post}X-A: ${'a'.repeat(20_000)}\r\n\r\n`,
      `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    ];
    for (const request of large) {
      await assertProblem(await exchangeRaw(service.url, request), 'headers_too_large', detail);
    }
  });

  await t.test('does not hinder a request that expects something the service does not know', async () => {
    const body = JSON.stringify(yidBody);
    const head = `${post}${key}Expect: the-unexpected\r\nContent-Length: ${body.length}\r\n\r\n`;
    assert.equal((await exchangeRaw(service.url, head + body)).status, 200);
  });

  await t.test('and ends in the middle of its body is no failure of the service in the log', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    await new Promise((resolve) => socket.write(`${post}${key}Content-Length: 500\r\n\r\n{"amount`, resolve));
    await new Promise((resolve) => socket.on('close', resolve).destroy());
    await fetch(`${service.url}/livez`);
    assert.deepEqual(
      service.log.filter((line) => JSON.parse(line).level > 30),
      [],
    );
  });
});
