import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { address, getBase58Encoder } from '@solana/kit';
import { Keypair } from '@solana/web3.js';
import { tokenProgram } from '../../../packages/core/src/addresses/programs.ts';
import { findAssociatedTokenAddress, readU64, toAddress } from '../../../packages/core/src/index.ts';
import { runCommand, startServer } from '../../setup/process.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { named, peopleOf } from '../../setup/wallets.ts';
import { blocksOf, openShell } from './document-shell.ts';

const mainnet = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const tokenAccountOf = (owner: string, mint: string) =>
  address(findAssociatedTokenAddress({ owner: toAddress(owner), tokenProgram, mint: toAddress(mint) }).address);

/** A sandbox that says it is mainnet, with the real mint of USDC, and a new wallet that has some, and SOL. */
async function startMainnetDouble(t: Parameters<typeof startTestSandbox>[0]) {
  const { ledger, rpcUrl, world } = await startTestSandbox(t);
  Object.assign(ledger, { genesisHash: mainnet });
  const accountAt = (place: string) => {
    const found = ledger.getAccount(address(place));
    if (!found) throw new Error(`no account at ${place}`);
    return found;
  };
  const payer = Keypair.generate();
  const payerAddress = payer.publicKey.toBase58();
  const { alice, bob } = peopleOf(world);
  const sandboxUsdc = named(world.mints, 'USDC').address;
  const encode = getBase58Encoder();
  ledger.setAccount({ ...accountAt(sandboxUsdc), address: address(usdc) });
  const held = accountAt(tokenAccountOf(alice.address, sandboxUsdc));
  const data = Uint8Array.from([...encode.encode(usdc), ...encode.encode(payerAddress), ...held.data.slice(64)]);
  ledger.setAccount({ ...held, address: tokenAccountOf(payerAddress, usdc), data });
  ledger.airdrop(address(payerAddress), 1_000_000_000n);
  return {
    rpcUrl,
    secretKey: payer.secretKey,
    recipient: bob.address,
    received: () => readU64(Uint8Array.from(accountAt(tokenAccountOf(bob.address, usdc)).data), 64),
  };
}

test('From nothing to a final payment on a node that says it is mainnet, with a key in a file, takes four commands of docs/go-live.md', async (t) => {
  const { rpcUrl, secretKey, recipient, received } = await startMainnetDouble(t);
  const environment = { SOLANA_RPC_URLS: rpcUrl };
  const shell = openShell(t, environment, { 'https://first.example': rpcUrl });
  const keypairFile = join(shell.folder, 'payer.json');
  writeFileSync(keypairFile, JSON.stringify([...secretKey]), { mode: 0o600 });
  const [, createKey = ''] = blocksOf('docs/go-live.md', 'sh');

  assert.match(await shell.run('npm run --silent doctor'), /mainnet/);
  const [apiKey = ''] = /swk_\w+/.exec(await shell.run(createKey)) ?? [];
  const free = { ...environment, PORT: '0', METRICS_PORT: '0', DATABASE_URL: '' };
  const service = await startServer('npm start', free, shell.folder);
  t.after(() => service.stop());
  const pay = (order: string) =>
    runCommand(`npx node examples/pay-once.ts ${order}`, {
      SPLWRIGHT_URL: service.url,
      SPLWRIGHT_API_KEY: apiKey,
      SOLANA_RPC_URL: rpcUrl,
      KEYPAIR_FILE: keypairFile,
      TO_ADDRESS: recipient,
      TOKEN_MINT_ADDRESS: usdc,
    });
  const [first, again] = [await pay('order-1'), await pay('order-1')];
  assert.equal(first.status, 0, first.stderr);
  assert.deepEqual([again.status, again.stdout], [0, first.stdout]);
  assert.equal(received(), 1_500_000n);
});
