import type { EventType } from '../webhooks/event-types.ts';
import type { LinkPayment, StoredPaymentLink } from './records/payment-link.ts';

/** Returns what happened to a link between two states of it, in the order in which it is told. */
export function linkEvents(before: StoredPaymentLink, after: StoredPaymentLink): readonly EventType[] {
  const known = new Map(before.payments.map((payment) => [payment.signature, payment]));
  const left = new Map(after.payments.map((payment) => [payment.signature, payment]));
  const dropped = before.payments.filter((payment) => {
    const told = toldAs(payment);
    // A fork may also have executed it with a result by which it does not count.
    return (
      told !== undefined &&
      (!left.has(payment.signature) || (told === 'paid' && toldAs(left.get(payment.signature)) !== told))
    );
  });
  const ofPayments = after.payments.flatMap((payment) => paymentEvents(known.get(payment.signature), payment));
  return [...dropped.map(() => 'payment_link.payment_dropped' as const), ...ofPayments, ...endOf(before, after)];
}

function toldAs(payment: LinkPayment | undefined): 'paid' | 'flawed_payment' | undefined {
  // What no node has shown whole may still turn out to count.
  if (payment === undefined || payment.flaw === 'not_shown') return undefined;
  return payment.flaw === undefined ? 'paid' : 'flawed_payment';
}

function paymentEvents(before: LinkPayment | undefined, after: LinkPayment): readonly EventType[] {
  const told = toldAs(after);
  if (told === undefined) return [];
  const isNews = toldAs(before) !== told;
  const isFinal = told === 'paid' && after.commitment === 'finalized' && (isNews || before?.commitment !== 'finalized');
  return [...(isNews ? [`payment_link.${told}` as const] : []), ...(isFinal ? (['payment_link.final'] as const) : [])];
}

// A link that was canceled has no end of its own: its owner ended it.
function endOf(before: StoredPaymentLink, { link, payments }: StoredPaymentLink): readonly EventType[] {
  const isSettled = before.link.settledAt === null && link.settledAt !== null;
  const isPaid = link.isSingleUse && payments.some(({ flaw }) => flaw === undefined);
  const isCancelled = link.cancelledAt !== null && link.cancelledAt < link.expiresAt;
  return isSettled && !isPaid && !isCancelled ? ['payment_link.expired'] : [];
}
