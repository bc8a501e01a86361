import type { TransactionVersion } from '../../packages/core/src/transaction/encode-transaction.ts';
import type { LamportLevel } from './world.ts';

/** What a world's request asks for beyond the transfer; nothing where a member is absent. */
export interface OptionsWorld {
  feePayer?: { wallet: FeePayerWallet; lamports: LamportLevel };
  priorityFee?: PriorityFeeWorld;
  nonceAccount?: NonceWorld;
  transactionVersion?: TransactionVersion;
  references?: readonly ReferenceWorld[];
  /** The field in which the create operation is given the world's memo. */
  memoField?: 'memo' | 'yid';
  allowOffCurveRecipient?: boolean;
  checks?: 'full' | 'none';
}

/** What the address given as fee payer is. */
export type FeePayerWallet =
  | 'wallet'
  | 'sender'
  | 'recipient'
  | 'foreign_program'
  | 'system_with_data'
  | 'nonce'
  | 'off_curve';

/** A priority fee: a level over recent prices, a price in micro-lamports, or the price at or just above the maximum. */
export type PriorityFeeWorld =
  | { kind: 'none' }
  | { kind: 'level'; level: 'low' | 'medium' | 'high'; recentPrices: readonly bigint[] }
  | { kind: 'price'; price: bigint }
  | { kind: 'at_maximum'; above: bigint };

/** The nonce account, and whether the transaction is sent only when every blockhash of its time has expired. */
export interface NonceWorld {
  state: NonceState;
  sentLate: boolean;
}

/** What the address given as nonce account is. */
export type NonceState = (typeof usableNonceStates)[number] | (typeof unusableNonceStates)[number];
/** Nonce accounts that can be used, by their authority. */
export const usableNonceStates = ['of_sender', 'of_fee_payer', 'of_another'] as const;
/** Everything that cannot be used as a nonce account. */
export const unusableNonceStates = [
  'missing',
  'wallet',
  'foreign_program',
  'too_long',
  'uninitialized',
  'old_version',
  'of_a_vault',
  'sender',
  'fee_payer',
  'recipient',
] as const;

/** What an address given as reference is. */
export type ReferenceWorld = (typeof freshReferences)[number] | (typeof knownReferences)[number];
/** References that nothing else in the transaction has. */
export const freshReferences = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
/** References that are in the transaction, or could be, without them. */
export const knownReferences = [
  'sender',
  'recipient',
  'fee_payer',
  'mint',
  'memo_program',
  'system_program',
  'nonce_account',
  'nonce_authority',
  'sender_token_account',
  'recipient_token_account',
  'token_program',
] as const;
