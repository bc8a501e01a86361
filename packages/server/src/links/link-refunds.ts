import { type Address, creationFor, readTransferIntent, type TransferRequest } from 'splwright-core';
import type { Work } from '../app/work.ts';
import type { BuiltReply } from '../idempotency/idempotent-request.ts';
import { isDead } from '../idempotency/retry-rule.ts';
import type { AuthenticatedKey } from '../keys/authenticated-key.ts';
import { assertKeyAllows } from '../keys/key-permission.ts';
import { dailyAdditionsOf } from '../keys/usage/daily-amounts.ts';
import type { OutcomeFinder } from '../outcomes/outcome-finder.ts';
import type { Verdict } from '../outcomes/verdict.ts';
import { AppError } from '../problems.ts';
import { lifetimeHeaders } from '../transfers/transaction-replies.ts';
import { buildTransferReply, type TransferReplyOptions } from '../transfers/transfer-reply.ts';
import { refundNotPossible, refundTooLarge } from './link-problems.ts';
import type { LinkView } from './link-view.ts';
import { newReference } from './make-link.ts';
import type { LinkRecords } from './records/link-records.ts';
import { inToken, type LinkPayment, type LinkRefund, type PaymentLink } from './records/payment-link.ts';
import { reservedOf } from './records/refund-records.ts';

export interface LinkRefundsOptions extends TransferReplyOptions {
  store: Pick<LinkRecords, 'reserveRefund' | 'noteRefund'>;
  outcomes: Pick<OutcomeFinder, 'find'>;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
}

export interface AskedRefund {
  /** Base units; `undefined` for all that is left. */
  amount: bigint | undefined;
  /** The signature of the payment; `undefined` where there is one. */
  signature: string | undefined;
}

/**
 * Builds transfers back to those who paid a link.
 *
 * The rule that keeps a payment from being refunded twice: a transaction that was built holds its amount until it is proven that it
 * never lands. All that is held of a payment, under whatever keys, is never more than what was received, and no refund is handed out
 * before it is stored. Under one key there is one transaction at a time.
 */
export class LinkRefunds {
  readonly #options: LinkRefundsOptions;

  constructor(options: LinkRefundsOptions) {
    this.#options = options;
  }

  /** Returns a link with what became of its refunds. Throws the fault of the upstream. */
  async refresh(view: LinkView, work: Work): Promise<LinkView> {
    const { refunds = [] } = view;
    const open = refunds.filter(({ state }) => state === 'issued' || state === 'confirmed');
    if (open.length === 0) return view;
    const items = open.map(({ bytes, lastValidBlockHeight }) => ({ intent: intentOf(bytes), lastValidBlockHeight }));
    const verdicts = await this.#options.outcomes.find(items, work);
    const changed = new Map<Address, LinkRefund>();
    for (const [index, refund] of open.entries()) {
      const verdict = verdicts[index];
      const after = verdict && { ...refund, ...fateOf(verdict, refund) };
      if (!after || (after.state === refund.state && after.signature === refund.signature)) continue;
      await this.#options.store.noteRefund(after);
      changed.set(refund.reference, after);
    }
    return { ...view, refunds: refunds.map((refund) => changed.get(refund.reference) ?? refund) };
  }

