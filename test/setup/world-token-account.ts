import type { Address } from '@solana/kit';
import { findAssociatedTokenPda, getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token-2022';
import type { Sandbox } from '../../packages/sandbox/src/index.ts';
import { issuer, runSetup } from './token-setup-transaction.ts';
import { named } from './wallets.ts';

/** Makes the token account of a wallet of the sandbox's world, both by name, in a transaction of its own; its address. */
export async function createWorldTokenAccount(
  { ledger, world }: Sandbox,
  wallet: string,
  mint: string,
): Promise<Address> {
  const owner = named(world.wallets, wallet).address;
  const { address, token_program: tokenProgram } = named(world.mints, mint);
  const [token] = await findAssociatedTokenPda({ owner, mint: address, tokenProgram });
  const creation = { payer: issuer, ata: token, owner, mint: address, tokenProgram };
  runSetup(ledger, [getCreateAssociatedTokenIdempotentInstruction(creation)]);
  return token;
}
