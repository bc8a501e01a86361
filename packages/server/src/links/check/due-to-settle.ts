import type { StoredPaymentLink } from '../records/payment-link-store.ts';

// A transaction that was handed out in the last moment lives for less than two minutes, also with a wallet's newer blockhash.
const settleAfterMs = 5 * 60_000;

/**
 * Returns whether a link has been closed for so long that nothing that was handed out can land any more.
 *
 * `now` is in milliseconds since the Unix epoch.
 */
export function isDueToSettle(stored: StoredPaymentLink, now: number): boolean {
  return now > closedAt(stored) + settleAfterMs;
}

/** Returns when a link is closed, in milliseconds since the Unix epoch. A single payment closes a link when it is final. */
export function closedAt({ link, payments }: StoredPaymentLink): number {
  const closings = [link.expiresAt.getTime()];
  if (link.cancelledAt !== null) closings.push(link.cancelledAt.getTime());
  for (const { flaw, commitment, blockTime } of payments) {
    const closes = link.isSingleUse && flaw === undefined && commitment === 'finalized';
    if (closes && blockTime !== null) closings.push(Number(blockTime) * 1_000);
  }
  return Math.min(...closings);
}
