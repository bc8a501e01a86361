import { LRUCache } from 'lru-cache';
import { type Address, type BuiltTransfer, leastReceived, parseMemo } from 'splwright-core';
import type { TransferBuilder } from '../build/transfer-builder.ts';
import type { Deadline } from '../chain/chain-reader.ts';
import { amountOutOfBounds, feeRaised, tokenChanged } from './link-problems.ts';
import type { PaymentLink } from './records/payment-link-store.ts';

/** A payment of a link that a wallet wants to make. */
export interface WantedPayment {
  link: PaymentLink;
  account: Address;
  /** Base units. */
  amount: bigint;
}

/**
 * Builds the transaction by which a wallet pays a link.
 *
 * Throws `payment_link_changed` when the token is not what the link promised, `TransferRefused`, or the fault of the upstream.
 */
export async function buildPayment(
  builder: Pick<TransferBuilder, 'build'>,
  { link, account, amount }: WantedPayment,
  deadline: Deadline,
): Promise<BuiltTransfer> {
  const memo = link.memo === null ? undefined : parseMemo(link.memo);
  const built = await builder.build(
    {
      layout: 'default',
      createTokenAccount: 'if_missing',
      from: account,
      to: link.recipient,
      mint: link.mint,
      amount,
      splits: [],
      memo: memo && 'memo' in memo ? memo.memo : undefined,
      feePayer: account,
      version: 'legacy',
      priorityFee: undefined,
      nonceAccount: undefined,
      references: [link.reference],
      allowsOffCurveRecipient: link.allowsOffCurveRecipient,
      checks: 'full',
    },
    deadline,
  );
  const { tokenProgram, decimals, recipientTokenAccount, transferFee } = built.plan;
  const isSame = tokenProgram === link.tokenProgram && decimals === link.decimals;
  if (!isSame || recipientTokenAccount !== link.destination) throw tokenChanged(link);
  const arrives = amount - transferFee;
  const promised = link.transferFees && leastReceived(amount, link.transferFees);
  if (promised !== null && arrives < promised) throw feeRaised(link, promised, arrives);
  return built;
}

/** Returns the amount to pay, in base units. Throws `amount_out_of_bounds` when the link does not take it. */
export function amountToPay(link: PaymentLink, amount: bigint | undefined): bigint {
  const { minAmount, maxAmount } = link;
  const isFixed = minAmount === maxAmount;
  const wanted = isFixed ? (amount ?? minAmount) : amount;
  if (wanted === undefined || wanted < minAmount || wanted > maxAmount) throw amountOutOfBounds(link, amount);
  return wanted;
}

/** A transaction that a payer asks for. */
export interface AskedTransaction {
  linkId: string;
  payer: string;
  amount: bigint;
  /** How many payments of this payer to this link are known. */
  paymentsBefore: number;
}

// Long enough for a second tap. Of the 150 blocks that a transaction lives, the payer has two thirds left at least.
const reissueBlocks = 50n;

const maxKept = 1_000;

interface Kept {
  blockHeight: bigint;
  built: Promise<BuiltTransfer>;
}

/** The transactions issued to payers in the last 50 blocks. A payer who asks again gets the same bytes, which can land only once. */
export class IssuedTransactions {
  readonly #kept = new LRUCache<string, Kept>({ max: maxKept });

  /**
   * Returns the transaction issued for the same request within 50 blocks, otherwise the result of `build`.
   *
   * `blockHeight`: that of the newest block. Throws what `build` throws.
   */
  async get(asked: AskedTransaction, blockHeight: bigint, build: () => Promise<BuiltTransfer>): Promise<BuiltTransfer> {
    const { linkId, payer, amount, paymentsBefore } = asked;
    // A payer who has paid and asks again wants to pay again.
    const key = [linkId, payer, amount, paymentsBefore].join(' ');
    const known = this.#kept.get(key);
    if (known && blockHeight < known.blockHeight + reissueBlocks) return known.built;
    const kept = { blockHeight, built: build() };
    this.#kept.set(key, kept);
    try {
      return await kept.built;
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
      throw error;
    }
  }
}
