import {
  type Address,
  type BlockhashLifetime,
  type BuiltTransfer,
  creationFor,
  decodeTransaction,
  isWrappedSol,
  type Lifetime,
  landedContent,
  leastReceived,
  sol,
  summarizeTransfer,
  type TransferRequest,
  type TransferSummary,
} from 'splwright-core';
import { feeRaised, tokenChanged } from './link-problems.ts';
import type { LinkView } from './link-view.ts';
import { memoOf } from './make-link.ts';
import type { PaymentSponsor } from './payer-words.ts';
import type { PaymentLink } from './records/payment-link.ts';

/** The transaction that a payer gets. */
export interface LinkTransaction {
  view: LinkView;
  /** Signed by the sponsor of a sponsored link alone. */
  transaction: Uint8Array;
  lifetime: BlockhashLifetime;
  /** Base units. */
  amount: bigint;
  summary: TransferSummary;
  /** The other amounts, in base units, also of other tokens, of transactions of this payer that can still land. */
  openAmounts: readonly { mint: Address; amount: bigint }[];
  /** Absent unless the link is sponsored. */
  sponsored?: PaymentSponsor;
}

/** Whether a payer who has too little wrapped SOL pays with SOL, which the transaction wraps first. A sponsor wraps nothing. */
export function wrapsSol({ mint, maxSponsorFee }: PaymentLink): boolean {
  return isWrappedSol(mint) && maxSponsorFee === null;
}

/** Returns how many lamports of its payer the transaction of a link wraps: one that is given again may wrap more or less than a new one. */
export function lamportsWrapped(link: PaymentLink, transaction: Uint8Array): bigint {
  if (!wrapsSol(link)) return 0n;
  const { lamportTransfers } = landedContent(decodeTransaction(transaction), undefined);
  return lamportTransfers.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Returns the transfer by which an account pays a link, in the token that the link is given in. `amount` is in base units. */
export function paymentRequest(link: PaymentLink, account: Address, amount: bigint): TransferRequest {
  return {
    layout: 'default',
    createTokenAccount: creationFor(link.mint, 'if_missing'),
    from: account,
    to: link.recipient,
    mint: link.mint,
    amount,
    splits: [],
    memo: memoOf(link.memo),
    feePayer: account,
    version: 'legacy',
    priorityFee: undefined,
    nonceAccount: undefined,
    references: [link.reference],
    allowsOffCurveRecipient: link.allowsOffCurveRecipient,
    checks: 'full',
    ...(wrapsSol(link) && { wrap: true }),
  };
}

/** Throws `payment_link_changed` when the token is not what the link promised, or less arrives. */
export function assertAsPromised(link: PaymentLink, built: BuiltTransfer): void {
  const { tokenProgram, decimals } = built.plan;
  const { amount, recipientTokenAccount, transferFee } = summarizeTransfer(built);
  const isSame = tokenProgram === link.tokenProgram && decimals === link.decimals;
  if (!isSame || (link.mint !== sol && recipientTokenAccount !== link.destination)) throw tokenChanged(link);
  const arrives = amount - transferFee;
  const promised = leastReceived(amount, link.transferFees);
  if (arrives < promised) throw feeRaised(link, promised, arrives);
}

/** Returns the last block height of a transaction of a link. */
export function lastValidBlockHeightOf(lifetime: Lifetime): bigint {
  // No link is paid with a durable nonce.
  if (!('lastValidBlockHeight' in lifetime)) throw new Error('the transaction of a link lives by a nonce');
  return lifetime.lastValidBlockHeight;
}
