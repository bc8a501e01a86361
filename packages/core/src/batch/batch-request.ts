import type { Address } from '../addresses/address.ts';
import type { DecimalAmount } from '../request/amount.ts';
import type { Memo } from '../request/memo.ts';
import type { TransferOptions, TransferRequest } from '../request/transfer-request.ts';

/** The most transfers of one batch. */
export const maxBatchTransfers = 1_000;

/** One transfer of a batch, parsed. */
export interface BatchTransfer {
  to: Address;
  /** Base units; or a decimal number of tokens, whose base units depend on the mint. */
  amount: bigint | DecimalAmount;
  memo: Memo | undefined;
  references: readonly Address[];
}

/** What the caller asked for, parsed: one sender, one mint, 1 to 1,000 recipients. Nothing has been checked against the chain. */
export interface BatchRequest extends Omit<TransferOptions, 'references' | 'layout'> {
  from: Address;
  mint: Address;
  transfers: readonly BatchTransfer[];
}

/** A transfer of a batch with its base units. */
export interface ResolvedTransfer extends BatchTransfer {
  amount: bigint;
}

/**
 * Returns the request of one transaction that makes some of a batch's transfers, in their order.
 *
 * The last one takes the place of the recipient, the others those of splits.
 */
export function toTransferRequest(
  batch: BatchRequest,
  transfers: readonly ResolvedTransfer[],
): TransferRequest & { amount: bigint } {
  const last = transfers.at(-1);
  if (!last) throw new RangeError('a transaction of a batch has a transfer');
  const { from, mint, feePayer, version, priorityFee, nonceAccount, checks } = batch;
  const { createTokenAccount, allowsOffCurveRecipient } = batch;
  return {
    layout: 'default',
    from,
    mint,
    feePayer,
    version,
    priorityFee,
    nonceAccount,
    checks,
    createTokenAccount,
    allowsOffCurveRecipient,
    ...last,
    splits: transfers.slice(0, -1),
  };
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
