import type { Address } from '@solana/kit';
import { findAssociatedTokenPda } from '@solana-program/token-2022';
import type { Ledger } from '../../src/sandbox/index.ts';
import { type Keypair, keypairFromName } from '../../src/sandbox/keypair.ts';
import { nonceData } from './account-data.ts';
import {
  foreignProgram,
  mintAddressOf,
  nameIn,
  offCurveAddressOf,
  systemProgram,
  tokenProgramOf,
} from './addresses.ts';
import { account, clearAccount, creationRentOf } from './token-account.ts';
import { lamportLevels, type World } from './world.ts';
import { writeMint } from './write-mint.ts';
import { recipientAddressOf, writeRecipientTokenAccount, writeRecipientWallet } from './write-recipient.ts';
import { writeSenderTokenAccount } from './write-sender.ts';

/** A world on a ledger: where everything is. */
export interface Situation {
  world: World;
  /** Whose signature the transaction takes; that of another wallet when the sender's address has no key. */
  signer: Keypair;
  sender: Address;
  recipient: Address;
  mint: Address;
  tokenProgram: Address;
  decimals: number;
  senderTokenAccount: Address;
  recipientTokenAccount: Address;
}

/** What a transaction with one signature costs, in lamports. */
const signatureFee = 5_000n;

/** Writes a world's accounts to a ledger. */
export async function situate(ledger: Ledger, world: World): Promise<Situation> {
  const signer = keypairFromName(nameIn(world, 'sender'));
  const sender = world.senderWallet === 'off_curve' ? await offCurveAddressOf(world, 'sender') : signer.address;
  const tokenProgram = tokenProgramOf(world.mint);
  const mint = mintAddressOf(world);
  const [senderTokenAccount] = await findAssociatedTokenPda({ owner: sender, mint, tokenProgram });
  const recipient = await recipientAddressOf(world, { sender, mint, senderTokenAccount });
  const [recipientTokenAccount] = await findAssociatedTokenPda({ owner: recipient, mint, tokenProgram });
  const decimals = world.mint.kind === 'native' ? 9 : world.mint.kind === 'oddity' ? 0 : world.mint.decimals;
  const situation: Situation = {
    world,
    signer,
    sender,
    recipient,
    mint,
    tokenProgram,
    decimals,
    senderTokenAccount,
    recipientTokenAccount,
  };
  await writeMint(ledger, situation);
  writeRecipientWallet(ledger, situation);
  if (recipient !== sender) writeRecipientTokenAccount(ledger, situation);
  writeSenderTokenAccount(ledger, situation);
  writeSenderWallet(ledger, situation);
  return situation;
}

function writeSenderWallet(
  ledger: Ledger,
  { world, sender, mint, tokenProgram, recipientTokenAccount }: Situation,
): void {
  const data = senderData(world, mint);
  const existing = ledger.getAccount(recipientTokenAccount);
  const missingRent = creationRentOf(ledger, world.mint, tokenProgram) - (existing?.lamports ?? 0n);
  const creates = world.operation === 'create_transfer' && existing?.programAddress !== tokenProgram;
  const balance = lamportLevels[world.lamports]({
    fee: signatureFee,
    rent: creates && missingRent > 0n ? missingRent : 0n,
    minimum: ledger.minimumBalanceForRentExemption(BigInt(data.length)),
  });
  if (balance === 0n) clearAccount(ledger, sender);
  else {
    const owner = world.senderWallet === 'foreign_program' ? foreignProgram : systemProgram;
    ledger.setAccount(account(sender, owner, balance, data));
  }
}

function senderData(world: World, authority: Address): Uint8Array {
  if (world.senderWallet === 'nonce') return nonceData(authority);
  return new Uint8Array(world.senderWallet === 'system_with_data' ? 16 : 0);
}
