import { Authenticator } from '../packages/server/src/keys/authentication/authenticator.ts';
import { UsageRecorder } from '../packages/server/src/keys/usage/usage-recorder.ts';
import { openKeyStore } from '../packages/server/src/serve/store/open-key-store.ts';
import { timeInRounds } from './processor-time.ts';
import { LoadGenerator } from './service/load.ts';
import { openStage } from './service/services.ts';
import { median } from './statistics.ts';

// What authentication adds to a request: `npm run bench:authentication`. Exit status 1 when it is more than the target.

const target = 0.05;
const budgetMicroseconds = 50;
const keyCount = 1000;
const connections = 64;
/** Seen wallets make the cheapest request, of which authentication is the greatest part. */
const seenTransfers = 1000;
const rounds = 5;

/** Microseconds of processor time of authenticating and counting one request, with keys in use, in turn. */
async function authenticationMicroseconds(): Promise<Map<string, number[]>> {
  const store = await openKeyStore('sqlite::memory:');
  const keys: string[] = [];
  for (let count = 0; count < keyCount; count++) {
    const expiresAt = new Date(Date.now() + 86_400_000);
    keys.push((await store.create({ name: `client ${count}`, expiresAt })).key);
  }
  const authenticator = new Authenticator({
    store,
    acceptsSandboxKey: false,
    now: () => Date.now(),
    elapsed: () => performance.now(),
    onOutage: (error) => console.error(error),
    onRecovery: () => undefined,
  });
  const onLoss = (): void => undefined;
  const usage = new UsageRecorder({ store, now: () => Date.now(), onFailure: console.error, onLoss });
  const caller = { ip: '127.0.0.1', socket: { remoteAddress: '127.0.0.1' } };
  const authenticate = async (text: string): Promise<string> => {
    const given = authenticator.authenticate(text, caller);
    // A key in use is answered for at once; only the first time there is something to wait for.
    const verdict = given instanceof Promise ? await given : given;
    if (verdict.kind !== 'valid') throw new Error(`a good key is ${verdict.kind}`);
    return verdict.key.id;
  };
  for (const key of keys) await authenticate(key);
  const ways = {
    'authenticate a key in use': (text: string) => {
      authenticator.authenticate(text, caller);
    },
    'count its use': (text: string) => usage.count(text, 'built'),
  };
  const options = { rounds, warmUpRounds: 2, microsecondsPerRound: 300_000 };
  const times = await timeInRounds(Object.keys(ways), options, async (name, count) => {
    const way = ways[name as keyof typeof ways];
    const before = process.cpuUsage();
    for (let index = 0; index < count; index++) way(keys[index % keyCount] ?? '');
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  await usage.close();
  await authenticator.close();
  await store.close();
  return times;
}

/** Microseconds of processor time of a whole request, of the real server process under load. */
async function requestMicroseconds(): Promise<number[]> {
  const stage = await openStage();
  const load = new LoadGenerator(stage.poolPath);
  try {
    const server = await stage.startSplwright(stage.upstreamUrl);
    const port = Number(new URL(server.urls[0] ?? '').port);
    const order = { port, apiKey: stage.apiKey, connections, serverProcess: server.pid };
    const run = async (seconds: number): Promise<number> => {
      const { serverMicroseconds } = await load.run({ ...order, firstTransfer: 0, among: seenTransfers, seconds });
      return serverMicroseconds;
    };
    await run(3);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await run(2));
    return times;
  } finally {
    await load.close();
    await stage.close();
  }
}

const parts = [...(await authenticationMicroseconds())].map(([name, times]) => [name, median(times)] as const);
const request = median(await requestMicroseconds());
const added = parts.reduce((sum, [, microseconds]) => sum + microseconds, 0);
for (const [name, microseconds] of parts) console.log(`${microseconds.toFixed(2).padStart(8)} µs  ${name}`);
console.log(`${request.toFixed(2).padStart(8)} µs  a whole request with seen wallets, all threads`);
const percent = (ratio: number): string => `${(ratio * 100).toFixed(1).padStart(8)} % `;
console.log(`${percent(added / request)}  of it is authentication: at most ${target * 100} %`);
console.log(`${percent(added / budgetMicroseconds)}  of the ${budgetMicroseconds} µs that a request may take`);
process.exitCode = added / request <= target ? 0 : 1;
