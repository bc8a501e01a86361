import { type Address, lamports } from '@solana/kit';
import { findAssociatedTokenPda } from '@solana-program/token-2022';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { type Keypair, keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { nameIn, systemProgram } from '../addresses.ts';
import type { Situation } from '../situation.ts';
import { account, writeTokenAccount } from '../token-account.ts';
import type { PayerName } from './link-world.ts';

/** A wallet that may pay a link. */
export interface Payer {
  name: PayerName;
  keypair: Keypair;
  tokenAccount: Address;
}

const tenSol = 10_000_000_000n;
const plenty = 2n ** 40n;

/** Writes the wallets of payers and what they have of the mint. `least` is what the cheaper link asks for. */
export async function writePayers(
  ledger: Ledger,
  situation: Situation,
  least: bigint,
): Promise<ReadonlyMap<PayerName, Payer>> {
  const { world, mint, tokenProgram } = situation;
  const payers = new Map<PayerName, Payer>();
  const holdings: Readonly<Record<PayerName, bigint | undefined>> = {
    rich: plenty,
    second: plenty,
    poor: least - 1n,
    without_account: undefined,
    without_lamports: plenty,
  };
  for (const name of Object.keys(holdings) as PayerName[]) {
    const keypair = keypairFromName(nameIn(world, `payer ${name}`));
    const owner = keypair.address;
    const [tokenAccount] = await findAssociatedTokenPda({ owner, mint, tokenProgram });
    const amount = holdings[name];
    if (amount !== undefined) {
      const fields = { address: tokenAccount, tokenProgram, mint, mintWorld: world.mint, owner, amount };
      writeTokenAccount(ledger, fields);
    }
    ledger.setAccount(account(owner, systemProgram, lamports(name === 'without_lamports' ? 1n : tenSol)));
    payers.set(name, { name, keypair, tokenAccount });
  }
  return payers;
}

/** What a token account holds, in base units; 0 where there is none. */
export function balanceOf(ledger: Ledger, tokenAccount: Address): bigint {
  const data = ledger.getAccount(tokenAccount)?.data;
  return data && data.length >= 72 ? Buffer.from(data).readBigUInt64LE(64) : 0n;
}
