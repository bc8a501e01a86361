import assert from 'node:assert/strict';
import { address } from '@solana/kit';
import { decodeToken } from '@solana-program/token-2022';
import type { Sandbox } from '../../../packages/sandbox/src/index.ts';
import { named, signWith } from '../../setup/wallets.ts';

/** More slots than it takes for a transaction to be dead, however a wallet changed it, and for that to be final. */
export const slotsUntilDead = 400;

/** Signs the base64 transaction of a reply as alice, and sends it. */
export async function land({ world, ledger }: Sandbox, transaction: string) {
  const { secret_key: secretKey } = named(world.wallets, 'alice');
  return ledger.sendTransaction(await signWith(Buffer.from(transaction, 'base64'), [secretKey]));
}

/** The base units in a token account. */
export function tokensOf({ ledger }: Sandbox, tokenAccount: string): bigint {
  const account = ledger.getAccount(address(tokenAccount));
  assert.ok(account);
  return decodeToken(account).data.amount;
}
