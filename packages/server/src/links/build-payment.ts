import { type Address, type BuiltTransfer, leastReceived, parseMemo, summarizeTransfer } from 'splwright-core';
import type { Deadline } from '../chain/chain-reader.ts';
import type { TransferBuilder } from '../transfers/transfer-builder.ts';
import { amountOutOfBounds, feeRaised, tokenChanged } from './link-problems.ts';
import type { PaymentLink } from './records/payment-link.ts';

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
  const { tokenProgram, decimals } = built.plan;
  const { recipientTokenAccount, transferFee } = summarizeTransfer(built);
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
