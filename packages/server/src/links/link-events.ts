import type { EventType } from '../webhooks/event-types.ts';
import type { LinkPayment, StoredPaymentLink } from './records/payment-link.ts';

/** Returns what happened to a link between two states of it, in the order in which it is told. */
export function linkEvents(before: StoredPaymentLink, after: StoredPaymentLink): readonly EventType[] {
  const known = new Map(before.payments.map((payment) => [payment.signature, payment]));
  const left = new Set(after.payments.map(({ signature }) => signature));
  const dropped = before.payments.filter((payment) => wasTold(payment) && !left.has(payment.signature));
  const ofPayments = after.payments.flatMap((payment) => paymentEvents(known.get(payment.signature), payment));
  return [...dropped.map(() => 'payment_link.payment_dropped' as const), ...ofPayments, ...endOf(before, after)];
}

// What no node has shown whole may still turn out to count.
function wasTold({ flaw }: LinkPayment): boolean {
  return flaw !== 'not_shown';
}

function paymentEvents(before: LinkPayment | undefined, after: LinkPayment): readonly EventType[] {
  if (!wasTold(after)) return [];
  const isNews = before === undefined || !wasTold(before);
  if (after.flaw !== undefined) return isNews ? ['payment_link.flawed_payment'] : [];
  const isFinal = after.commitment === 'finalized' && (isNews || before.commitment !== 'finalized');
  return [...(isNews ? (['payment_link.paid'] as const) : []), ...(isFinal ? (['payment_link.final'] as const) : [])];
}

// A link that was canceled has no end of its own: its owner ended it.
function endOf(before: StoredPaymentLink, { link, payments }: StoredPaymentLink): readonly EventType[] {
  const isSettled = before.link.settledAt === null && link.settledAt !== null;
  const isPaid = link.isSingleUse && payments.some(({ flaw }) => flaw === undefined);
  const isCancelled = link.cancelledAt !== null && link.cancelledAt < link.expiresAt;
  return isSettled && !isPaid && !isCancelled ? ['payment_link.expired'] : [];
}
