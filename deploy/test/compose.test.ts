import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parseConfig } from '../../packages/server/src/config.ts';
import { freePort } from '../../test/setup/free-port.ts';
import { podman, untilReady } from './containers.ts';
import { landTransfer, readWorld } from './land-transfer.ts';

const execute = promisify(execFile);
const folder = new URL('..', import.meta.url).pathname;
const services = ['splwright', 'postgres', 'valkey', 'prometheus'] as const;
const containerOf = (service: string): string => `splwright_${service}_1`;

describe('deploy/compose.yaml, started', () => {
  let environment: Record<string, string> = {};
  const urlOf = (name: string): string => `http://127.0.0.1:${environment[name]}`;
  const compose = async (...values: readonly string[]): Promise<void> => {
    const files = ['--file', 'compose.yaml', '--file', 'test/compose.stand-ins.yaml'];
    await execute('podman-compose', [...files, ...values], { cwd: folder, env: { ...process.env, ...environment } });
  };
  const untilHealthy = async (service: string): Promise<void> => {
    const giveUpAt = performance.now() + 30_000;
    for (;;) {
      const failure: unknown = await podman('healthcheck', 'run', containerOf(service)).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure === undefined) return;
      if (performance.now() > giveUpAt) throw failure;
      await setTimeout(100);
    }
  };

  before(async () => {
    environment = {
      SOLANA_RPC_URLS: 'http://solana:8899',
      POSTGRES_PASSWORD: 'a1b2c3d4',
      VALKEY_PASSWORD: 'e5f6a7b8',
      SPLWRIGHT_PORT: String(await freePort()),
      PROMETHEUS_PORT: String(await freePort()),
      SANDBOX_PORT: String(await freePort()),
      SANDBOX_RPC_PORT: String(await freePort()),
    };
    // The order of `depends_on`, whose conditions this version of Podman does not know.
    await compose('up', '--detach', 'postgres', 'valkey', 'solana');
    await untilHealthy('postgres');
    await untilHealthy('valkey');
    await untilReady(`${urlOf('SANDBOX_PORT')}/readyz`, { logs: () => podman('logs', containerOf('solana')) });
    await compose('up', '--detach');
    await untilHealthy('splwright');
    await untilReady(`${urlOf('SPLWRIGHT_PORT')}/readyz`, { logs: () => podman('logs', containerOf('splwright')) });
  });
  after(() => compose('down', '--volumes'));

  it('builds a transfer that lands, for a first key that was made in the container', async () => {
    const created = await podman(
      'exec',
      containerOf('splwright'),
      'splwright',
      'keys',
      'create',
      '--name',
      'first',
      '--json',
    );
    const world = await readWorld(urlOf('SANDBOX_PORT'));
    const reachable = { ...world, rpc_url: urlOf('SANDBOX_RPC_PORT') };
    await landTransfer(urlOf('SPLWRIGHT_PORT'), JSON.parse(created).key, reachable);
    assert.notEqual(await podman('exec', containerOf('valkey'), 'valkey-cli', 'dbsize'), '0', 'Valkey counts requests');
  });

  it('gives no container a right, a writable root or a way to more', async () => {
    for (const service of services) {
      const [{ HostConfig: host, EffectiveCaps: capabilities, Config: config }] = JSON.parse(
        await podman('inspect', containerOf(service)),
      );
      assert.equal(host.ReadonlyRootfs, true, service);
      assert.deepEqual(capabilities ?? [], [], service);
      assert.deepEqual(host.SecurityOpt, ['no-new-privileges'], service);
      assert.match(config.User, /^[1-9]/, service);
    }
  });

  it('gives the service the time to stop that it may take, and the stores no way out', async () => {
    // Podman is told at the stop.
    const text = readFileSync(join(folder, 'compose.yaml'), 'utf8');
    const graceSeconds = Number(/stop_grace_period: (\d+)s/.exec(text)?.[1]);
    const { drainMs, requestDeadlineMs } = defaultConfig();
    assert.ok(graceSeconds * 1000 > drainMs + Math.max(2 * requestDeadlineMs, 15_000) + 3000);
    const [{ internal }] = JSON.parse(await podman('network', 'inspect', 'splwright_stores'));
    assert.equal(internal, true);
  });

  it('has a Prometheus that reads the service, and the alert rules', async () => {
    const query = async (path: string): Promise<unknown> =>
      JSON.parse(await (await fetch(`${urlOf('PROMETHEUS_PORT')}/api/v1/${path}`)).text());
    const giveUpAt = performance.now() + 60_000;
    while (!/"value":\[[\d.]+,"1"\]/.test(JSON.stringify(await query('query?query=up')))) {
      assert.ok(performance.now() < giveUpAt, 'Prometheus has not read the service');
      await setTimeout(250);
    }
    assert.match(JSON.stringify(await query('rules')), /"name":"Splwright\w+"/);
  });
});

function defaultConfig() {
  const parsed = parseConfig({});
  if ('faults' in parsed) throw new Error(parsed.faults.join('\n'));
  return parsed.config;
}
