import type { CheckedBudget } from './check-budget.ts';
import type { Tip } from './expectation.ts';
import type { VerifiedThaw } from './take-thaw.ts';

/** An account that the transfer hook of the mint is handed. */
export interface HookAccount {
  address: string;
  /** Whether the hook may write it. */
  isWritable: boolean;
}

/** One payment that a transaction makes. */
export interface VerifiedPayment {
  recipient: string;
  recipientTokenAccount: string;
  /** Base units. What the mint withholds of them as a fee is not known here. */
  amount: bigint;
  /** Whether the fee payer pays for the token account of the recipient, if there is none. */
  createsTokenAccount: boolean;
  memo: string | undefined;
  references: readonly string[];
  /** Empty unless `allowTransferHook` is set. */
  hookAccounts: readonly HookAccount[];
  /** The thaw of the recipient's token account; never unless `allowThaw` is set. */
  thaw: VerifiedThaw | undefined;
}

/** What a transaction does: all of it. */
export interface VerifiedTransaction extends CheckedBudget {
  version: 'legacy' | 0 | 1;
  /** The SHA-256 of its message in base58, as hardware wallets show it. */
  messageHash: string;
  feePayer: string;
  sender: string;
  senderTokenAccount: string;
  mint: string;
  /** Where SOL is paid, the mint is "SOL", the token program the System program, and the token account of a wallet the wallet itself. */
  tokenProgram: string;
  decimals: number;
  /** What the fee payer pays after all payments; undefined for nothing. */
  tip: Tip | undefined;
  /** Lamports of the sender that are wrapped before all payments. */
  wrapped: bigint;
  /** Whether the sender's token account is closed after them, and its SOL goes back to the sender. */
  unwraps: boolean;
  /** In the order of the transaction. */
  payments: readonly VerifiedPayment[];
  /** What the sender pays the sponsor before that; undefined where it takes nothing. */
  sponsorFee: { recipient: string; mint: string; amount: bigint } | undefined;
  /** The blockhash that it lives by, or the nonce. */
  lifetimeToken: string;
  /** Its authority signs, too: any wallet. */
  nonce: { account: string; authority: string } | undefined;
  /** Who must sign, the fee payer first. */
  signers: readonly string[];
  /** Whose signatures are there already. */
  signed: readonly string[];
  /**
   * What neither the request nor the options say, so that a lie about it is not seen here. With wrong decimals, or the wrong
   * token program, a transaction moves nothing: the chain refuses it.
   */
  unknown: readonly ('decimals' | 'token_program')[];
}

/** A transaction that does exactly what was asked for. */
export interface VerifiedTransfer extends VerifiedTransaction {
  /** What was verified: sign these bytes and no others. */
  transaction: Uint8Array;
  /** What it does, in one sentence. */
  sentence: string;
}
