import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type TestContext, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { startTestService, type TestService } from '../../../../test/setup/service.ts';
import { assetPath } from '../../src/app/pages/assets.ts';
import { sandboxApiKey } from '../../src/keys/authenticated-key.ts';
import { operations } from './openapi-document.ts';
import { linkBody } from './sample-bodies.ts';

/** What the pages of links and the wallets load beside the API. */
const ofLinkPages = [
  'GET /pay/:id/state',
  'GET /pay/:id/qr.svg',
  'GET /pay/:id/receipt',
  'GET /pay/icon/:name',
  'GET /pay-assets/*',
  'GET /actions.json',
];

const onRealNetwork = { SOLANA_RPC_URLS: 'http://127.0.0.1:1' };

/** Starts a service and says which routes its app registers, without the HEAD of each GET and without preflights. */
async function startWithRoutes(t: TestContext, environment: Record<string, string>) {
  const registered: string[] = [];
  const watch = (message: unknown): void => {
    const app: FastifyInstance = Object(message).fastify;
    app.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) if (!/^(?:HEAD|OPTIONS)$/.test(each)) registered.push(`${each} ${url}`);
    });
  };
  subscribe('fastify.initialization', watch);
  const service = await startTestService(t, environment);
  unsubscribe('fastify.initialization', watch);
  return { service, registered };
}

async function documentedRoutes(service: TestService): Promise<readonly string[]> {
  const document: unknown = await (await fetch(`${service.url}/openapi.json`)).json();
  return operations(document).map(
    ({ path, method }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
  );
}

test('The app has exactly the routes that its OpenAPI document describes, and pages for people', async (t) => {
  const { service, registered } = await startWithRoutes(t, {});
  const pages = ['GET /', 'GET /docs', 'GET /docs/reference.js', 'POST /mcp', ...ofLinkPages];
  assert.deepEqual([...registered].sort(), [...(await documentedRoutes(service)), ...pages].sort());
  assert.ok(registered.includes('GET /sandbox/world'));
  assert.ok(registered.includes('GET /problems/:code'));
  assert.equal((await fetch(`${service.url}/v1/admin/keys`)).status, 404, 'without ADMIN_KEY');
});

test('On a real network neither has the route of the sandbox', async (t) => {
  const { service, registered } = await startWithRoutes(t, onRealNetwork);
  const documented = await documentedRoutes(service);
  assert.deepEqual([...registered].sort(), [...documented, 'GET /', ...ofLinkPages].sort());
  assert.deepEqual(
    documented.filter((route) => route.includes('sandbox')),
    [],
  );
});

test('Every path that takes GET takes HEAD, with the same status and headers and no body', async (t) => {
  const { service, registered } = await startWithRoutes(t, {});
  const idOf = async (made: Promise<Response>) => Object(Object(await (await made).json()).data).id;
  const linkId = await idOf(service.post('/v1/payment-links', linkBody));
  const endpointId = await idOf(service.post('/v1/webhook-endpoints', { url: 'http://localhost:1/hook' }));
  const headers = { authorization: `Bearer ${sandboxApiKey}` };
  const paths = registered.flatMap((route) => (route.startsWith('GET ') ? [route.slice('GET '.length)] : []));
  assert.ok(paths.length > 10);
  for (const path of paths) {
    const asset = assetPath('pay.ts').slice('/pay-assets/'.length);
    const ids = {
      id: path.startsWith('/v1/webhook-endpoints') ? endpointId : linkId,
      code: 'invalid_json',
      name: 'T.svg',
    };
    const url = service.url + path.replaceAll(/:(\w+)/g, (_, name) => String(Object(ids)[name])).replace('*', asset);
    const [got, headed] = [await fetch(url, { headers }), await fetch(url, { headers, method: 'HEAD' })];
    assert.deepEqual([headed.status, (await headed.arrayBuffer()).byteLength], [got.status, 0], path);
    assert.equal(headed.headers.get('content-type'), got.headers.get('content-type'), path);
    assert.equal(got.status, 200, path);
    await got.arrayBuffer();
  }
});

test('What is no browser is told at / in three lines where to go, with pages or without them', async (t) => {
  const linesOf = async (environment: Record<string, string>, accept: string): Promise<readonly string[]> => {
    const { url } = await startTestService(t, environment);
    const response = await fetch(url, { headers: { accept } });
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    const lines = (await response.text()).split('\n');
    assert.equal(lines.pop(), '');
    assert.equal(lines.length, 3);
    for (const line of lines) assert.ok(line.length <= 125, line);
    return lines;
  };
  const onSandbox = (await linesOf({}, '*/*')).join(' ');
  for (const path of ['/sandbox/world', '/v1/transfers', '/openapi.json', '/docs'])
    assert.ok(onSandbox.includes(path), path);
  const withoutPages = (await linesOf({ ...onRealNetwork, PAGES: 'off' }, 'text/html')).join(' ');
  assert.doesNotMatch(withoutPages, /sandbox|browser|docs/);
});
