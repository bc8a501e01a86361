import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServiceOn } from '../../../../test/e2e/nodes/upstream-service.ts';
import { startTestService, type TestService } from '../../../../test/setup/service.ts';
import { readProblem } from './problem.ts';
import { exchangeRaw } from './raw-http.ts';
import { memoPath, yidBody } from './sample-bodies.ts';

const shop = 'https://shop.example';
const app = 'capacitor://localhost';
const stranger = 'https://stranger.example';
const listed = { CORS_ORIGINS: `${shop}, ${app}` };

const exposed =
  'Solana-Blockhash, Solana-Last-Valid-Block-Height, Idempotency-Replayed, RateLimit, RateLimit-Policy, Retry-After, ' +
  'X-Request-Id';

/** The headers of a reply that are about origins, without the prefix `access-control-`. */
function originHeaders({ headers }: Response): Record<string, string> {
  const relevant = [...headers].filter(([name]) => name === 'vary' || name.startsWith('access-control-'));
  return Object.fromEntries(relevant.map(([name, value]) => [name.replace('access-control-', ''), value]));
}

// fetch refuses to send the Origin header as ours; a bare socket sends what a browser would.
function send(service: TestService, method: string, path: string, headers: Record<string, string>): Promise<Response> {
  const lines = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return exchangeRaw(service.url, `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
}

function preflight(service: TestService, origin: string, path: string = memoPath): Promise<Response> {
  return send(service, 'OPTIONS', path, {
    Origin: origin,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
  });
}

test('On the sandbox pages of every origin read replies', async (t) => {
  const service = await startTestService(t);
  const reply = await service.post(memoPath, yidBody, { origin: stranger });
  assert.equal(reply.status, 200);
  const open = { 'allow-origin': '*', 'expose-headers': exposed, vary: 'Origin' };
  assert.deepEqual(originHeaders(reply), open);
  const document = await send(service, 'GET', '/openapi.json', { Origin: 'null' });
  assert.deepEqual(originHeaders(document), { ...open, vary: 'Origin, Accept-Encoding' });
});

test('With a list only pages of its origins read replies', async (t) => {
  const service = await startTestService(t, listed);
  for (const origin of [shop, app]) {
    const reply = await service.post(memoPath, yidBody, { origin });
    assert.deepEqual(originHeaders(reply), { 'allow-origin': origin, 'expose-headers': exposed, vary: 'Origin' });
  }
  assert.deepEqual(
    originHeaders(await service.post(memoPath, yidBody)),
    { vary: 'Origin' },
    'so that a cache keeps replies apart',
  );
  assert.deepEqual(originHeaders(await send(service, 'GET', '/livez', { Origin: shop })), {});
  for (const origin of [stranger, `${shop}.evil.example`, 'http://shop.example', 'null', `${shop}, ${shop}`, '*']) {
    assert.deepEqual(originHeaders(await service.post(memoPath, yidBody, { origin })), { vary: 'Origin' }, origin);
  }
});

test('On a real network without a list no page reads a reply', async (t) => {
  const service = await startServiceOn(t, 'http://127.0.0.1:1');
  for (const [path, origin, headers] of [
    [memoPath, shop, {}],
    ['/openapi.json', shop, { vary: 'Accept-Encoding' }],
    [memoPath, 'null', {}],
  ] as const) {
    assert.deepEqual(originHeaders(await send(service, 'GET', path, { Origin: origin })), headers);
    const refused = await preflight(service, origin, path);
    assert.deepEqual(originHeaders(refused), {});
    assert.equal((await readProblem(refused)).code, 'method_not_allowed');
  }
});

test('A preflight is answered without a key, and takes nothing from the limit of the network or a key', async (t) => {
  const service = await startTestService(t, { ...listed, RATE_LIMIT_PER_MINUTE: '1' });
  for (let count = 0; count < 100; count++) {
    const reply = await preflight(service, shop);
    assert.equal(reply.status, 204);
    assert.deepEqual(originHeaders(reply), {
      'allow-headers': 'authorization,content-type,idempotency-key',
      'allow-methods': 'GET,HEAD,POST',
      'allow-origin': shop,
      'expose-headers': exposed,
      'max-age': '7200',
      vary: 'Origin, Access-Control-Request-Headers',
    });
    assert.match(reply.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  }
  assert.equal((await service.post(memoPath, yidBody, { origin: shop })).status, 200);
});

test('A preflight of an origin that is not listed is refused, and so is any other OPTIONS request', async (t) => {
  const service = await startTestService(t, listed);
  const refused = await preflight(service, stranger);
  assert.deepEqual([refused.headers.get('allow'), originHeaders(refused)], ['POST', { vary: 'Origin' }]);
  assert.equal((await readProblem(refused)).code, 'method_not_allowed');
  const nowhere = await preflight(service, stranger, '/nowhere');
  assert.equal((await readProblem(nowhere)).code, 'route_not_found');
  const bare = await send(service, 'OPTIONS', memoPath, {});
  assert.equal((await readProblem(bare)).code, 'method_not_allowed');
});

test('A page can read refusals: the reason, when to try again, and the state of its limit', async (t) => {
  const service = await startTestService(t, { ...listed, RATE_LIMIT_PER_MINUTE: '2' });
  const from = { origin: shop };
  const replies: readonly [status: number, reply: Response][] = [
    [401, await service.post(memoPath, yidBody, { ...from, authorization: 'Bearer x' })],
    [413, await service.post(memoPath, 'x'.repeat(20_000), from)],
    [422, await service.post(memoPath, { ...yidBody, token_mint_address: yidBody.to_address }, from)],
    [429, await service.post(memoPath, yidBody, from)],
    [404, await service.post('/v1/nothing', yidBody, from)],
  ];
  for (const [status, reply] of replies) {
    assert.equal(reply.status, status);
    assert.deepEqual(originHeaders(reply), { 'allow-origin': shop, 'expose-headers': exposed, vary: 'Origin' });
    await readProblem(reply);
  }
});
