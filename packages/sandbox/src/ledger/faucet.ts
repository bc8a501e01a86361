import { type Address, address, createNoopSigner, type EncodedAccount, lamports } from '@solana/kit';
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import type { RecentBlockhash } from './blockhash-queue.ts';
import { keypairFromName } from './keypair.ts';
import { signedTransaction } from './signed-transaction.ts';

const computeBudgetProgram = address('ComputeBudget111111111111111111111111111111');
const setComputeUnitLimit = 2;

/** Compute units that an airdrop needs, amply. */
const airdropComputeUnits = 10_000;

/** A billion SOL, all that there is: enough for every test, and far from 2^64 lamports. */
const faucetLamports = 1_000_000_000_000_000_000n;

/** Signs for the faucet, which also pays for and may mint everything in the sandbox's world. */
export const faucet = keypairFromName('splwright sandbox faucet');

/** The faucet's account at the start. */
export const faucetAccount: EncodedAccount = {
  address: faucet.address,
  lamports: lamports(faucetLamports),
  data: new Uint8Array(),
  space: 0n,
  executable: false,
  programAddress: SYSTEM_PROGRAM_ADDRESS,
};

/**
 * Builds the signed transaction of an airdrop. The ordinal makes two equal ones within a blockhash distinct: it is
 * hidden in the compute unit limit, which costs nothing.
 */
export function buildAirdrop(
  recipient: Address,
  amount: bigint,
  lifetime: RecentBlockhash,
  ordinal: number,
): Uint8Array {
  const limit = Buffer.alloc(5);
  limit.writeUInt8(setComputeUnitLimit);
  limit.writeUInt32LE(airdropComputeUnits + ordinal, 1);
  const transfer = getTransferSolInstruction({
    source: createNoopSigner(faucet.address),
    destination: recipient,
    amount,
  });
  return signedTransaction([{ programAddress: computeBudgetProgram, data: limit }, transfer], [faucet], lifetime);
}
