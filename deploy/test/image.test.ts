import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../test/setup/free-port.ts';
import { repository } from '../../test/setup/process.ts';
import { type Container, images, podman, runContainer, startContainer, untilReady, version } from './containers.ts';
import { landTransfer, readWorld } from './land-transfer.ts';

const binary = '/app/packages/server/bin/splwright.js';

const cleanups: (() => Promise<void>)[] = [];
const t = { after: (finish: () => Promise<void>) => void cleanups.push(finish) };
after(async () => {
  for (const finish of cleanups.reverse()) await finish();
});

describe('the image', () => {
  it('says what it is, and how it is run', async () => {
    const [{ Config: config, Architecture: architecture }] = JSON.parse(
      await podman('image', 'inspect', images.service),
    );
    assert.equal(config.User, '1000:1000');
    assert.deepEqual(config.Entrypoint, ['node', binary]);
    assert.deepEqual(config.Cmd, ['serve']);
    assert.equal(config.StopSignal, 'SIGTERM');
    assert.deepEqual(Object.keys(config.ExposedPorts).toSorted(), ['3000/tcp', '9464/tcp']);
    assert.deepEqual(Object.keys(config.Volumes), ['/data']);
    assert.equal(config.Labels['org.opencontainers.image.version'], version);
    assert.match(config.Labels['org.opencontainers.image.revision'], /^[\da-f]{40}$/);
    assert.equal(config.Labels['org.opencontainers.image.licenses'], 'Apache-2.0');
    assert.ok(architecture);
    const environment = config.Env.filter((each: string) => !each.startsWith('PATH='));
    assert.deepEqual(environment, [
      'NODE_ENV=production',
      'HOST=0.0.0.0',
      'METRICS_HOST=0.0.0.0',
      'DATABASE_URL=sqlite:/data/splwright.db',
      'MALLOC_MMAP_THRESHOLD_=12288',
      'MALLOC_TOP_PAD_=1048576',
    ]);
  });

  it('holds the packages that the lock file has for production, without the sandbox, and no other', async () => {
    const list = `const { readdirSync } = require('node:fs');
      const names = readdirSync('/app/node_modules').filter((name) => !name.startsWith('.'));
      console.log(names.flatMap((name) => name[0] === '@' ? readdirSync('/app/node_modules/' + name).map((each) => name + '/' + each) : name).join('\\n'))`;
    const { stdout } = await runContainer({
      image: images.service,
      options: ['--entrypoint', 'node'],
      command: ['-e', list],
    });
    const lock: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }> = JSON.parse(
      readFileSync(join(repository, 'package-lock.json'), 'utf8'),
    ).packages;
    const wanted = Object.entries(lock)
      .filter(([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional)
      .flatMap(([path]) => /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1] ?? [])
      .filter((name) => name !== 'splwright-sandbox');
    assert.deepEqual(stdout.trim().split('\n').toSorted(), wanted.toSorted());
  });

  it('adds no more to its base than docs/operate/deploy.md says, without and with the sandbox', async () => {
    const document = readFileSync(join(repository, 'docs/operate/deploy.md'), 'utf8');
    const said = /The first adds at most (\d+) MB, the second (\d+) MB/.exec(document)?.slice(1).map(Number);
    const sizeOf = async (name: string): Promise<number> =>
      Number(await podman('image', 'inspect', '--format', '{{.Size}}', name)) / 1e6;
    const base = await sizeOf('node:24-bookworm-slim');
    const [service, sandbox] = [(await sizeOf(images.service)) - base, (await sizeOf(images.sandbox)) - base];
    console.log(`the image adds ${service.toFixed(0)} MB to its base, with the sandbox ${sandbox.toFixed(0)} MB`);
    assert.ok(said?.[0] && service <= said[0], `${service} MB`);
    assert.ok(said[1] && sandbox <= said[1], `${sandbox} MB`);
  });

  it('without the sandbox ends with status 78 and says what to set', async () => {
    const { status, stderr } = await runContainer({ image: images.service });
    assert.equal(status, 78);
    assert.match(stderr, /^SOLANA_RPC_URLS is not set and the sandbox is not installed/);
  });

  it('runs any other command of splwright', async () => {
    const { stdout } = await runContainer({ image: images.service, command: ['--version'] });
    assert.equal(stdout.trim(), version);
  });
});

