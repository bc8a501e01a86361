import { type Address, lamports } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { findAssociatedTokenPda, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { fixedAddress, systemProgram } from './addresses.ts';
import { encodeMint } from './mint-account.ts';
import { account, writeTokenAccount } from './token-account.ts';
import { type MintWorld, plainWorld } from './world.ts';

/** A token that no world draws as its own. */
export interface OtherToken {
  mint: Address;
  tokenProgram: Address;
  mintWorld: Extract<MintWorld, { kind: 'classic' | 'token_2022' }>;
}

const fee = { basisPoints: 30, maximumFee: 5n };

/** The other tokens: of both token programs, with few decimals and with many, and one that withholds fees. */
export const otherTokens: readonly [OtherToken, ...OtherToken[]] = [
  { mint: fixedAddress('other 1'), tokenProgram: TOKEN_PROGRAM_ADDRESS, mintWorld: { kind: 'classic', decimals: 6 } },
  { mint: fixedAddress('other 2'), tokenProgram: TOKEN_PROGRAM_ADDRESS, mintWorld: { kind: 'classic', decimals: 0 } },
  of2022('other 3', { kind: 'token_2022', decimals: 9, extensions: [] }),
  of2022('other 4', {
    kind: 'token_2022',
    decimals: 2,
    extensions: [{ kind: 'transfer_fee', older: fee, newer: fee, newerCounts: 'later' }],
  }),
];

/** Stands for SOL where a mint is named. */
export const sol = 'SOL' as Address;

/** The tokens that links accept besides that of their world. SOL is in the wallets themselves. */
export const linkTokens: readonly OtherToken[] = [
  ...otherTokens,
  { mint: sol, tokenProgram: systemProgram, mintWorld: { kind: 'classic', decimals: 9 } },
];

/** The first of them. */
export const [otherToken] = otherTokens;

function of2022(name: string, mintWorld: OtherToken['mintWorld']): OtherToken {
  return { mint: fixedAddress(name), tokenProgram: TOKEN_2022_PROGRAM_ADDRESS, mintWorld };
}

/** Writes the mints of the other tokens. */
export function writeOtherMints(ledger: Ledger): void {
  for (const { mint, tokenProgram, mintWorld } of otherTokens) {
    const extensions = mintWorld.kind === 'token_2022' ? mintWorld.extensions : [];
    const data = encodeMint(plainWorld, mintWorld.decimals, extensions, 0n);
    ledger.setAccount(account(mint, tokenProgram, lamports(10_000_000n), data));
  }
}

/** The associated account of a wallet for one of these tokens; of SOL the wallet itself. */
export async function otherAccountOf({ mint, tokenProgram }: OtherToken, owner: Address): Promise<Address> {
  if (mint === sol) return owner;
  const [found] = await findAssociatedTokenPda({ owner, mint, tokenProgram });
  return found;
}

/** Writes that account; returns its address. */
export async function writeOtherAccount(
  ledger: Ledger,
  token: OtherToken,
  owner: Address,
  amount: bigint,
  frozen = false,
): Promise<Address> {
  const found = await otherAccountOf(token, owner);
  writeTokenAccount(ledger, { ...token, address: found, owner, amount, frozen });
  return found;
}
