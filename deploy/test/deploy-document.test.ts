import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../../test/setup/free-port.ts';
import { repository } from '../../test/setup/process.ts';
import { podman, untilReady, version } from './containers.ts';
import { landTransfer, readWorld } from './land-transfer.ts';

const execute = promisify(execFile);
const document = readFileSync(join(repository, 'docs/operate/deploy.md'), 'utf8');
const blocks = [...document.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, text = '']) => text.split('\n'));
const [builds = [], [demo = ''] = [], sandboxCommands = [], serviceCommands = [], composeCommands = []] = blocks;

describe('docs/operate/deploy.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'splwright-deploy-'));
  const ports = { sandbox: 0, rpc: 0, service: 0 };
  const run = async (command: string, environment: Record<string, string> = {}): Promise<string> => {
    const env = { ...process.env, ...environment, PATH: `${folder}:${process.env.PATH}` };
    const { stdout } = await execute('bash', ['-c', command], { cwd: folder, env });
    return stdout;
  };

  before(async () => {
    [ports.sandbox, ports.rpc, ports.service] = [await freePort(), await freePort(), await freePort()];
    // Podman understands Docker's commands. Containers share the network of the host here, so that a port is one of a variable.
    const docker = `#!/bin/sh
command="$1"; shift
[ "$command" = run ] || exec podman "$command" "$@"
exec podman run --no-healthcheck --env-file ports.env "$@"\n`;
    writeFileSync(join(folder, 'docker'), docker, { mode: 0o755 });
    const sandboxPorts = `PORT=${ports.sandbox}\nSANDBOX_RPC_PORT=${ports.rpc}\n`;
    writeFileSync(join(folder, 'ports.env'), sandboxPorts);
    writeFileSync(
      join(folder, 'splwright.env'),
      `SOLANA_RPC_URLS=http://127.0.0.1:${ports.rpc}\nPORT=${ports.service}\nMETRICS_PORT=0\n`,
    );
  });
  after(async () => {
    await podman('rm', '--force', '--volumes', '--ignore', '--time', '1', 'sandbox', 'splwright');
    await podman('volume', 'rm', '--force', 'splwright');
    rmSync(folder, { recursive: true });
  });

  it('names the version of this repository and the targets of the Dockerfile', () => {
    assert.deepEqual(builds, [
      `docker build --build-arg VERSION=${version} --tag splwright:${version} .`,
      `docker build --build-arg VERSION=${version} --tag splwright:${version}-sandbox --target sandbox .`,
    ]);
    assert.match(readFileSync(join(repository, 'Dockerfile'), 'utf8'), /^FROM \S+ AS sandbox$/m);
    assert.equal(composeCommands.length, 3);
    for (const command of composeCommands.slice(1)) assert.match(command, /--file deploy\/compose\.yaml/);
  });

  it('shows a transfer of each operation landing, by one command', async () => {
    assert.equal((await run(demo)).match(/^ +confirmed /gm)?.length, 3);
  });

  it('keeps a sandbox running, and a service for a real network, whose first key builds a transfer that lands', async () => {
    const [startSandbox = '', ping = '', stopSandbox = ''] = sandboxCommands;
    const [start = '', doctor = '', createKey = '', stop = ''] = serviceCommands;
    await run(startSandbox);
    await untilReady(`http://127.0.0.1:${ports.sandbox}/readyz`, { logs: () => podman('logs', 'sandbox') });
    assert.match(await run(ping), /"status":"ready"/);
    const world = await readWorld(`http://127.0.0.1:${ports.sandbox}`);

    await run(start);
    const url = `http://127.0.0.1:${ports.service}`;
    await untilReady(`${url}/readyz`, { logs: () => podman('logs', 'splwright') });
    assert.match(await run(doctor), /^ok +database +It opens/m);
    const key = /swk_[0-9A-Za-z]{39}/.exec(await run(createKey))?.[0];
    assert.ok(key);
    await landTransfer(url, key, world);
    await run(stop);
    assert.equal(await podman('inspect', '--format', '{{.State.ExitCode}}', 'splwright'), '0');
    await run(stopSandbox);
  });
});
