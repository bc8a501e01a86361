import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startTestService } from '../../../../test/setup/service.ts';
import { sandboxApiKey } from '../../src/keys/authenticated-key.ts';
import { assertProblem, readProblem } from './problem.ts';
import { exchangeRaw } from './raw-http.ts';
import { createBody, createPath, memoPath } from './sample-bodies.ts';

const host = 'Host: x\r\n';
const authorization = `Authorization: Bearer ${sandboxApiKey}\r\n`;
const json = 'Content-Type: application/json\r\n';
const body = JSON.stringify(createBody);
const transfer = `POST ${createPath} HTTP/1.1\r\n${host}${authorization}${json}Content-Length: ${body.length}\r\n\r\n${body}`;

/** Sends bytes, closes that half of the connection if told to, and returns all that comes until the server closes. */
async function exchangeAll(url: string, bytes: string, how: 'open' | 'half-closed'): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let text = '';
  socket.setEncoding('latin1').on('data', (more: string) => {
    text += more;
  });
  if (how === 'open') socket.write(bytes);
  else socket.end(bytes);
  await once(socket, 'end');
  socket.destroy();
  return text;
}

const statusesOf = (text: string): (string | undefined)[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);

test('A request that two servers may understand differently is refused:', async (t) => {
  const service = await startTestService(t);
  const other: Record<string, [string, string]> = {
    Host: [host, 'Host: y\r\n'],
    Authorization: [authorization, 'Authorization: Bearer z\r\n'],
    'Content-Type': [json, 'content-type: text/plain\r\n'],
  };

  for (const [name, [own, header]] of Object.entries(other)) {
    await t.test(`two ${name} headers, alike or not, whichever is first`, async () => {
      for (const both of [own + own, own + header, header + own]) {
        const response = await exchangeRaw(service.url, transfer.replace(own, both));
        await assertProblem(
          response,
          'malformed_http',
          `The request has 2 ${name} headers and may have one. Send one.`,
        );
      }
    });
  }

  await t.test('a transfer coding other than chunked, on a connection that is then closed', async () => {
    const detail = 'The only Transfer-Encoding that this service takes is chunked.';
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const head = `POST ${createPath} HTTP/1.1\r\n${host}${authorization}${json}`;
    for (const coding of ['gzip, chunked', 'gzip,chunked', 'identity, chunked']) {
      const response = await exchangeRaw(service.url, `${head}Transfer-Encoding: ${coding}\r\n\r\n${chunked}`);
      assert.equal(response.headers.get('connection'), 'close');
      await assertProblem(response, 'malformed_http', detail);
    }
    for (const coding of ['chunked', 'Chunked']) {
      const response = await exchangeRaw(service.url, `${head}Transfer-Encoding: ${coding}\r\n\r\n${chunked}`);
      assert.equal(response.status, 200);
    }
  });

  await t.test('another version of HTTP', async () => {
    for (const version of ['2.0', '0.9']) {
      const response = await exchangeRaw(service.url, `GET /livez HTTP/${version}\r\n${host}\r\n`);
      await assertProblem(response, 'malformed_http', `This service speaks HTTP/1.1, not HTTP/${version}.`);
    }
    assert.equal((await exchangeRaw(service.url, 'GET /livez HTTP/1.0\r\n\r\n')).status, 200);
  });

  await t.test('but not one header with a comma in it', async () => {
    const response = await exchangeRaw(service.url, transfer.replace('application/json', 'application/json; a="b, c"'));
    assert.equal(response.status, 200);
  });
});

test('A valid request keeps its reply', async (t) => {
  const service = await startTestService(t);

  await t.test('when bytes that are not HTTP follow it, which are refused after it', async () => {
    for (const [request, status] of [
      [transfer, '200'],
      [`GET /livez HTTP/1.1\r\n${host}\r\n`, '200'],
      [`POST ${memoPath} HTTP/1.1\r\n${host}Content-Length: 0\r\n\r\n`, '401'],
    ] as const) {
      for (const garbage of ['garbage\r\n\r\n', '\x16\x03\x01\x02', 'GET / HTTP/1.1\r\nNo colon\r\n\r\n']) {
        const text = await exchangeAll(service.url, request + request + garbage, 'open');
        assert.deepEqual(statusesOf(text), [status, status, '400']);
      }
    }
  });

  await t.test('when the caller closes its half of the connection after it', async () => {
    const text = await exchangeAll(service.url, transfer + transfer, 'half-closed');
    assert.deepEqual(statusesOf(text), ['200', '200']);
  });

  await t.test('and one that ends with the connection in the middle of its body is refused', async () => {
    const text = await exchangeAll(service.url, transfer.slice(0, -5), 'half-closed');
    assert.deepEqual(statusesOf(text), ['400']);
  });
});

test('A page of a problem may use its own style and nothing else, and no reply may be sniffed as another type', async (t) => {
  const service = await startTestService(t);
  const response = await fetch(`${service.url}/problems/invalid_json`);
  assert.doesNotMatch(await response.text(), /<style|<script| style=/);
  assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'self'; /);
  const replies = [response, await service.post(createPath, createBody), await exchangeRaw(service.url, 'x\r\n\r\n')];
  for (const path of [
    '/openapi.json',
    '/livez',
    '/readyz',
    '/sandbox/world',
    '/nothing',
    '/%',
    `/${'a'.repeat(20_000)}`,
  ]) {
    replies.push(await fetch(service.url + path));
  }
  for (const reply of replies) assert.equal(reply.headers.get('x-content-type-options'), 'nosniff', reply.url);
});

test('Of more than 100 faults 100 are listed, those of known fields first', async (t) => {
  const service = await startTestService(t);
  const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x${index}`, 0]));
  const response = await service.post(createPath, { ...unknown, ...createBody, amount: '-1', summary: 1 });
  const text = await response.clone().text();
  const problem = await readProblem(response);
  const pointers = problem.errors?.map(({ pointer }) => pointer) ?? [];
  assert.deepEqual(
    [pointers.length, ...pointers.slice(0, 3), pointers.at(-1)],
    [100, '/summary', '/amount', '/x0', '/x97'],
  );
  assert.match(problem.detail, /^The request has more than 100 faults, the first: summary is /);
  assert.ok(text.length < 50_000, `${text.length} bytes`);
});
