import { LRUCache } from 'lru-cache';
import type { Address } from 'splwright-core';
import { isAppError, type ProblemCode } from '../problems.ts';
import { isTransferRefused, SimulationFailed } from '../transfers/transfer-refused.ts';
import { describeBounds, describeFindingToOthers, describeProblemToPayer, endsOf } from './payer-words.ts';
import type { PaymentLink } from './records/payment-link.ts';

/** Why a wallet was last refused a payment of a link: for everyone who looks at its page. */
export interface RecentRefusal {
  /** The ends of the wallet's address. */
  wallet: string;
  /** In words for the payer, without what the wallet holds. */
  reason: string;
  at: Date;
}

// Of a sponsored link: the payer needs another way to pay where nobody pays the network fee.
const ofThisPayment: ReadonlySet<ProblemCode> = new Set([
  ...(['payment_link_changed', 'daily_limit_reached', 'sponsor_fee_too_high', 'sponsor_refused'] as const),
  ...(['sponsor_unavailable', 'sponsor_timeout', 'sponsor_error'] as const),
]);

const shownMs = 10 * 60_000;
const maxLinks = 10_000;

/** The last refusal of each link in this process, for ten minutes. */
export class RecentRefusals {
  readonly #refusals = new LRUCache<string, RecentRefusal>({ max: maxLinks, ttl: shownMs });

  find(linkId: string): RecentRefusal | undefined {
    return this.#refusals.get(linkId);
  }

  /** Takes note of an error if it is about this payment, and not about the service or the state of the link. */
  note(link: PaymentLink, account: Address, error: unknown): void {
    const reason = reasonOf(error, link);
    if (reason !== undefined) this.#refusals.set(link.id, { wallet: endsOf(account), reason, at: new Date() });
  }
}

function reasonOf(error: unknown, link: PaymentLink): string | undefined {
  if (isTransferRefused(error)) return describeFindingToOthers(error.findings[0], link);
  if (isAppError(error, 'amount_out_of_bounds')) return describeBounds(link);
  if (isAppError(error) && ofThisPayment.has(error.code)) return describeProblemToPayer(error.code);
  return error instanceof SimulationFailed ? describeProblemToPayer('simulation_failed') : undefined;
}
