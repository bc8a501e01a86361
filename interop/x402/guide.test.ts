import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { address, createSolanaRpc } from '@solana/kit';
import { repository, runCommand } from '../../test/setup/process.ts';
import { startTestService } from '../../test/setup/service.ts';
import { walletOf } from './payment.ts';
import { startShop } from './shop.ts';

const document = readFileSync(join(repository, 'docs/x402.md'), 'utf8');
const [, command = ''] = /^```sh\n(.*)\n```$/m.exec(document) ?? [];

test('docs/x402.md has a command that pays a shop of the x402 packages for its report', async (t) => {
  const service = await startTestService(t);
  const { rpcUrl, world } = service.sandbox;
  const rpc = createSolanaRpc(rpcUrl);
  const [bob, carol] = [walletOf(service.sandbox, 'bob'), walletOf(service.sandbox, 'carol')];
  const asset = world.mints[0]?.address ?? '';
  const network = `solana:${(await rpc.getGenesisHash().send()).slice(0, 32)}` as const;
  const sale = { network, rpcUrl, facilitatorKey: carol.secretKey, payTo: bob.address };
  const received = async (): Promise<bigint> => {
    const config = { encoding: 'jsonParsed', commitment: 'confirmed' } as const;
    const { value } = await rpc.getTokenAccountsByOwner(address(bob.address), { mint: address(asset) }, config).send();
    return BigInt(value[0]?.account.data.parsed.info.tokenAmount.amount ?? 0);
  };

  const shop = await startShop(t, { ...sale, price: { asset, amount: '1250000' } });
  const before = await received();
  const run = (origin: string) =>
    runCommand(command.replace('http://127.0.0.1:4021', origin), { SPLWRIGHT_URL: service.url });
  const { status, stdout, stderr } = await run(shop);
  assert.equal(status, 0, stderr);
  assert.equal(stdout.trim(), '200 {"report":"All is well."}');
  assert.equal((await received()) - before, 1_250_000n);

  const expensive = await startShop(t, { ...sale, price: { asset, amount: '2000001' } });
  const refused = await run(expensive);
  assert.notEqual(refused.status, 0);
  assert.match(refused.stderr, /no offer to pay at most 2000000/);
  assert.equal((await received()) - before, 1_250_000n);
});
