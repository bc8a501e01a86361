import type { FastifyRequest } from 'fastify';
import { maxAmount, parseAmount, toAddress, validateTransferRequest } from 'splwright-core';
import type { FieldValues } from '../app/field-values.ts';
import { paths } from '../app/openapi/route-table.ts';
import { readLinkShape } from '../app/read-body.ts';
import { describeFinding, invalidRequest } from '../app/refusal.ts';
import { AppError, type DescribedFinding } from '../problems.ts';
import { findApiKeysInMemo } from '../transfers/read-transfer-request.ts';
import { findingWords } from '../transfers/words/finding-words.ts';
import { findLinkTextFaults } from './link-inputs.ts';
import type { NewPaymentLink } from './make-link.ts';

/** Returns the origin at which wallets reach the service. Throws an `AppError` of status 501 when none is configured. */
export function publicUrlOf(publicUrl: () => string | undefined): string {
  const url = publicUrl();
  if (url !== undefined) return url;
  throw new AppError(
    'payment_links_off',
    'Payment links need an address at which wallets reach this service. Its operator can set PUBLIC_URL.',
  );
}

/** Returns the id in the path of a request; `undefined` for a text that is not an id of a link. */
export function linkIdOf(request: FastifyRequest): string | undefined {
  const id = String(Object(request.params).id);
  return /^[1-9A-HJ-NP-Za-km-z]{16}$/.test(id) ? id : undefined;
}

/** The refusal of a request for a link that does not exist, or is another's. */
export function linkNotFound(): AppError {
  return new AppError('payment_link_not_found', 'There is no payment link with this id.');
}

/** Returns the parameters in the URL of a request. */
export function queryOf({ url }: FastifyRequest): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}

// Stand-ins for the payer and the reference, which are not known yet: an address on the curve, and another one.
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
  const isFixed = amount !== undefined || values.amountDecimal !== undefined;
  // So that the memo fits with any payer, also when the transaction creates the recipient's token account.
  const parsed = validateTransferRequest({
    ...others,
    from: anyPayer,
    // Faults of bounds are found by themselves, with their own names.
    amount: isFixed ? amount : '1',
    createTokenAccount: 'always',
    references: [anyReference],
  });
  const all = [
    ...findings,
    ...parsed.findings.map((finding) => describeFinding(finding, 'memo')),
    ...bounds.findings,
    ...findLinkTextFaults(values),
    ...findApiKeysInMemo(values),
  ];
  const { request } = parsed;
  const amounts = isFixed ? request && { minAmount: request.amount, maxAmount: request.amount } : bounds.amounts;
  if (all.length > 0 || !request || !amounts || values.label === undefined) {
    throw invalidRequest(all, unlistedCount, body);
  }
  return {
    recipient: request.to,
    mint: request.mint,
    ...amounts,
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
  /** Absent when a bound is missing or invalid. */
  amounts: Pick<NewPaymentLink, 'minAmount' | 'maxAmount'> | undefined;
  findings: readonly DescribedFinding[];
}

function readBounds({ amountMin, amountMax }: FieldValues): Bounds {
  const findings: DescribedFinding[] = [];
  const minAmount = readAmount('amount_min', amountMin, findings);
  const highest = readAmount('amount_max', amountMax, findings);
  if (minAmount === undefined || highest === undefined) return { amounts: undefined, findings };
  if (minAmount > highest) {
    const detail = `amount_max is ${highest} and must be at least amount_min, which is ${minAmount}.`;
    findings.push({ code: 'invalid_value', pointer: '/amount_max', detail });
  }
  return { amounts: { minAmount, maxAmount: highest }, findings };
}

function readAmount(name: string, text: string | undefined, findings: DescribedFinding[]): bigint | undefined {
  if (text === undefined) return undefined;
  const read = parseAmount(text);
  if ('amount' in read) return read.amount;
  const detail = findingWords.invalid_amount({ fault: read.fault, max: maxAmount }, { name, paths });
  findings.push({ code: 'invalid_amount', pointer: `/${name}`, detail });
  return undefined;
}
