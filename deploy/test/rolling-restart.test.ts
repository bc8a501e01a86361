import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { freePort } from '../../test/setup/free-port.ts';
import { startPostgres } from '../../test/setup/postgres.ts';
import { startRedis } from '../../test/setup/redis.ts';
import { type Container, images, podman, runContainer, startContainer, untilReady } from './containers.ts';
import { startProxy } from './haproxy.ts';
import { readWorld, transferBody } from './land-transfer.ts';
import { startSteadyLoad } from './steady-load.ts';

const cleanups: (() => Promise<void>)[] = [];
const t = { after: (finish: () => Promise<void>) => void cleanups.push(finish) };
after(async () => {
  for (const finish of cleanups.reverse()) await finish();
});

it('Two containers behind a proxy are restarted one after the other under load, and no request is lost', async () => {
  const [postgres, redis] = [await startPostgres(t), await startRedis(t)];
  const [sandboxPort, rpcPort] = [await freePort(), await freePort()];
  const sandbox = await startContainer(t, {
    image: images.sandbox,
    environment: { PORT: String(sandboxPort), SANDBOX_RPC_PORT: String(rpcPort), LOG_LEVEL: 'warn' },
  });
  await untilReady(`http://127.0.0.1:${sandboxPort}/readyz`, sandbox);
  const world = await readWorld(`http://127.0.0.1:${sandboxPort}`);

  const environment = {
    SOLANA_RPC_URLS: world.rpc_url,
    DATABASE_URL: await postgres.createDatabase(),
    REDIS_URL: redis.url,
    RATE_LIMIT_PER_MINUTE: '1000000',
    METRICS_PORT: '0',
    TRUST_PROXY: '1',
    LOG_LEVEL: 'warn',
  };
  const start = async (port: number): Promise<Container> => {
    const container = await startContainer(t, {
      image: images.service,
      environment: { ...environment, PORT: String(port) },
    });
    await untilReady(`http://127.0.0.1:${port}/readyz`, container);
    return container;
  };
  const ports = { a: await freePort(), b: await freePort() };
  const containers = { a: await start(ports.a), b: await start(ports.b) };
  const created = await runContainer({
    image: images.service,
    environment,
    command: ['keys', 'create', '--name', 'load', '--json'],
  });
  const { key: apiKey } = JSON.parse(created.stdout);
  const proxy = await startProxy(t, { a: `127.0.0.1:${ports.a}`, b: `127.0.0.1:${ports.b}` });
  await proxy.untilUp('a');
  await proxy.untilUp('b');

  const load = startSteadyLoad({
    url: `${proxy.url}/v1/transfers`,
    apiKey,
    body: transferBody(world),
    clients: 12,
  });
  const untilAnswered = async (count: number): Promise<void> => {
    const target = load.answered() + count;
    const giveUpAt = performance.now() + 60_000;
    while (load.answered() < target) {
      assert.ok(performance.now() < giveUpAt, `${load.answered()} of ${target} requests are answered`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await untilAnswered(200);
  for (const name of ['a', 'b'] as const) {
    assert.equal(await containers[name].stop(30), 0, `${name} ended as it should`);
    await untilAnswered(100);
    await podman('start', containers[name].id);
    await untilReady(`http://127.0.0.1:${ports[name]}/readyz`, containers[name]);
    await proxy.untilUp(name);
    await untilAnswered(100);
  }
  const { answered, lost } = await load.stop();
  console.log(`${answered} requests answered, ${lost.length} lost`);
  assert.deepEqual(lost, []);
  for (const name of ['a', 'b'] as const) assert.ok((await proxy.requestsOf(name)) > 100, `${name} had its part`);
});