  /**
   * Builds a refund of a link that was just refreshed, and reserves its amount.
   *
   * Throws `refund_not_possible`, `refund_too_large`, what building the transfer throws, or what the store throws.
   */
  async build(
    view: LinkView,
    asked: AskedRefund,
    { key, apiKey, work }: { key: string; apiKey: AuthenticatedKey; work: Work },
  ): Promise<BuiltReply> {
    const { refunds = [] } = view;
    const own = refunds.find((refund) => refund.key === key && refund.state !== 'expired');
    if (own)
      throw refundNotPossible(
        `The refund of this Idempotency-Key ${own.signature ? `was paid by ${own.signature}` : 'may still land'}.`,
      );
    const { payment, owner } = paymentToRefund(view, asked.signature);
    const link = inToken(view.link, payment.mint) ?? view.link;
    const left = payment.received - reservedOf(refunds, payment.signature);
    const amount = asked.amount ?? left;
    if (amount > left || left <= 0n) throw refundTooLarge(link, payment, { amount, left });
    const reference = newReference();
    const transfer = transferOf(link, { to: owner, amount, reference });
    assertMayRefund(apiKey, transfer, amount);
    const request = { operation: 'transfer' as const, values: {}, memoField: 'memo' as const, transfer };
    const { text, built, amounts } = await buildTransferReply(request, apiKey, work.deadline, this.#options);
    const { bytes, lifetime } = built;
    if (!('lastValidBlockHeight' in lifetime)) throw new Error('a refund lives by a nonce');
    const { lastValidBlockHeight } = lifetime;
    const refund: LinkRefund = {
      ...{ reference, linkId: link.id, key, payment: payment.signature, to: owner, mint: link.mint, amount },
      ...{ bytes, lastValidBlockHeight, state: 'issued', signature: null, createdAt: new Date(this.#options.now()) },
    };
    // Another request may have reserved some of it meanwhile.
    const isReserved = await this.#options.store.reserveRefund(refund, payment.received);
    if (!isReserved) throw refundTooLarge(link, payment, { amount, left });
    return {
      reply: text,
      headers: lifetimeHeaders(lifetime),
      transactions: [{ bytes, lastValidBlockHeight }],
      counted: (atMs) => dailyAdditionsOf(apiKey, amounts, atMs),
      giveBack: () => this.#options.store.noteRefund({ ...refund, state: 'expired' }),
    };
  }
}

/** Throws when a key may not have the refunds that were built under an `Idempotency-Key`. */
export function assertKeyAllowsRefunds(apiKey: AuthenticatedKey, { link, refunds = [] }: LinkView, key: string): void {
  for (const refund of refunds.filter((each) => each.key === key)) {
    assertMayRefund(apiKey, transferOf({ ...link, mint: refund.mint }, refund), refund.amount);
  }
}

// A refund is a transfer: a key that may only make links cannot send what they brought.
function assertMayRefund({ restrictions }: AuthenticatedKey, transfer: TransferRequest, amount: bigint): void {
  assertKeyAllows(restrictions, 'transfer', { transfer }, amount);
}

function paymentToRefund(
  { payments }: LinkView,
  signature: string | undefined,
): { payment: LinkPayment; owner: Address } {
  // Of other flaws nothing has arrived at the link.
  const received = payments.filter(
    ({ flaw, received }) => (flaw === undefined || flaw === 'too_little') && received > 0n,
  );
  const named = signature === undefined ? received : received.filter((each) => each.signature === signature);
  const [payment, ...others] = named;
  if (!payment) throw refundNotPossible('The link has received no such payment.');
  if (others.length > 0) throw refundNotPossible('The link has received several payments: name the signature of one.');
  if (payment.commitment !== 'finalized') {
    throw new AppError('refund_not_possible', 'The payment is not final yet: a fork could take it back.', {
      retryAfterSeconds: 5,
    });
  }
  if (payment.owner === null) throw refundNotPossible('No single owner of the tokens is known that paid it.');
  return { payment, owner: payment.owner };
}

function transferOf(
  { recipient, mint }: PaymentLink,
  { to, amount, reference }: Pick<LinkRefund, 'to' | 'amount' | 'reference'>,
): TransferRequest {
  return {
    ...{
      layout: 'default',
      createTokenAccount: creationFor(mint, 'if_missing'),
      from: recipient,
      to,
      mint,
      amount,
      splits: [],
      memo: undefined,
    },
    ...{ feePayer: recipient, version: 'legacy', priorityFee: undefined, nonceAccount: undefined },
    ...{ references: [reference], allowsOffCurveRecipient: false, checks: 'full' },
  };
}

/** The state of a refund by its verdict; while that is not certain, it may still land. */
function fateOf(verdict: Verdict, { state, signature }: LinkRefund): Pick<LinkRefund, 'state' | 'signature'> {
  if (verdict.outcome === 'landed') return { state: verdict.commitment, signature: verdict.signature };
  if (isDead(verdict)) return { state: 'expired', signature: null };
  return verdict.outcome === 'unknown' ? { state, signature } : { state: 'issued', signature: null };
}

function intentOf(bytes: Uint8Array) {
  const read = readTransferIntent(bytes);
  if ('fault' in read) throw new Error(`a refund is no transfer: ${read.fault.kind}`);
  return read.intent;
}
