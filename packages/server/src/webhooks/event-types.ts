/** The types of events, each with when it is sent. */
const eventTypes = {
  'payment_link.paid': 'A payment of the link counts: the money is in its token account, in a confirmed block.',
  'payment_link.final': 'That payment is final: a fork can no longer drop it.',
  'payment_link.flawed_payment': 'A transaction names the link and does not count as its payment; `flaw` says why.',
  'payment_link.payment_dropped': 'A fork dropped a payment that was told before.',
  'payment.received': 'A token account of a recipient that you watch holds more, in a confirmed block.',
  'payment.final': 'That is final: a fork can no longer drop it.',
  'payment.dropped': 'A fork dropped what was told before.',
  'payment_link.expired':
    'The link has ended without a payment, and none can land now. Also sent when a link for several payments ends, paid or not.',
  'transfer.landed': 'A transaction built under an `Idempotency-Key` has paid, in a confirmed block.',
  'transfer.final': 'That is final: a fork can no longer drop it.',
  'transfer.failed': 'It is on chain and moved nothing, and it can no longer land: build it again.',
  'transfer.expired': 'It has not landed and never will: build it again.',
} as const;

/** The name of a type of events. */
export type EventType = keyof typeof eventTypes;

/** Sent to an endpoint only when its owner asks for it. */
export const testEventType = 'webhook.test';

/** The names of all types that an endpoint can choose. */
export const eventTypeNames = Object.keys(eventTypes).filter((name): name is EventType => name in eventTypes);

/** Those of transactions that were built under an `Idempotency-Key`. */
export const outcomeEventTypes = eventTypeNames.filter((name) => name.startsWith('transfer.'));
