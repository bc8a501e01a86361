import { type Address, sol } from '../addresses/address.ts';
import type { RecipientField } from '../findings/finding.ts';
import type { StrictLayout } from '../findings/finding-faults.ts';
import type { TransactionVersion } from '../transaction/encode-transaction.ts';
import type { AskedAmount, NamedAmount } from './amount.ts';
import type { Memo } from './memo.ts';

/** What to pay beyond the network fee: nothing, a level of what others pay now, or a price in micro-lamports per unit. */
export type PriorityFee = { level: 'low' | 'medium' | 'high' } | { microLamportsPerComputeUnit: bigint } | undefined;

/**
 * When the transaction has the instruction that creates a recipient's token account, and does nothing where there is one.
 *
 * `if_missing`: only where there was none when the chain was read.
 */
export type TokenAccountCreation = 'always' | 'if_missing' | 'never';

/** Returns when token accounts are created for payments of a mint: never where SOL is paid. */
export function creationFor(mint: Address | undefined, asked: TokenAccountCreation): TokenAccountCreation {
  return mint === sol ? 'never' : asked;
}

/**
 * Which instructions a transaction has, and in which order: as every wallet reads it, as facilitators of x402 demand, or as
 * servers of the Machine Payments Protocol (MPP) do for the intent "charge".
 */
export type TransferLayout = 'default' | StrictLayout;

/** What a caller may ask for beyond the transfer itself. */
export interface TransferOptions {
  layout: TransferLayout;
  /**
   * Never `if_missing` in the x402 layout, which creates no token account, nor in the MPP layout with a fee payer of its own. In the MPP
   * layout it is about splits: the recipient's is not created.
   */
  createTokenAccount: TokenAccountCreation;
  /** Pays the network fee and the rent; the sender unless the request names another. */
  feePayer: Address;
  version: TransactionVersion;
  priorityFee: PriorityFee;
  /** The durable nonce that takes the place of a blockhash. */
  nonceAccount: Address | undefined;
  /** Addresses that the payment can be found by. */
  references: readonly Address[];
  allowsOffCurveRecipient: boolean;
  /** `none` leaves out what funding or time can change; what is refused for safety is refused all the same. */
  checks: 'full' | 'none';
  /** What the fee payer gets of the sender, in each transaction; absent where it gets nothing. */
  sponsorFee?: SponsorFee | undefined;
}

/** The fee of a sponsor: one more payment of the sender, before all others of its transaction. */
export interface SponsorFee {
  /** The wallet that is paid; the sponsor signs with another one, or with the same. */
  to: Address;
  mint: Address;
  /** Base units, of each transaction; 0 while it is not known. */
  amounts: readonly bigint[];
}

/** A blockhash that the caller chose, such as one that the recipient has observed. */
export interface RecentBlockhash {
  blockhash: string;
  /** As far as the caller knows it; nothing has checked it. */
  lastValidBlockHeight: bigint | undefined;
}

/** One payment of a request, parsed. */
export interface RequestedPayment {
  to: Address;
  /** Base units; or a decimal number of tokens, whose base units depend on the mint. */
  amount: NamedAmount;
  memo: Memo | undefined;
  /** Addresses that the payment can be found by. */
  references: readonly Address[];
}

/** What the caller asked for, parsed: every value is valid in itself, nothing has been checked against the chain. */
export interface TransferRequest extends TransferOptions, Omit<RequestedPayment, 'amount'> {
  from: Address;
  mint: Address;
  amount: AskedAmount;
  /** What others get of the same mint, in the same transaction and before this payment. */
  splits: readonly Split[];
  /** What the transaction is to live by; absent, it is the newest blockhash, or the nonce. */
  recentBlockhash?: RecentBlockhash | undefined;
  tip?: Tip;
  /** Whether SOL of the sender is wrapped where its wrapped SOL is too little; only of wrapped SOL, as the next is. */
  wrap?: boolean;
  /** Whether what is left of the sender's wrapped SOL becomes SOL again at the end. */
  unwrap?: boolean;
  /**
   * Whether the sender is a vault, for which a multisig's program signs: the transaction is for import into a proposal, whose executor pays
   * the network fee. Then the sender is the fee payer, and there is no compute budget.
   */
  isFromVault?: boolean;
}

