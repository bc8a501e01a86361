import { type Address, parseAddress, parseAmount, type TransferFeeTerms, type UiAmountConfig } from 'splwright-core';
import type { LinkPaymentRow, PaymentLinkRow } from '../../store/schema/tables.ts';
import { type LinkPayment, type PaymentLink, paymentFlaws } from './payment-link.ts';

const commitments = ['confirmed', 'finalized'] as const;

type LinkColumns = Omit<PaymentLinkRow, 'is_paid'>;

export function linkToRow(link: PaymentLink): LinkColumns {
  const { tokenName, tokenSymbol, memo, label, message, icon, redirect } = link;
  return {
    id: link.id,
    owner_id: link.ownerId,
    key_id: link.keyId,
    reference: link.reference,
    recipient: link.recipient,
    mint: link.mint,
    token_program: link.tokenProgram,
    decimals: link.decimals,
    destination: link.destination,
    min_amount: link.minAmount.toString(),
    max_amount: link.maxAmount.toString(),
    texts: JSON.stringify({ tokenName, tokenSymbol, memo, label, message, icon, redirect }),
    is_single_use: Number(link.isSingleUse),
    allows_off_curve_recipient: Number(link.allowsOffCurveRecipient),
    created_at: link.createdAt.getTime(),
    created_slot: toInteger(link.createdSlot),
    expires_at: link.expiresAt.getTime(),
    cancelled_at: link.cancelledAt?.getTime() ?? null,
    checked_at: link.checkedAt?.getTime() ?? null,
    handed_out_at: link.handedOutAt?.getTime() ?? null,
    handed_out_height: link.handedOutHeight === null ? null : toInteger(link.handedOutHeight),
    settled_at: link.settledAt?.getTime() ?? null,
    examined_until: link.examinedUntil,
    token_terms: tokenTermsText(link),
  };
}

/** Reads the row of a link. Throws when another program has written something else there. */
export function rowToLink(row: LinkColumns): PaymentLink {
  const texts = readTexts(row.texts);
  const label = texts('label');
  const terms = readTokenTerms(row.token_terms);
  if (label === null) throw unreadable();
  return {
    id: row.id,
    ownerId: row.owner_id,
    keyId: row.key_id,
    reference: readAddress(row.reference),
    recipient: readAddress(row.recipient),
    mint: readAddress(row.mint),
    tokenProgram: readAddress(row.token_program),
    decimals: row.decimals,
    destination: readAddress(row.destination),
    minAmount: readAmount(row.min_amount),
    maxAmount: readAmount(row.max_amount),
    tokenName: texts('tokenName'),
    tokenSymbol: texts('tokenSymbol'),
    ...terms,
    memo: texts('memo'),
    label,
    message: texts('message'),
    icon: texts('icon'),
    redirect: texts('redirect'),
    isSingleUse: row.is_single_use !== 0,
    allowsOffCurveRecipient: row.allows_off_curve_recipient !== 0,
    createdAt: new Date(row.created_at),
    createdSlot: BigInt(row.created_slot),
    expiresAt: new Date(row.expires_at),
    cancelledAt: toDate(row.cancelled_at),
    checkedAt: toDate(row.checked_at),
    handedOutAt: toDate(row.handed_out_at),
    handedOutHeight: row.handed_out_height === null ? null : BigInt(row.handed_out_height),
    settledAt: toDate(row.settled_at),
    examinedUntil: row.examined_until,
  };
}

export function paymentToRow(linkId: string, payment: LinkPayment): LinkPaymentRow {
  return {
    link_id: linkId,
    signature: payment.signature,
    payer: payment.payer,
    amount: payment.amount.toString(),
    received: payment.received.toString(),
    slot: toInteger(payment.slot),
    block_time: payment.blockTime === null ? null : toInteger(payment.blockTime),
    commitment: payment.commitment,
    flaw: payment.flaw ?? null,
  };
}

/** Reads the row of a payment. Throws when another program has written something else there. */
export function rowToPayment(row: LinkPaymentRow): LinkPayment {
  const commitment = commitments.find((each) => each === row.commitment);
  const flaw = paymentFlaws.find((each) => each === row.flaw);
  // A flaw that is not known must not make the payment count.
  if (commitment === undefined || (row.flaw !== null && flaw === undefined)) throw unreadable();
  return {
    signature: row.signature,
    payer: readAddress(row.payer),
    amount: readDigits(row.amount),
    received: readDigits(row.received),
    slot: BigInt(row.slot),
    blockTime: row.block_time === null ? null : BigInt(row.block_time),
    commitment,
    flaw,
  };
}

