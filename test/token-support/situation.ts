import type { Address } from '@solana/kit';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { type Keypair, keypairFromName } from '../../packages/sandbox/src/ledger/keypair.ts';
import type { OwnedTokenAccount } from '../setup/token-account-states.ts';
import { associatedTokenAccountOf, createTokenAccounts } from '../setup/token-accounts.ts';
import type { TokenMintKind } from '../setup/token-mint-kinds.ts';
import { createTokenMint, finishTokenMint, type TokenMint } from '../setup/token-mints.ts';
import { setLamports } from '../setup/token-wallets.ts';

/** The three operations of the service. */
export const operations = ['memo', 'yid', 'create'] as const;

/** One of the three operations of the service. */
export type Operation = (typeof operations)[number];

/** What a transfer takes of its sender, in lamports. */
export interface Costs {
  fee: bigint;
  /** What a wallet must be left with, if not nothing. */
  minimum: bigint;
  /** 0 for an operation that creates nothing. */
  rent: bigint;
}

/** What is unusual about a situation; the rest is a transfer that lands. */
export interface SituationPlan {
  kind: TokenMintKind;
  /** Base units; 1,000 unless told otherwise. */
  amount?: bigint;
  /** The text of memo and yid; a short one unless told otherwise. */
  memo?: string;
  /** What the sender's token account holds, in base units; `none` for no token account. A million unless told otherwise. */
  senderTokens?: bigint | 'none';
  /** A SOL unless told otherwise. */
  senderLamports?: (costs: Costs) => bigint;
  /** Bytes of a new token account, for its rent; 165 unless told otherwise. */
  newAccountLength?: bigint;
  /** Whether the recipient has a token account; unless told otherwise, only where the operation does not create it. */
  recipientHasTokenAccount?: boolean;
  /** Another recipient than a wallet, made on the ledger; the name is its own. */
  recipient?: (ledger: Ledger, mint: TokenMint, name: string) => Address | Promise<Address>;
  /** What is done to the sender's token account, which is given with its owner. */
  changeSender?: (account: OwnedTokenAccount, stranger: Keypair) => void;
  /** What is done to the recipient's token account, or its address, which is given with its owner. */
  changeRecipient?: (account: OwnedTokenAccount, stranger: Keypair) => void;
  /** What is done to the sender's wallet at the very end. */
  changeSenderWallet?: (ledger: Ledger, wallet: Address) => void;
}

/** A transfer to ask for, all of whose accounts are on the ledger. */
export interface Situation {
  mint: TokenMint;
  sender: Keypair;
  recipient: Address;
  senderTokenAccount: Address;
  recipientTokenAccount: Address;
  amount: bigint;
  /** For the operations that have one. */
  memo: string;
}

const networkFee = 5000n;
const oneSol = 1_000_000_000n;

/** Makes a situation on a ledger; everything in it is named after `name`, which must be new there. */
export async function arrange(
  ledger: Ledger,
  plan: SituationPlan,
  operation: Operation,
  name: string,
): Promise<Situation> {
  const { kind, amount = 1000n, senderTokens = 1_000_000n, memo = 'invoice 17' } = plan;
  const mint = await createTokenMint(ledger, kind, name);
  const sender = keypairFromName(`sender ${name}`);
  const stranger = keypairFromName(`stranger ${name}`);
  const wallet = keypairFromName(`recipient ${name}`);
  const recipient = plan.recipient ? await plan.recipient(ledger, mint, name) : wallet.address;

  const holders: { owner: Address; amount: bigint }[] = [];
  if (senderTokens !== 'none') holders.push({ owner: sender.address, amount: senderTokens });
  if (plan.recipientHasTokenAccount ?? operation !== 'create') holders.push({ owner: recipient, amount: 0n });
  if (holders.length > 0) await createTokenAccounts(ledger, mint, holders);
  const senderTokenAccount = await associatedTokenAccountOf(mint, sender.address);
  const recipientTokenAccount = await associatedTokenAccountOf(mint, recipient);
  plan.changeSender?.({ ledger, mint, owner: sender, address: senderTokenAccount }, stranger);
  plan.changeRecipient?.({ ledger, mint, owner: wallet, address: recipientTokenAccount }, stranger);

  await finishTokenMint(ledger, mint);
  const costs = {
    fee: networkFee,
    minimum: ledger.minimumBalanceForRentExemption(0n),
    rent: operation === 'create' ? ledger.minimumBalanceForRentExemption(plan.newAccountLength ?? 165n) : 0n,
  };
  setLamports(ledger, sender.address, plan.senderLamports?.(costs) ?? oneSol);
  plan.changeSenderWallet?.(ledger, sender.address);
  return { mint, sender, recipient, senderTokenAccount, recipientTokenAccount, amount, memo };
}
