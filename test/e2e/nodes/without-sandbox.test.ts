import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { startSandbox } from '../../../packages/sandbox/src/index.ts';
import { repository, runCommand, startServer } from '../../setup/process.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

/** The packages of ours by the folders that they are in. */
const packageNames: Readonly<Record<string, string>> = {
  core: 'splwright-core',
  sandbox: 'splwright-sandbox',
  server: 'splwright',
};

/**
 * Installs packages of ours in a folder of their own: copies of them, and links to the dependencies that their manifests
 * name, to nothing else. Returns the command that runs `splwright` there.
 */
function install(t: TestContext, packages: readonly string[]): { folder: string; splwright: string } {
  const folder = temporaryFolder(t);
  const link = (target: string, name: string): void => {
    const path = join(folder, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  };
  for (const name of packages) {
    const copy = join(folder, 'packages', name);
    cpSync(join(repository, 'packages', name), copy, {
      recursive: true,
      filter: (path) => !path.includes('node_modules') && !path.endsWith('/test'),
    });
    link(copy, packageNames[name] ?? name);
  }
  for (const name of new Set(packages.flatMap(dependenciesOf))) link(join(repository, 'node_modules', name), name);
  return { folder, splwright: `'${process.execPath}' '${folder}/packages/server/bin/splwright.js'` };
}

function dependenciesOf(folder: string): string[] {
  const manifest: { dependencies?: object } = JSON.parse(
    readFileSync(join(repository, 'packages', folder, 'package.json'), 'utf8'),
  );
  const ours = new Set(Object.values(packageNames));
  return Object.keys(manifest.dependencies ?? {}).filter((name) => !ours.has(name));
}

const freePorts = { PORT: '0', SANDBOX_RPC_PORT: '0', METRICS_PORT: '0' };

describe('the server without the sandbox', () => {
  it('builds a transfer on a real network', async (t) => {
    const network = await startSandbox({ rpcPort: 0 });
    t.after(() => network.close());
    const { folder, splwright } = install(t, ['core', 'server']);
    const environment = {
      ...freePorts,
      SOLANA_RPC_URLS: network.rpcUrl,
      DATABASE_URL: `sqlite:${folder}/keys.db`,
    };
    const created = await runCommand(`${splwright} keys create --name test --json`, environment);
    const { key }: { key: string } = JSON.parse(created.stdout);

    const server = await startServer(`exec ${splwright} serve`, environment);
    t.after(() => server.stop());
    const [alice, bob] = network.world.wallets;
    const response = await fetch(`${server.url}/v1/create-token-account-transfer`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        from_address: alice?.address,
        to_address: bob?.address,
        token_mint_address: network.world.mints[0]?.address,
        amount: '1',
      }),
    });
    assert.equal(response.status, 200, await response.text());
  });

  it('says in one sentence what to set or to install, with status 78', async (t) => {
    const { folder, splwright } = install(t, ['core', 'server']);
    const environment = { ...freePorts, SOLANA_RPC_URLS: '', DATABASE_URL: `sqlite:${folder}/keys.db` };
    const sentence =
      'SOLANA_RPC_URLS is not set and the sandbox is not installed: set SOLANA_RPC_URLS to a Solana RPC endpoint, ' +
      'or install the package splwright-sandbox, as npm ci does without --omit=optional.\n';
    for (const workers of ['1', '2']) {
      const ended = await runCommand(`${splwright} serve`, { ...environment, WORKERS: workers });
      assert.deepEqual(ended, { status: 78, stdout: '', stderr: sentence }, `with WORKERS=${workers}`);
    }
  });

  it('says the same where only a part of the sandbox is missing', async (t) => {
    const { folder, splwright } = install(t, ['core', 'sandbox', 'server']);
    const environment = { ...freePorts, SOLANA_RPC_URLS: '', DATABASE_URL: `sqlite:${folder}/keys.db` };
    const liteSvm = join(folder, 'node_modules/litesvm');
    rmSync(liteSvm);
    const withoutLiteSvm = await runCommand(`${splwright} serve`, environment);
    // Without its native library, which is a package of its own next to it.
    cpSync(join(repository, 'node_modules/litesvm'), liteSvm, { recursive: true });
    const withoutLibrary = await runCommand(`${splwright} serve`, environment);
    for (const { status, stdout, stderr } of [withoutLiteSvm, withoutLibrary]) {
      assert.deepEqual([status, stdout], [78, '']);
      assert.match(stderr, /^SOLANA_RPC_URLS is not set and the sandbox is not installed: [^\n]+\n$/);
    }
  });

  it('has no demo, and the demo says so in one sentence, with status 78', async (t) => {
    const { splwright } = install(t, ['core', 'server']);
    // A port on which no service listens.
    const ended = await runCommand(`${splwright} demo`, { HOST: '127.0.0.1', PORT: '1' });
    assert.deepEqual(ended, {
      status: 78,
      stdout: '',
      stderr:
        'The demo runs on the sandbox, which is not installed: install the package splwright-sandbox, ' +
        'as npm ci does without --omit=optional.\n',
    });
  });
});
