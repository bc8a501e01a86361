import type { TestContext } from 'node:test';
import { Pool } from 'undici';
import { memoPath } from '../../../packages/server/test/app/sample-bodies.ts';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startServer } from '../program/cli-process.ts';

/** Server processes that share keys, without a chain: what passes the limit is a 400, since its body is empty. */
export interface LimitedServers {
  servers: readonly Awaited<ReturnType<typeof startServer>>[];
  urls: readonly string[];
  /** Makes a key that all of them take. */
  createKey(): Promise<string>;
}

/** Starts so many server processes on the same keys, with these variables. */
export async function startLimitedServers(
  t: TestContext,
  count: number,
  environment: Record<string, string>,
): Promise<LimitedServers> {
  const { databaseUrl, store } = await newKeyStore(t);
  // No node listens there, and none is needed.
  const shared = { DATABASE_URL: databaseUrl, SOLANA_RPC_URLS: 'http://127.0.0.1:1', ...environment };
  const servers = await Promise.all(Array.from({ length: count }, () => startServer(t, shared)));
  return {
    servers,
    urls: servers.map(({ url }) => url),
    createKey: async () => (await store.create({ name: 'test', expiresAt: null })).key,
  };
}

/** How many answers had which status. */
export type Statuses = Readonly<Record<number, number>>;

/** What to send, and how fast. */
export interface Load {
  key: string;
  /** Requests, all servers together. */
  total: number;
  /** Requests per second, all servers together; as fast as they are answered without it. */
  perSecond?: number;
}

const connectionsPerServer = 8;

/** Sends requests to all servers alike, and counts the answers. */
export async function sendLoad(urls: readonly string[], { key, total, perSecond }: Load): Promise<Statuses> {
  const statuses: Record<number, number> = {};
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const startedAt = performance.now();
  let sent = 0;
  const send = async (pool: Pool): Promise<void> => {
    while (sent < total) {
      const index = sent++;
      if (perSecond !== undefined) await waitUntil(startedAt + (index * 1000) / perSecond);
      const { statusCode, body } = await pool.request({ path: memoPath, method: 'POST', headers, body: '{}' });
      await body.dump();
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
    }
  };
  const pools = urls.map((url) => new Pool(url, { connections: connectionsPerServer, pipelining: 1 }));
  const senders = pools.flatMap((pool) => Array.from({ length: connectionsPerServer }, () => send(pool)));
  await Promise.all(senders);
  await Promise.all(pools.map((pool) => pool.close()));
  return statuses;
}

async function waitUntil(time: number): Promise<void> {
  const pause = time - performance.now();
  if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
}