/** What the fee payer pays at the end to a sender of transactions that demands it, in lamports. */
export interface Tip {
  account: Address;
  lamports: bigint;
}

/** A payment of the transfer's mint to another recipient. */
export interface Split {
  to: Address;
  /** Base units. */
  amount: bigint;
}

/** The most transfers of one batch. */
export const maxBatchTransfers = 1_000;

/** One payment of a batch. */
export interface BatchPayment extends RequestedPayment {
  /** Absent where it is that of the batch. */
  mint?: Address;
}

/** A batch, parsed: one sender, 1 to 1,000 payments. Nothing has been checked against the chain. */
export interface BatchRequest extends Omit<TransferOptions, 'references'> {
  layout: 'default';
  from: Address;
  mint: Address;
  transfers: readonly BatchPayment[];
}

/** A request to pay one recipient, with splits, or many in a batch. */
export type PaymentsRequest = TransferRequest | BatchRequest;

/** A payment of a request, and where the request names its recipient. */
export interface FieldedPayment extends Omit<RequestedPayment, 'amount'>, Pick<TransferRequest, 'amount'> {
  field: RecipientField;
}

/** Returns the payments of a request in the order in which their findings are reported: a recipient before its splits, a batch as it is. */
export function paymentsOf(request: PaymentsRequest): readonly FieldedPayment[] {
  if ('transfers' in request) {
    return request.transfers.map(({ to, amount, memo, references }, transfer) => {
      return { to, amount, memo, references, field: { transfer, part: 'to' } };
    });
  }
  const { to, amount, memo, references } = request;
  return [
    { to, amount, memo, references, field: 'to' },
    ...request.splits.map((split, index) => {
      const field = { split: index, part: 'to' } as const;
      return { to: split.to, amount: split.amount, memo: undefined, references: [], field };
    }),
  ];
}

/** Returns the wallets that a request pays, one for each payment, in the order of `paymentsOf`. */
export function recipientsOf(request: PaymentsRequest): readonly Address[] {
  const payments = 'transfers' in request ? request.transfers : [request, ...request.splits];
  return payments.map(({ to }) => to);
}

/** Base units that a request asks to send in all; `undefined` where that depends on the chain. */
export function requestedAmount({ amount, splits }: Pick<TransferRequest, 'amount' | 'splits'>): bigint | undefined {
  return totalOf([typeof amount === 'bigint' ? amount : undefined, ...splits.map((split) => split.amount)]);
}

/** The sum of base units; `undefined` where one of them is not known yet. */
export function totalOf(amounts: readonly (bigint | undefined)[]): bigint | undefined {
  let total = 0n;
  for (const amount of amounts) {
    if (amount === undefined) return undefined;
    total += amount;
  }
  return total;
}

/** What servers of MPP accept in a charge: the limits of `@solana/mpp`. */
export const mppLimits = {
  /** Bytes of UTF-8. */
  maxMemoBytes: 566,
  /** Micro-lamports per compute unit (`MAX_COMPUTE_UNIT_PRICE_MICROLAMPORTS`). */
  maxComputeUnitPrice: 5_000_000n,
  /** The highest compute limit (`MAX_COMPUTE_UNIT_LIMIT`). */
  maxComputeUnits: 200_000,
} as const;

/** What facilitators of the x402 scheme "exact" accept on Solana: the limits of `@x402/svm`, as its specification has them. */
export const x402Limits = {
  /** Bytes of UTF-8 (`MAX_MEMO_BYTES`). */
  maxMemoBytes: 256,
  /** Micro-lamports per compute unit (`MAX_COMPUTE_UNIT_PRICE_MICROLAMPORTS`). */
  maxComputeUnitPrice: 5_000_000n,
  /** A compute limit that hosted facilitators were reported to refuse, and any above it: a limit of their own, not of the specification. */
  refusedComputeUnits: 100_000,
} as const;

/** The limits of each layout that has some. */
export const layoutLimits = { x402: x402Limits, mpp: mppLimits } as const satisfies Record<
  StrictLayout,
  { maxMemoBytes: number; maxComputeUnitPrice: bigint }
>;
