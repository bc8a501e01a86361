import type { Address, Instruction } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getMintToInstruction,
  getSyncNativeInstruction,
  getThawAccountInstruction,
} from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { writeTokenAccount } from './token-account-data.ts';
import type { TokenMint } from './token-mints.ts';
import { issuer, runSetup } from './token-setup-transaction.ts';

/** The associated token account of a wallet, by the library's derivation. */
export async function associatedTokenAccountOf(mint: TokenMint, owner: Address): Promise<Address> {
  const [found] = await findAssociatedTokenPda({ owner, mint: mint.address, tokenProgram: mint.tokenProgram });
  return found;
}

/** A wallet that is to have a token account, and what is to be in it, in base units. */
interface Holder {
  owner: Address;
  amount: bigint;
}

/** Makes wallets' associated token accounts, thawed, with what is to be in them. */
export async function createTokenAccounts(ledger: Ledger, mint: TokenMint, holders: readonly Holder[]): Promise<void> {
  const { tokenProgram } = mint;
  const instructions: Instruction[] = [];
  for (const { owner, amount } of holders) {
    const token = await associatedTokenAccountOf(mint, owner);
    const creation = { payer: issuer, ata: token, owner, mint: mint.address, tokenProgram };
    instructions.push(getCreateAssociatedTokenIdempotentInstruction(creation));
    if (mint.freezesNewAccounts) {
      const thawing = { account: token, mint: mint.address, owner: issuer };
      instructions.push(getThawAccountInstruction(thawing, { programAddress: tokenProgram }));
    }
    if (amount > 0n && !mint.refusesMinting) instructions.push(...filling(mint, token, amount));
  }
  runSetup(ledger, instructions);
  if (!mint.refusesMinting) return;
  for (const { owner, amount } of holders) {
    writeTokenAccount(ledger, await associatedTokenAccountOf(mint, owner), (account) => ({ ...account, amount }));
  }
}

function filling(mint: TokenMint, token: Address, amount: bigint): Instruction[] {
  const program = { programAddress: mint.tokenProgram };
  if (mint.nativeMint === undefined) {
    return [getMintToInstruction({ mint: mint.address, token, mintAuthority: issuer, amount }, program)];
  }
  return [
    getTransferSolInstruction({ source: issuer, destination: token, amount }),
    getSyncNativeInstruction({ account: token }, program),
  ];
}
