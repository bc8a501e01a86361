import { randomBytes } from 'node:crypto';
import { addressFromBytes, encodeBase58 } from 'splwright-core';
import type { LinkCheck, LinkPayment, PaymentLink } from '../../../src/links/records/payment-link.ts';

/** The moment at which the links of these tests are made. */
export const start = Date.parse('2026-11-22T12:00:00.000Z');

/** A moment so many milliseconds after the start. */
export const at = (ms: number): Date => new Date(start + ms);

/** A random address. */
export const anyAddress = () => addressFromBytes(randomBytes(32));

/** A random signature. */
export const anySignature = (): string => encodeBase58(randomBytes(64));

/** A link with random addresses. */
export function linkWith(changes: Partial<PaymentLink> = {}): PaymentLink {
  return {
    id: encodeBase58(randomBytes(12)).padEnd(16, '1').slice(0, 16),
    ownerId: 'key_1',
    keyId: 'key_1',
    reference: anyAddress(),
    recipient: anyAddress(),
    mint: anyAddress(),
    tokenProgram: anyAddress(),
    decimals: 6,
    destination: anyAddress(),
    minAmount: 10_000_000n,
    maxAmount: 10_000_000n,
    tokenName: null,
    tokenSymbol: null,
    transferFees: [],
    wasRecipientNeverUsed: false,
    uiAmountConfig: null,
    memo: null,
    label: 'Coffee',
    message: null,
    icon: null,
    redirect: null,
    metadata: {},
    otherTokens: [],
    isSingleUse: true,
    allowsOffCurveRecipient: false,
    maxSponsorFee: null,
    createdAt: at(0),
    createdSlot: 900n,
    expiresAt: at(604_800_000),
    cancelledAt: null,
    checkedAt: null,
    handedOutAt: null,
    handedOutHeight: null,
    settledAt: null,
    examinedUntil: null,
    ...changes,
  };
}

/** A confirmed payment that counts. */
export function paymentWith(changes: Partial<LinkPayment> = {}): LinkPayment {
  return {
    signature: anySignature(),
    payer: anyAddress(),
    mint: anyAddress(),
    owner: anyAddress(),
    amount: 10_000_000n,
    received: 10_000_000n,
    slot: 1000n,
    blockTime: 1_795_000_000n,
    commitment: 'confirmed',
    flaw: undefined,
    ...changes,
  };
}

/** A check that found nothing. */
export function checkWith(changes: Partial<LinkCheck> = {}): LinkCheck {
  return { payments: [], dropped: [], checkedAt: at(1000), settledAt: null, ...changes };
}
