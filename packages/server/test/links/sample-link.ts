import { toAddress } from '../../../core/src/addresses/address.ts';
import { tokenProgram } from '../../../core/src/addresses/programs.ts';
import type { LinkPayment, PaymentLink, StoredPaymentLink } from '../../src/links/records/payment-link-store.ts';
import { alice, bob, usdc } from '../http/sample-bodies.ts';

/** When the sample link was made, in milliseconds since the Unix epoch. */
export const createdAt = Date.parse('2026-11-22T12:00:00.000Z');

/** An open link for a single payment of 5 to 7 base units, which expires after an hour. */
export function sampleLink(changes: Partial<PaymentLink> = {}): PaymentLink {
  return {
    id: 'link1',
    ownerId: 'owner',
    keyId: 'key',
    reference: toAddress(bob),
    recipient: toAddress(bob),
    mint: toAddress(usdc),
    tokenProgram,
    decimals: 6,
    destination: toAddress('8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t'),
    minAmount: 5n,
    maxAmount: 7n,
    tokenName: 'USD Coin',
    tokenSymbol: null,
    transferFees: [],
    wasRecipientNeverUsed: false,
    uiAmountConfig: null,
    memo: 'order 7',
    label: 'Coffee ☕',
    message: null,
    icon: 'https://example.com/icon.png',
    redirect: null,
    isSingleUse: true,
    allowsOffCurveRecipient: false,
    createdAt: new Date(createdAt),
    createdSlot: 9n,
    expiresAt: new Date(createdAt + 3_600_000),
    cancelledAt: null,
    checkedAt: new Date(createdAt),
    handedOutAt: null,
    settledAt: null,
    examinedUntil: null,
    ...changes,
  };
}

/** A payment of 5 base units that counts. */
export function samplePayment(changes: Partial<LinkPayment> = {}): LinkPayment {
  return {
    signature: 'sig',
    payer: toAddress(alice),
    amount: 5n,
    received: 5n,
    slot: 10n,
    blockTime: 1_795_000_000n,
    commitment: 'confirmed',
    flaw: undefined,
    ...changes,
  };
}

/** A stored link with these payments. */
export function storedLink(
  changes: Partial<PaymentLink> = {},
  payments: readonly LinkPayment[] = [],
): StoredPaymentLink {
  return { link: sampleLink(changes), payments };
}
