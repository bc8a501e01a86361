import type { TransferFeeTerms, UiAmountConfig } from 'splwright-core';
import type { PaymentLink } from './payment-link-store.ts';

/** The part of a link that its column `token_terms` holds. */
type TokenTerms = Pick<PaymentLink, 'transferFees' | 'uiAmountConfig' | 'wasRecipientNeverUsed'>;

/** Writes the terms of a token as JSON; `null` where its fees are not known. Integers of 64 bits are decimal digits. */
export function tokenTermsText({ transferFees, uiAmountConfig, wasRecipientNeverUsed }: TokenTerms): string | null {
  if (transferFees === null) return null;
  return JSON.stringify({ transferFees, uiAmountConfig, wasRecipientNeverUsed }, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

/** Reads what `tokenTermsText` has written; `undefined` for anything else. */
export function readTokenTerms(text: string | null): TokenTerms | undefined {
  if (text === null) return { transferFees: null, uiAmountConfig: null, wasRecipientNeverUsed: false };
  const terms = membersOf(parseJson(text));
  const fees = terms('transferFees');
  const transferFees = Array.isArray(fees) ? fees.map(readFee) : [undefined];
  const config = terms('uiAmountConfig');
  const uiAmountConfig = config === null ? null : readUiAmountConfig(config);
  const wasRecipientNeverUsed = terms('wasRecipientNeverUsed');
  if (uiAmountConfig === undefined || typeof wasRecipientNeverUsed !== 'boolean') return undefined;
  if (!transferFees.every((fee) => fee !== undefined)) return undefined;
  return { transferFees, uiAmountConfig, wasRecipientNeverUsed };
}

function readFee(value: unknown): TransferFeeTerms | undefined {
  const fee = membersOf(value);
  const [basisPoints, maximumFee] = [fee('basisPoints'), readInteger(fee('maximumFee'))];
  if (!isNumber(basisPoints) || maximumFee === undefined) return undefined;
  return Number.isInteger(basisPoints) && basisPoints >= 0 && maximumFee >= 0n
    ? { basisPoints, maximumFee }
    : undefined;
}

function readUiAmountConfig(value: unknown): UiAmountConfig | undefined {
  const config = membersOf(value);
  if (config('kind') === 'scaled') {
    const [multiplier, newMultiplier] = [config('multiplier'), config('newMultiplier')];
    const newMultiplierFrom = readInteger(config('newMultiplierFrom'));
    if (!isNumber(multiplier) || !isNumber(newMultiplier) || newMultiplierFrom === undefined) return undefined;
    return { kind: 'scaled', multiplier, newMultiplier, newMultiplierFrom };
  }
  const [averageRate, rate] = [config('averageRate'), config('rate')];
  const [initializedAt, updatedAt] = [readInteger(config('initializedAt')), readInteger(config('updatedAt'))];
  const isKnown = config('kind') === 'interest' && isNumber(averageRate) && isNumber(rate);
  if (!isKnown || initializedAt === undefined || updatedAt === undefined) return undefined;
  return { kind: 'interest', initializedAt, averageRate, updatedAt, rate };
}

function membersOf(value: unknown): (name: string) => unknown {
  const members = new Map<string, unknown>(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  return (name) => members.get(name);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function readInteger(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^-?[0-9]{1,20}$/.test(value) ? BigInt(value) : undefined;
}
