import type { TestContext } from 'node:test';
import type { Environment } from '../../../packages/server/src/config/variables.ts';
import type { Bounds } from '../../../packages/server/src/config.ts';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startTestService, type TestService } from '../../setup/service.ts';

/** Starts the whole service on an upstream of the test's own, with a stored key: the sandbox key works in a sandbox only. */
export async function startServiceOn(
  t: TestContext,
  url: string,
  environment: Environment = {},
  bounds: Partial<Bounds> = {},
): Promise<TestService> {
  const { databaseUrl, store } = await newKeyStore(t);
  const { key } = await store.create({ name: 'test', expiresAt: null });
  const service = await startTestService(
    t,
    { SOLANA_RPC_URLS: url, DATABASE_URL: databaseUrl, ...environment },
    bounds,
  );
  const { post } = service;
  return {
    url: service.url,
    log: service.log,
    get sandbox() {
      return service.sandbox;
    },
    post: (path, body, headers = {}) => post(path, body, { authorization: `Bearer ${key}`, ...headers }),
  };
}
