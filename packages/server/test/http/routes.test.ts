import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type TestContext, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { startTestService, type TestService } from '../../../../test/setup/service.ts';
import { operations } from './openapi-document.ts';

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
  const pages = ['GET /', 'GET /docs', 'GET /docs/reference.js'];
  assert.deepEqual([...registered].sort(), [...(await documentedRoutes(service)), ...pages].sort());
  assert.ok(registered.includes('GET /sandbox/world'));
  assert.ok(registered.includes('GET /problems/:code'));
});

test('On a real network neither has the route of the sandbox', async (t) => {
  const { service, registered } = await startWithRoutes(t, onRealNetwork);
  const documented = await documentedRoutes(service);
  assert.deepEqual([...registered].sort(), [...documented].sort());
  assert.deepEqual(
    documented.filter((route) => route.includes('sandbox')),
    [],
  );
});
