import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { packTarball } from '../../../release/pack-tarball.ts';
import { packages, repository } from '../../../release/packages.ts';
import { stagePackage } from '../../../release/stage-package.ts';
import { runCommand } from '../../setup/process.ts';
import { startTestService } from '../../setup/service.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

// As `npm run pack` makes them. What the other two depend on npm would load from the network: release/ installs those.
it('the tarballs of the client and the core install without a network, and a program builds with them', async (t) => {
  const { url } = await startTestService(t);
  const folder = temporaryFolder(t);
  const run = async (command: string): Promise<string> => {
    const { status, stdout, stderr } = await runCommand(command, { NODE_TEST_CONTEXT: '' }, folder);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  // Where the types of Node are above it.
  mkdirSync(join(repository, 'build'), { recursive: true });
  const stage = mkdtempSync(join(repository, 'build/test-'));
  t.after(() => rmSync(stage, { recursive: true }));
  const tarballs = packages
    .filter((each) => ['core', 'client'].includes(each.folder))
    .map((each) => packTarball(stagePackage(each, stage, '0.0.0', { noCheck: true }), folder));
  await run(
    `npm init --yes && npm install --offline --no-audit --no-fund ${tarballs.map((name) => `./${name}`).join(' ')}`,
  );
  assert.deepEqual(
    readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['splwright-client', 'splwright-core'],
  );
  writeFileSync(
    join(folder, 'build.mjs'),
    `import { SplwrightClient } from 'splwright-client';
    import { toAddress } from 'splwright-core';
    const { api_key: apiKey, wallets: [alice, bob], mints: [usdc] } = await (await fetch('${url}/sandbox/world')).json();
    const payment = { from_address: alice.address, to_address: toAddress(bob.address), token_mint_address: usdc.address, amount: 7n };
    const { verified } = await new SplwrightClient({ url: '${url}', apiKey }).buildTransfer(payment);
    console.log(verified.sentence);`,
  );
  assert.match(await run(`${process.execPath} build.mjs`), /0\.000007/);
});
