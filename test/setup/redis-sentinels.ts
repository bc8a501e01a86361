import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'iovalkey';
import type { Certificates } from './certificates.ts';
import { freePort } from './free-port.ts';
import {
  killProcess,
  portOptions,
  redisPassword,
  redisProgram,
  startRedis,
  startRedisProcess,
  type TestRedis,
} from './redis.ts';
import type { Cleanup } from './service.ts';

/** A primary, its replica, and Sentinels that watch them. */
export interface WatchedRedis {
  /** `redis+sentinel://` or `rediss+sentinel://`, with the password of the servers. */
  url: string;
  /** The passwords in the URL, which must show up nowhere. */
  passwords: readonly string[];
  /** The server that was the primary at the start. */
  first: TestRedis;
  /** Kills a Sentinel by its place. */
  killSentinel(index: number): Promise<void>;
  /** Resolves once the Sentinels have made the other server the primary. */
  untilFailedOver(): Promise<void>;
}

/** The name of the primary. */
const name = 'limits-primary';
const sentinelPassword = 'SentinelPassword5b2d';

/** Starts two servers and three Sentinels that know one another, and ends them with the test. */
export async function startWatchedRedis(t: Cleanup, certificates?: Certificates): Promise<WatchedRedis> {
  const first = await startRedis(t, [], certificates);
  await startRedis(t, ['--replicaof', '127.0.0.1', String(first.port)], certificates);
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(t, first.port, certificates)));
  const client = new Redis({
    port: sentinels[0]?.port ?? 0,
    password: sentinelPassword,
    ...(certificates && { tls: { ca: readFileSync(certificates.ca) } }),
  });
  t.after(async () => client.disconnect());
  while (!(await isWatched(client)));
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const scheme = certificates ? 'rediss' : 'redis';
  return {
    url: `${scheme}+sentinel://:${redisPassword}@${hosts}/${name}?sentinel_password=${sentinelPassword}`,
    passwords: [redisPassword, sentinelPassword],
    first,
    killSentinel: (index) => sentinels[index]?.kill() ?? Promise.reject(new RangeError('no such Sentinel')),
    async untilFailedOver() {
      while (String(await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name)).endsWith(`,${first.port}`));
    },
  };
}

async function startSentinel(t: Cleanup, primaryPort: number, certificates: Certificates | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'splwright-sentinel-'));
  const port = await freePort();
  // A Sentinel writes what it learns into its file.
  const file = join(folder, 'sentinel.conf');
  const lines = [
    `sentinel monitor ${name} 127.0.0.1 ${primaryPort} 2`,
    `sentinel auth-pass ${name} ${redisPassword}`,
    `sentinel down-after-milliseconds ${name} 1000`,
    `sentinel failover-timeout ${name} 5000`,
    `requirepass ${sentinelPassword}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const options = [file, '--sentinel', ...portOptions(port, certificates)];
  const child = await startRedisProcess(redisProgram(), options, '+monitor master');
  const kill = (): Promise<void> => killProcess(child);
  t.after(async () => {
    await kill();
    rmSync(folder, { recursive: true });
  });
  return { port, kill };
}

/** Whether every Sentinel is known, and a replica that could take over. */
async function isWatched(client: Redis): Promise<boolean> {
  const reply = await client.call('SENTINEL', 'MASTER', name);
  const fields = Array.isArray(reply) ? reply.map(String) : [];
  const field = (key: string): string | undefined => fields[fields.indexOf(key) + 1];
  const replicas = String(await client.call('SENTINEL', 'REPLICAS', name));
  return (
    field('num-other-sentinels') === '2' && field('num-slaves') === '1' && replicas.includes('master-link-status,ok')
  );
}