/** The part of a link that its column `token_terms` holds. */
type TokenTerms = Pick<PaymentLink, 'transferFees' | 'uiAmountConfig' | 'wasRecipientNeverUsed'>;

/** Writes the terms of a token as JSON. Integers of 64 bits are decimal digits. */
function tokenTermsText({ transferFees, uiAmountConfig, wasRecipientNeverUsed }: TokenTerms): string {
  return JSON.stringify({ transferFees, uiAmountConfig, wasRecipientNeverUsed }, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

function readTokenTerms(text: string): TokenTerms {
  const terms = membersOf(parseJson(text));
  const fees = terms('transferFees');
  const config = terms('uiAmountConfig');
  const wasRecipientNeverUsed = terms('wasRecipientNeverUsed');
  if (!Array.isArray(fees) || typeof wasRecipientNeverUsed !== 'boolean') throw unreadable();
  return {
    transferFees: fees.map(readFee),
    uiAmountConfig: config === null ? null : readUiAmountConfig(config),
    wasRecipientNeverUsed,
  };
}

function readFee(value: unknown): TransferFeeTerms {
  const fee = membersOf(value);
  const [basisPoints, maximumFee] = [readNumber(fee('basisPoints')), readInteger(fee('maximumFee'))];
  if (!Number.isInteger(basisPoints) || basisPoints < 0 || maximumFee < 0n) throw unreadable();
  return { basisPoints, maximumFee };
}

function readUiAmountConfig(value: unknown): UiAmountConfig {
  const config = membersOf(value);
  switch (config('kind')) {
    case 'scaled':
      return {
        kind: 'scaled',
        multiplier: readNumber(config('multiplier')),
        newMultiplier: readNumber(config('newMultiplier')),
        newMultiplierFrom: readInteger(config('newMultiplierFrom')),
      };
    case 'interest':
      return {
        kind: 'interest',
        initializedAt: readInteger(config('initializedAt')),
        averageRate: readNumber(config('averageRate')),
        updatedAt: readInteger(config('updatedAt')),
        rate: readNumber(config('rate')),
      };
    default:
      throw unreadable();
  }
}

function membersOf(value: unknown): (name: string) => unknown {
  if (typeof value !== 'object' || value === null) throw unreadable();
  const members = new Map<string, unknown>(Object.entries(value));
  return (name) => members.get(name);
}

function readNumber(value: unknown): number {
  if (typeof value !== 'number') throw unreadable();
  return value;
}

function readInteger(value: unknown): bigint {
  if (typeof value !== 'string' || !/^-?[0-9]{1,20}$/.test(value)) throw unreadable();
  return BigInt(value);
}

function readTexts(json: string): (name: string) => string | null {
  const texts = membersOf(parseJson(json));
  return (name) => {
    const text = texts(name);
    if (text !== null && typeof text !== 'string') throw unreadable();
    return text;
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}

/** Reads a stored address. Throws when another program has written something else there. */
export function readAddress(text: string): Address {
  const parsed = parseAddress(text);
  if (!('address' in parsed)) throw unreadable();
  return parsed.address;
}

/** Reads a stored amount of at least 1. Throws when another program has written something else there. */
export function readAmount(text: string): bigint {
  const parsed = parseAmount(text);
  if (!('amount' in parsed)) throw unreadable();
  return parsed.amount;
}

function readDigits(text: string): bigint {
  if (!/^[0-9]{1,20}$/.test(text)) throw unreadable();
  return BigInt(text);
}

/** Returns an integer as databases hold it. Throws for one that would be rounded: a node may answer anything. */
export function toInteger(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`a slot or a time cannot be ${value}`);
  return number;
}

function toDate(atMs: number | null): Date | null {
  return atMs === null ? null : new Date(atMs);
}

// The content is not repeated: it may be what the maker of the link wrote.
function unreadable(): Error {
  return new Error('the key database holds a payment link that cannot be read');
}
