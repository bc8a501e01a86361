import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { repository, runCommand } from '../../setup/process.ts';
import { startTestService } from '../../setup/service.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

it('the TypeScript of the reference signs with a keypair file and lands what it builds, once', async (t) => {
  const { url, sandbox } = await startTestService(t);
  const folder = temporaryFolder(t);
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  const document = Object(await (await fetch(`${url}/openapi.json`)).json());
  for (const path of ['/v1/transfers', '/v1/transfers/batch']) {
    const [{ source }] = document.paths[path].post['x-codeSamples'];
    writeFileSync(join(folder, 'pay.ts'), source);
    const environment = {
      SPLWRIGHT_URL: url,
      SPLWRIGHT_API_KEY: sandboxApiKey,
      SOLANA_RPC_URL: sandbox.rpcUrl,
      KEYPAIR_FILE: join(repository, 'examples/sandbox-keypair.json'),
    };
    const pay = () => runCommand(`${process.execPath} pay.ts order-1`, environment, folder);
    const { status, stdout, stderr } = await pay();
    assert.equal(status, 0, stderr);
    const [signature = ''] = stdout.trim().split('\n');
    const landed = sandbox.ledger.transactionRecordsOf(sandbox.world.wallets[0]?.address ?? '');
    assert.ok(
      landed.some((each) => each.signature === signature && each.error === null),
      stdout,
    );
    await pay();
    const after = sandbox.ledger.transactionRecordsOf(sandbox.world.wallets[0]?.address ?? '');
    assert.equal(after.length, landed.length);
  }
});
