import { type Address, parseAddress, parseAmount, sol } from 'splwright-core';
import { type Static, type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { sponsorFeeSchema } from '../../app/schema-parts.ts';
import type { SponsorFeeJson } from '../../problems.ts';
import type { LinkPaymentRow, PaymentLinkRow } from '../../store/schema/tables.ts';
import { type LinkPayment, type LinkToken, type PaymentLink, paymentFlaws } from './payment-link.ts';

const commitments = ['confirmed', 'finalized'] as const;

type LinkColumns = Omit<PaymentLinkRow, 'is_paid'>;

export function linkToRow(link: PaymentLink): LinkColumns {
  const { tokenName, tokenSymbol, memo, label, message, icon, redirect } = link;
  const { transferFees, uiAmountConfig, wasRecipientNeverUsed } = link;
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
    metadata: JSON.stringify(link.metadata),
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
    max_sponsor_fee: link.maxSponsorFee?.toString() ?? null,
    other_tokens: JSON.stringify(link.otherTokens, writeInteger),
    token_terms: JSON.stringify({ transferFees, uiAmountConfig, wasRecipientNeverUsed }, writeInteger),
  };
}

/** Reads the row of a link. Throws when another program has written something else there. */
export function rowToLink(row: LinkColumns): PaymentLink {
  return {
    id: row.id,
    ownerId: row.owner_id,
    keyId: row.key_id,
    reference: readAddress(row.reference),
    recipient: readAddress(row.recipient),
    mint: readMint(row.mint),
    tokenProgram: readAddress(row.token_program),
    decimals: row.decimals,
    destination: readAddress(row.destination),
    minAmount: readAmount(row.min_amount),
    maxAmount: readAmount(row.max_amount),
    ...readJson(textsColumn, row.texts),
    metadata: readJson(metadataColumn, row.metadata),
    ...readJson(tokenTermsColumn, row.token_terms, readInteger),
    otherTokens: readJson(otherTokensColumn, row.other_tokens, readInteger).map(readToken),
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
    maxSponsorFee: row.max_sponsor_fee === null ? null : readDigits(row.max_sponsor_fee),
  };
}

export function paymentToRow(linkId: string, payment: LinkPayment): LinkPaymentRow {
  return {
    link_id: linkId,
    signature: payment.signature,
    payer: payment.payer,
    fee_payer: payment.feePayer ?? null,
    mint: payment.mint,
    amount: payment.amount.toString(),
    received: payment.received.toString(),
    owner: payment.owner,
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
    ...(row.fee_payer !== null && { feePayer: readAddress(row.fee_payer) }),
    mint: readMint(row.mint),
    amount: readDigits(row.amount),
    received: readDigits(row.received),
    owner: row.owner === null ? null : readAddress(row.owner),
    slot: BigInt(row.slot),
    blockTime: row.block_time === null ? null : BigInt(row.block_time),
    commitment,
    flaw,
  };
}

const nullableText = Type.Union([Type.String(), Type.Null()]);

const textsColumn = Compile(
  Type.Object({
    tokenName: nullableText,
    tokenSymbol: nullableText,
    memo: nullableText,
    label: Type.String(),
    message: nullableText,
    icon: nullableText,
    redirect: nullableText,
  }),
);

const metadataColumn = Compile(Type.Record(Type.String(), Type.String()));

const tokenTerms = {
  transferFees: Type.Array(
    Type.Object({ basisPoints: Type.Integer({ minimum: 0 }), maximumFee: Type.BigInt({ minimum: 0n }) }),
  ),
  uiAmountConfig: Type.Union([
    Type.Null(),
    Type.Object({
      kind: Type.Literal('scaled'),
      multiplier: Type.Number(),
      newMultiplier: Type.Number(),
      newMultiplierFrom: Type.BigInt(),
    }),
    Type.Object({
      kind: Type.Literal('interest'),
      initializedAt: Type.BigInt(),
      averageRate: Type.Number(),
      updatedAt: Type.BigInt(),
      rate: Type.Number(),
    }),
  ]),
};

const tokenTermsColumn = Compile(Type.Object({ ...tokenTerms, wasRecipientNeverUsed: Type.Boolean() }));

const tokenColumn = Type.Object({
  mint: Type.String(),
  tokenProgram: Type.String(),
  decimals: Type.Integer(),
  destination: Type.String(),
  minAmount: Type.BigInt({ minimum: 1n }),
  maxAmount: Type.BigInt({ minimum: 1n }),
  tokenName: nullableText,
  tokenSymbol: nullableText,
  ...tokenTerms,
});

const otherTokensColumn = Compile(Type.Array(tokenColumn));

function readToken(token: Static<typeof tokenColumn>): LinkToken {
  return {
    ...token,
    mint: readMint(token.mint),
    tokenProgram: readAddress(token.tokenProgram),
    destination: readAddress(token.destination),
  };
}

const integersOfTerms = ['minAmount', 'maxAmount', 'maximumFee', 'newMultiplierFrom', 'initializedAt', 'updatedAt'];

// JSON has no integers of 64 bits: these are decimal digits.
function writeInteger(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function readInteger(name: string, value: unknown): unknown {
  const isInteger = integersOfTerms.includes(name) && typeof value === 'string' && /^-?[0-9]{1,20}$/.test(value);
  return isInteger ? BigInt(value) : value;
}

function readJson<Schema extends TSchema>(
  column: Validator<Record<never, never>, Schema>,
  text: string,
  revive?: typeof readInteger,
): Static<Schema> {
  const value = parseJson(text, revive);
  if (!column.Check(value)) throw unreadable();
  return value;
}

const sponsorFeeColumn = Compile(sponsorFeeSchema);

/** Reads what a payer pays the sponsor. Throws when another program has written something else there. */
export function readSponsorFee(text: string): SponsorFeeJson {
  return readJson(sponsorFeeColumn, text);
}

function parseJson(text: string, revive?: typeof readInteger): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    throw unreadable();
  }
}

/** Reads a stored mint, which may be `sol`. Throws when another program has written something else there. */
export function readMint(text: string): Address {
  return text === sol ? sol : readAddress(text);
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

// The transfers of one transaction may add up to more than 64 bits hold.
function readDigits(text: string): bigint {
  if (!/^[0-9]+$/.test(text)) throw unreadable();
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