describe('a container of it, with a root that is read-only and without a right or a shell', () => {
  let sandbox: Container;
  let service: Container;
  let sandboxUrl = '';
  let serviceUrl = '';
  let rpcUrl = '';
  // What an attacker in the container would look for first is not there: the shell of the base image is covered.
  const noShell = ['--volume', '/dev/null:/bin/dash:ro', '--volume', '/dev/null:/bin/sh:ro'];

  before(async () => {
    const [sandboxPort, servicePort, rpcPort] = [await freePort(), await freePort(), await freePort()];
    sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
    serviceUrl = `http://127.0.0.1:${servicePort}`;
    rpcUrl = `http://127.0.0.1:${rpcPort}`;
    sandbox = await startContainer(t, {
      image: images.sandbox,
      environment: { PORT: String(sandboxPort), SANDBOX_RPC_PORT: String(rpcPort), LOG_LEVEL: 'warn' },
      options: noShell,
    });
    await untilReady(`${sandboxUrl}/readyz`, sandbox);
    service = await startContainer(t, {
      image: images.service,
      environment: { PORT: String(servicePort), SOLANA_RPC_URLS: rpcUrl, METRICS_PORT: '0', LOG_LEVEL: 'warn' },
      options: noShell,
    });
    await untilReady(`${serviceUrl}/readyz`, service);
  });

  it('is process 1 of an ordinary user, with no capability', async () => {
    const status = await service.execute('node', '-p', "require('node:fs').readFileSync('/proc/1/status', 'utf8')");
    assert.match(status, /^Name:\s+(?:node|MainThread)$/m);
    assert.match(status, /^Uid:\s+1000\s+1000\s+1000\s+1000$/m);
    assert.match(status, /^Gid:\s+1000\s+1000\s+1000\s+1000$/m);
    for (const set of ['Prm', 'Eff', 'Bnd', 'Amb']) assert.match(status, new RegExp(`^Cap${set}:\\s+0+$`, 'm'));
    assert.match(status, /^NoNewPrivs:\s+1$/m);
    await assert.rejects(service.execute('/bin/sh', '-c', 'true'));
  });

  it('can write its volume and nothing else that stays', async () => {
    const program = `const { writeFileSync } = require('node:fs');
      for (const folder of ['/', '/app', '/app/packages/server', '/tmp', '/var/tmp', '/run', '/etc', '/home', '/root', '/usr/local/bin', '/data']) {
        try { writeFileSync(folder + '/written', ''); console.log(folder); } catch {}
      }`;
    assert.equal(await service.execute('node', '-e', program), '/data');
    // Podman makes the places where it mounts; the service itself has changed nothing.
    const changes = (await podman('diff', service.id))
      .split('\n')
      .filter((line) => /\/(?:app|tmp|home|root)\b/.test(line));
    assert.deepEqual(changes, []);
  });

  it('is healthy by its own health check', async () => {
    const [{ Healthcheck: check }] = JSON.parse(await podman('image', 'inspect', images.service));
    const [kind, ...command] = check.Test;
    assert.equal(kind, 'CMD');
    assert.match(await service.execute(...command), /^200 /);
    assert.match(await service.execute('splwright', 'ping', '--ready'), /"status":"ready"/);
  });

  it('builds a transfer that lands, on the sandbox', async () => {
    const world = await readWorld(sandboxUrl);
    assert.equal(world.rpc_url, rpcUrl);
    await landTransfer(sandboxUrl, world.api_key, world);
  });

  it('without the sandbox builds one too, for a key that another container made', async () => {
    const world = await readWorld(sandboxUrl);
    const created = JSON.parse(await service.execute('splwright', 'keys', 'create', '--name', 'first', '--json'));
    await landTransfer(serviceUrl, created.key, world);
    assert.match(await service.execute('splwright', 'keys', '--help'), /^Usage: splwright keys /m);
  });

  it('ends by SIGTERM with status 0 once it has drained', async () => {
    const startedAt = performance.now();
    assert.equal(await service.stop(30), 0);
    const seconds = (performance.now() - startedAt) / 1000;
    assert.ok(seconds > 3 && seconds < 11, `${seconds} s: DRAIN_MS is 3000 by default`);
    assert.equal(await sandbox.stop(30), 0);
  });
});
