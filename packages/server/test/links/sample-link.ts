import { toAddress } from '../../../core/src/addresses/address.ts';
import { tokenProgram } from '../../../core/src/addresses/programs.ts';
import type { LinkPayment, PaymentLink, StoredPaymentLink } from '../../src/links/records/payment-link.ts';
import { alice, bob, usdc } from '../app/sample-bodies.ts';
import { linkWith, paymentWith, start } from './records/links.ts';

/** When the sample link was made, in milliseconds since the Unix epoch. */
export const createdAt = start;

/** An open link for a single payment of 5 to 7 base units, which expires after an hour. */
export function sampleLink(changes: Partial<PaymentLink> = {}): PaymentLink {
  return linkWith({
    id: 'link1',
    ownerId: 'owner',
    keyId: 'key',
    reference: toAddress(bob),
    recipient: toAddress(bob),
    mint: toAddress(usdc),
    tokenProgram,
    destination: toAddress('8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t'),
    minAmount: 5n,
    maxAmount: 7n,
    tokenName: 'USD Coin',
    memo: 'order 7',
    label: 'Coffee ☕',
    icon: 'https://example.com/icon.png',
    createdSlot: 9n,
    expiresAt: new Date(createdAt + 3_600_000),
    checkedAt: new Date(createdAt),
    ...changes,
  });
}

/** A payment of 5 base units that counts. */
export function samplePayment(changes: Partial<LinkPayment> = {}): LinkPayment {
  return paymentWith({ signature: 'sig', payer: toAddress(alice), amount: 5n, received: 5n, slot: 10n, ...changes });
}

/** A stored link with these payments. */
export function storedLink(
  changes: Partial<PaymentLink> = {},
  payments: readonly LinkPayment[] = [],
): StoredPaymentLink {
  return { link: sampleLink(changes), payments };
}
