import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { unrestricted } from '../../../packages/server/src/keys/authenticated-key.ts';
import { linkBody, linksPath, usdc } from '../../../packages/server/test/http/sample-bodies.ts';
import {
  type KeyDatabase,
  keyDatabases,
  newKeyStore,
  sqliteFile,
} from '../../../packages/server/test/store/databases.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { named } from '../../setup/wallets.ts';
import { startServer } from '../program/cli-process.ts';
import { LinkClient } from './link-service.ts';

const limit = 100;
const used = 95;

/** Server processes with a key that has used up 95 of the 100 that it may make payable today. */
async function start(t: TestContext, database: KeyDatabase, processes: readonly Record<string, string>[]) {
  const sandbox = await startTestSandbox(t);
  const { databaseUrl, store } = await newKeyStore(t, database);
  const amounts = new Map([[usdc, { perTransfer: null, perDay: BigInt(limit) }]]);
  const restrictions = { ...unrestricted, amounts };
  const { key } = await store.create({ name: 'shop', expiresAt: null, rateLimitPerMinute: 0, restrictions });
  const environment = {
    SOLANA_RPC_URLS: sandbox.rpcUrl,
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: 'https://pay.example',
    METRICS_PORT: '0',
    PAY_RATE_LIMIT_PER_MINUTE: '0',
  };
  const servers = await Promise.all(processes.map((each) => startServer(t, { ...environment, ...each })));
  const clients = servers.map(({ url }) => new LinkClient(url, key));
  const [client] = clients;
  assert.ok(client);
  await client.create({ ...linkBody, amount: String(used) });
  return { clients, alice: named(sandbox.world.wallets, 'alice').address };
}

/** Makes links of 60 that are refused and of 1 that fit five times, while others list the links and take their transactions. */
async function attack({ clients, alice }: Awaited<ReturnType<typeof start>>): Promise<void> {
  let isOver = false;
  const amounts = new Map<string, number>();
  const handedOut = new Set<string>();
  const watch = async (client: LinkClient) => {
    do {
      for (const { id, amount } of (await client.list({ limit: '100' })).data) {
        amounts.set(id, Number(amount));
        if (Number(amount) !== used && (await client.askToPay(id, alice)).status === 200) handedOut.add(id);
      }
    } while (!isOver);
  };
  const make = async (client: LinkClient, index: number) => {
    const keyed: Record<string, string> = index % 3 === 0 ? { 'idempotency-key': `order-${index}` } : {};
    const body = { ...linkBody, amount: index % 2 === 0 ? '60' : '1' };
    for (;;) {
      const { status } = await client.send('POST', linksPath, body, keyed);
      if (status < 500 && status !== 409) return status;
    }
  };
  const watching = Promise.all(clients.map(watch));
  const requests = clients.flatMap((client, process) =>
    Array.from({ length: 12 }, (_, index) => make(client, process * 12 + index)),
  );
  const statuses = await Promise.all(requests).finally(() => {
    isOver = true;
  });
  await watching;
  await Promise.all(clients.map(watch));
  assert.deepEqual(new Set(statuses), new Set([201, 403]));
  assert.equal(statuses.filter((status) => status === 201).length, limit - used);
  const all = [...amounts.values()];
  assert.deepEqual(
    all.sort((a, b) => a - b),
    [1, 1, 1, 1, 1, used],
    'nothing that was refused was ever listed',
  );
  assert.equal([...handedOut].filter((id) => amounts.get(id) === 60).length, 0);
}

describe('A link that the daily limit of its key refuses is never listed, read or paid', { timeout: 120_000 }, () => {
  it('by one process', async (t) => attack(await start(t, sqliteFile, [{}])));

  it('by two workers', async (t) => attack(await start(t, sqliteFile, [{ WORKERS: '2' }])));

  for (const database of keyDatabases) {
    it(`by two processes on ${database.name}`, async (t) => attack(await start(t, database, [{}, {}])));
  }
});
