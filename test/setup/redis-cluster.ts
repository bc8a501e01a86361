import { readFileSync } from 'node:fs';
import { Redis } from 'iovalkey';
import type { Certificates } from './certificates.ts';
import { startRedis } from './redis.ts';
import type { Cleanup } from './service.ts';

const slots = 16_384;

/** Starts so many Redis nodes that are one cluster, each with its share of the slots, and ends them with the test. */
export async function startRedisCluster(
  t: Cleanup,
  count: number,
  certificates?: Certificates,
): Promise<{ urls: readonly string[] }> {
  const options = ['--cluster-enabled', 'yes'];
  const nodes = await Promise.all(Array.from({ length: count }, () => startRedis(t, options, certificates)));
  const clients = nodes.map(
    ({ url }) => new Redis(url, certificates ? { tls: { ca: readFileSync(certificates.ca) } } : {}),
  );
  const share = Math.ceil(slots / count);
  await Promise.all(
    clients.map((client, index) =>
      client.call('CLUSTER', 'ADDSLOTSRANGE', share * index, Math.min(share * (index + 1), slots) - 1),
    ),
  );
  for (const { url } of nodes) await clients[0]?.call('CLUSTER', 'MEET', '127.0.0.1', new URL(url).port);
  await Promise.all(clients.map(untilWhole));
  for (const client of clients) client.disconnect();
  return { urls: nodes.map(({ url }) => url) };
}

async function untilWhole(client: Redis): Promise<void> {
  while (!String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok'));
}
