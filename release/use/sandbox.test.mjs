// A stranger's test with the sandbox as its node.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createSolanaRpc, lamports } from '@solana/kit';
import { startSandbox } from 'splwright-sandbox';

const sandbox = await startSandbox();
after(() => sandbox.close());

test('a wallet of the world gets lamports', async () => {
  const rpc = createSolanaRpc(sandbox.rpcUrl);
  const [, , , dave] = sandbox.world.wallets;
  await rpc.requestAirdrop(dave.address, lamports(1_000_000n)).send();
  const { value } = await rpc.getBalance(dave.address, { commitment: 'confirmed' }).send();
  assert.equal(value, 1_000_000n);
});

test('a mint with a transfer fee is there', async () => {
  const taxed = sandbox.world.mints.find(({ name }) => name === 'TAXED');
  const { value } = await createSolanaRpc(sandbox.rpcUrl)
    .getAccountInfo(taxed.address, { encoding: 'jsonParsed', commitment: 'confirmed' })
    .send();
  assert.match(
    JSON.stringify(value.data.parsed, (_, each) => (typeof each === 'bigint' ? String(each) : each)),
    /transferFeeConfig/,
  );
});
