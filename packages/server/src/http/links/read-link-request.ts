import { maxAmount, parseAmount, toAddress, validateTransferRequest } from 'splwright-core';
import type { WordedFinding } from '../../errors.ts';
import type { NewPaymentLink } from '../../links/make-link.ts';
import type { FieldValues } from '../../wire/field-values.ts';
import { findLinkTextFaults } from '../../wire/links/link-texts.ts';
import { readLinkShape } from '../../wire/read-body.ts';
import { invalidRequest } from '../../wire/refusal.ts';
import { paths } from '../../wire/routes.ts';
import { wordFinding } from '../../wire/word-finding.ts';
import { findingWords } from '../../wire/words/finding-words.ts';
import { findApiKeysInMemo } from '../transfers/memo-secrecy.ts';

// Of anyone who may pay, until somebody does: a wallet on the curve that nobody has, and another address as the reference.
const anyPayer = toAddress('SysvarC1ock11111111111111111111111111111111');
const anyReference = toAddress('SysvarRent111111111111111111111111111111111');

const defaultExpirySeconds = 604_800;

/**
 * Reads a parsed JSON body as a payment link to make: its shape, its texts, and whether its memo would publish an API key.
 *
 * Throws an `AppError` of the code `invalid_request` with every fault.
 */
export function readLinkRequest(body: unknown): NewPaymentLink {
  const { values, findings, unlistedCount } = readLinkShape(body);
  const bounds = readBounds(values);
  const { amount, ...others } = values;
  // The memo has as much room as in the transaction of any payer, the recipient's token account created.
  const parsed = validateTransferRequest({
    ...others,
    from: anyPayer,
    // Faults of bounds are found by themselves, with their own names.
    amount: amount ?? '1',
    createTokenAccount: 'always',
    references: [anyReference],
  });
  const all = [
    ...findings,
    ...parsed.findings.map((finding) => wordFinding(finding, 'memo')),
    ...bounds.findings,
    ...findLinkTextFaults(values),
    ...findApiKeysInMemo(values),
  ];
  const { request } = parsed;
  if (all.length > 0 || !request || !bounds.amounts || values.label === undefined) {
    throw invalidRequest(all, unlistedCount);
  }
  return {
    recipient: request.to,
    mint: request.mint,
    ...bounds.amounts,
    memo: values.memo ?? null,
    label: values.label,
    message: values.message ?? null,
    icon: values.icon ?? null,
    redirect: values.redirect ?? null,
    expiresInSeconds: values.expiresIn ?? defaultExpirySeconds,
    isSingleUse: values.isSingleUse ?? true,
    allowsOffCurveRecipient: request.allowsOffCurveRecipient,
  };
}

interface Bounds {
  /** Absent where there is none, or one with a fault. */
  amounts: Pick<NewPaymentLink, 'minAmount' | 'maxAmount'> | undefined;
  findings: readonly WordedFinding[];
}

function readBounds({ amount, amountMin, amountMax }: FieldValues): Bounds {
  const findings: WordedFinding[] = [];
  const minAmount = readAmount('amount_min', amountMin, findings);
  const highest = readAmount('amount_max', amountMax, findings);
  // A fixed amount with a fault is reported by the core.
  const fixed = readAmount('amount', amount, []);
  if (fixed !== undefined) return { amounts: { minAmount: fixed, maxAmount: fixed }, findings };
  if (minAmount === undefined || highest === undefined) return { amounts: undefined, findings };
  if (minAmount > highest) {
    const detail = `amount_max is ${highest} and must be at least amount_min, which is ${minAmount}.`;
    findings.push({ code: 'invalid_value', pointer: '/amount_max', detail });
  }
  return { amounts: { minAmount, maxAmount: highest }, findings };
}

function readAmount(name: string, text: string | undefined, findings: WordedFinding[]): bigint | undefined {
  if (text === undefined) return undefined;
  const read = parseAmount(text);
  if ('amount' in read) return read.amount;
  const detail = findingWords.invalid_amount({ fault: read.fault, max: maxAmount }, { name, paths });
  findings.push({ code: 'invalid_amount', pointer: `/${name}`, detail });
  return undefined;
}
