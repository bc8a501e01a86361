import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { Connection } from '@solana/web3.js';
import { wallets } from '../../test/setup/wallets.ts';

/** The part of `/sandbox/world` that a transfer needs. */
export interface World {
  rpc_url: string;
  wallets: readonly [{ address: string; secret_key: string }, { address: string }];
  mints: readonly [{ address: string }];
}

/** Reads the wallets and mints of the sandbox behind a service. */
export async function readWorld(serviceUrl: string): Promise<World & { api_key: string }> {
  const response = await fetch(`${serviceUrl}/sandbox/world`);
  return JSON.parse(await response.text());
}

/** The body of a request for a small transfer between two wallets of the sandbox. */
export function transferBody(world: World): object {
  const [alice, bob] = world.wallets;
  return {
    from_address: alice.address,
    to_address: bob.address,
    token_mint_address: world.mints[0].address,
    amount: '1500',
  };
}

/** Has a transfer built by the service, signs it by a library that is not ours, submits it, and resolves once it is confirmed. */
export async function landTransfer(serviceUrl: string, apiKey: string, world: World): Promise<void> {
  const response = await fetch(`${serviceUrl}/v1/transfers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(transferBody(world)),
  });
  const reply: { data: { transaction: string } } = JSON.parse(await response.text());
  assert.equal(response.status, 200, JSON.stringify(reply));
  const sign = wallets['web3.js VersionedTransaction'];
  assert.ok(sign);
  const signed = await sign(Buffer.from(reply.data.transaction, 'base64'), world.wallets[0].secret_key);
  const connection = new Connection(world.rpc_url, 'confirmed');
  const signature = await connection.sendRawTransaction(signed);
  const giveUpAt = performance.now() + 20_000;
  for (;;) {
    const { value } = await connection.getSignatureStatus(signature);
    if (value?.err) throw new Error(`the transfer failed: ${JSON.stringify(value.err)}`);
    if (value?.confirmationStatus === 'confirmed' || value?.confirmationStatus === 'finalized') return;
    if (performance.now() > giveUpAt) throw new Error('the transfer is not confirmed');
    await setTimeout(50);
  }
}
