import type { Address } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS as tokenProgram } from '@solana-program/token';
import { findAssociatedTokenPda, getMintEncoder } from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { fixedAddress, issuer } from './addresses.ts';
import { account, writeTokenAccount } from './token-account.ts';

/** A mint that no world draws: of the classic program. */
export const otherMint = fixedAddress('another mint');
/** Its decimals. */
export const otherDecimals = 6;

/** Writes the other mint. */
export function writeOtherMint(ledger: Ledger): void {
  const data = getMintEncoder().encode({
    mintAuthority: issuer,
    supply: 2n ** 60n,
    decimals: otherDecimals,
    isInitialized: true,
    freezeAuthority: null,
    extensions: null,
  });
  ledger.setAccount(account(otherMint, tokenProgram, 10_000_000n, Uint8Array.from(data)));
}

/** Writes the associated account of a wallet for the other mint; returns its address. */
export async function writeOtherAccount(
  ledger: Ledger,
  owner: Address,
  amount: bigint,
  frozen = false,
): Promise<Address> {
  const mintWorld = { kind: 'classic', decimals: otherDecimals } as const;
  const [found] = await findAssociatedTokenPda({ owner, mint: otherMint, tokenProgram });
  writeTokenAccount(ledger, { address: found, tokenProgram, mint: otherMint, mintWorld, owner, amount, frozen });
  return found;
}
