import type { FastifyRequest } from 'fastify';
import {
  type Address,
  isNamedAmount,
  maxAmount,
  parseAddress,
  parseAmount,
  resolveAmount,
  toAddress,
  validateTransferRequest,
} from 'splwright-core';
import type { Static } from 'typebox';
import { pageIn } from '../app/list-cursor.ts';
import { readMetadata } from '../app/metadata.ts';
import type { Incomplete, Shape } from '../app/read-shape.ts';
import { allFaults, invalidRequest, nameHidden } from '../app/validate.ts';
import { AppError, type DescribedFinding } from '../problems.ts';
import { findAmountFaults, findApiKey, isSent, transferInputs } from '../transfers/read-transfer-request.ts';
import { describeFinding, findingWords } from '../transfers/words/finding-words.ts';
import type { linkBody } from './link-body.ts';
import type { linkListQuery } from './link-schema.ts';
import type { NewLinkToken, NewPaymentLink } from './make-link.ts';
import { inEachToken, inToken, type LinkFilter, type PaymentLink } from './records/payment-link.ts';

/** Returns the origin at which wallets reach the service. Throws an `AppError` of status 501 when none is configured. */
export function publicUrlOf(configured: string | undefined): string {
  if (configured !== undefined) return configured;
  throw new AppError(
    'payment_links_off',
    'Payment links need an address at which wallets reach this service. Its operator can set PUBLIC_URL.',
  );
}

const idPattern = /^[1-9A-HJ-NP-Za-km-z]{16}$/;

/** Returns the id in the path of a request. Throws `linkNotFound` for a text that is not an id of a link. */
export function linkIdOf(request: FastifyRequest): string {
  const id = String(Object(request.params).id);
  if (!idPattern.test(id)) throw linkNotFound();
  return id;
}

export function linkNotFound(): AppError {
  return new AppError('payment_link_not_found', 'There is no payment link with this id.');
}

export function queryOf({ url }: FastifyRequest): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}

// Stand-ins for the payer and the reference, which are not known yet: an address on the curve, and another one.
const anyPayer = toAddress('SysvarC1ock11111111111111111111111111111111');
const anyPayee = toAddress('SysvarS1otHashes111111111111111111111111111');
const anyReference = toAddress('SysvarRent111111111111111111111111111111111');

const defaultExpirySeconds = 604_800;

type LinkFields = Static<typeof linkBody>;

/**
 * Reads the shape of a body as a payment link to make: its texts, and whether its memo would publish an API key.
 *
 * `body`: as it was parsed. `isOnSandbox`: whether it may lead back to this machine. Throws an `AppError` of the code `invalid_request` with every fault.
 */
export function readLinkRequest(shape: Shape<LinkFields>, body: unknown, isOnSandbox: boolean): NewPaymentLink {
  const { values } = shape;
  const { accepts } = values;
  const bounds = readBounds(values);
  const isFixed = values.amount !== undefined || values.amount_decimal !== undefined;
  const first = accepts?.[0];
  // So that the memo fits with any payer, also when the transaction creates the recipient's token account.
  const parsed = validateTransferRequest({
    ...transferInputs({ ...values, ...(accepts && { token_mint_address: first?.token_mint_address }) }, 'always'),
    from: anyPayer,
    acceptsSol: true,
    // Faults of bounds are found by themselves, with their own names, and so are those of several tokens.
    amount: isFixed && !accepts ? values.amount : '1',
    ...(accepts && { amountDecimal: undefined, mint: anyReference }),
    references: [anyReference],
  });
  const accepted = accepts && readAccepted(accepts);
  const faults = allFaults(shape, accepts ? findAcceptsFaults(values) : findBoundsFaults(values), [
    ...parsed.findings.map((finding) => describeFinding(finding, 'memo')),
    ...bounds.findings,
    ...(accepted?.findings ?? []),
    ...findTextFaults(values, isOnSandbox),
    ...findApiKey(values.memo, '/memo'),
  ]);
  const { request } = parsed;
  const fixed =
    request && isNamedAmount(request.amount) ? { minAmount: request.amount, maxAmount: request.amount } : undefined;
  const amounts = isFixed ? fixed : bounds.amounts;
  const [token, ...otherTokens] = accepted?.tokens ?? (request && amounts ? [{ mint: request.mint, ...amounts }] : []);
  if (faults.length > 0 || !request || !token || values.label === undefined) throw invalidRequest(faults, body);
  return {
    recipient: request.to,
    ...token,
    otherTokens,
    tokensAt: accepts ? '/accepts' : '',
    memo: values.memo ?? null,
    label: values.label,
    message: values.message ?? null,
    icon: values.icon ?? null,
    redirect: values.redirect ?? null,
    metadata: readMetadata(values.metadata) ?? {},
    expiresInSeconds: values.expires_in ?? defaultExpirySeconds,
    isSingleUse: values.single_use ?? true,
    maxSponsorFee: values.sponsored ? BigInt(values.max_sponsor_fee ?? '0') : null,
    allowsOffCurveRecipient: request.allowsOffCurveRecipient,
  };
}

/** Reads the tokens that a link accepts, each as a transfer of it. */
function readAccepted(accepts: NonNullable<Incomplete<LinkFields>['accepts']>) {
  const findings: DescribedFinding[] = [];
  const tokens: NewLinkToken[] = [];
  for (const [index, entry] of accepts.entries()) {
    if (entry === undefined) continue;
    const at = `/accepts/${index}`;
    const read = validateTransferRequest({
      ...transferInputs({ ...entry, to_address: anyPayee }, 'always'),
      from: anyPayer,
      acceptsSol: true,
    });
    findings.push(
      ...read.findings.map((finding) => {
        const described = describeFinding(finding, 'memo');
        return { ...described, pointer: at + described.pointer, detail: `accepts/${index}/${described.detail}` };
      }),
    );
    const { request } = read;
    if (!request || !isNamedAmount(request.amount)) continue;
    const { mint, amount } = request;
    if (tokens.some((token) => token.mint === mint)) {
      const detail = `accepts/${index}/token_mint_address is there more than once.`;
      findings.push({ code: 'invalid_value', pointer: `${at}/token_mint_address`, detail });
    }
    tokens.push({ mint, minAmount: amount, maxAmount: amount });
  }
  return { findings, tokens };
}

/** Returns what a link that accepts several tokens may not have beside them, and tokens without an amount. */
function findAcceptsFaults(values: Incomplete<LinkFields>): readonly DescribedFinding[] {
  const replaced = ['token_mint_address', 'amount', 'amount_decimal', 'amount_min', 'amount_max'];
  const both = replaced
    .filter((name) => isSent(values, name))
    .map((name): DescribedFinding => {
      const detail = `${name} and accepts are both present. Name tokens and amounts in accepts alone.`;
      return { code: 'invalid_value', pointer: `/${name}`, detail };
    });
  const amounts = (values.accepts ?? []).flatMap((entry, index) =>
    entry === undefined ? [] : findAmountFaults(entry, `/accepts/${index}`),
  );
  return [...both, ...amounts];
}

/** Returns a finding unless a link in one token has it, and either `amount` or `amount_decimal`, or both `amount_min` and `amount_max`. */
function findBoundsFaults(values: Incomplete<LinkFields>): readonly DescribedFinding[] {
  const mint: readonly DescribedFinding[] = isSent(values, 'token_mint_address')
    ? []
    : [{ code: 'missing_field', pointer: '/token_mint_address', detail: 'token_mint_address is missing.' }];
  return [...findAmountOrBoundsFaults(values), ...mint];
}

function findAmountOrBoundsFaults(values: Incomplete<LinkFields>): readonly DescribedFinding[] {
  const fixed = (['amount', 'amount_decimal'] as const).filter((name) => isSent(values, name));
  const bounds = (['amount_min', 'amount_max'] as const).filter((name) => isSent(values, name));
  const [name] = fixed;
  const [bound] = bounds;
  if (fixed.length === 2) return findAmountFaults(values);
  if (name !== undefined && bound !== undefined) {
    const detail = `${name} and ${bound} are both present. Send ${name}, or amount_min and amount_max, not both.`;
    return [{ code: 'amount_and_amount_bounds', pointer: `/${bound}`, detail }];
  }
  if (name !== undefined || bounds.length === 2) return [];
  const missing = bound === 'amount_min' ? 'amount_max is missing.' : 'amount_min is missing.';
  const detail = bound === undefined ? 'There is no amount.' : missing;
  const remedy = 'Send amount or amount_decimal, or amount_min and amount_max.';
  return [{ code: 'amount_or_amount_bounds_required', pointer: '', detail: `${detail} ${remedy}` }];
}

// What patterns do not say: which texts can be stored, and what a URL is.
function findTextFaults(values: Incomplete<LinkFields>, isOnSandbox: boolean): readonly DescribedFinding[] {
  const texts = (['label', 'message'] as const)
    .filter((name) => values[name]?.isWellFormed() === false)
    .map((name) => ({ name, fault: 'has a lone surrogate, which is no character' }));
  const urls = (['icon', 'redirect'] as const)
    .filter((name) => /^https?:\/\//.test(values[name] ?? '') && !URL.canParse(values[name] ?? ''))
    .map((name) => ({ name, fault: 'is not a URL' }));
  const isPlain = !isOnSandbox && values.redirect?.startsWith('http://') === true;
  const plain = isPlain ? [{ name: 'redirect', fault: 'is an http:// URL, which only the sandbox takes' }] : [];
  const findings = [...texts, ...urls, ...plain].map(({ name, fault }): DescribedFinding => {
    return { code: 'invalid_value', pointer: `/${name}`, detail: `${name} ${fault}.` };
  });
  if (values.memo?.includes('\0') !== true) return findings;
  const detail = 'memo has the character U+0000, which cannot be stored. Leave it out.';
  return [...findings, { code: 'invalid_memo', pointer: '/memo', detail }];
}

interface Bounds {
  /** Absent when a bound is missing or invalid. */
  amounts: Pick<NewPaymentLink, 'minAmount' | 'maxAmount'> | undefined;
  findings: readonly DescribedFinding[];
}

function readBounds(values: Incomplete<LinkFields>): Bounds {
  const findings: DescribedFinding[] = [];
  const minAmount = readAmount('amount_min', values.amount_min, findings);
  const highest = readAmount('amount_max', values.amount_max, findings);
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
  const detail = findingWords.invalid_amount({ fault: read.fault, max: maxAmount }, { name });
  findings.push({ code: 'invalid_amount', pointer: `/${name}`, detail });
  return undefined;
}

/**
 * Reads the shape of the query of a list of links; `query` is as it was parsed, `now` in milliseconds since the Unix epoch.
 *
 * Throws an `AppError` of the code `invalid_request` with every fault; the pointers are those of an object of the parameters.
 */
export function readListQuery(shape: Shape<Static<typeof linkListQuery>>, query: unknown, now: number) {
  const { created_from: from, created_to: to, metadata, state, reference, ...page } = shape.values;
  const faults = allFaults(shape, [], [...findTimeFault('created_from', from), ...findTimeFault('created_to', to)]);
  if (faults.length > 0) throw invalidRequest(faults, query);
  const filter: LinkFilter = {
    state: state && { name: state, at: now },
    reference,
    createdFrom: from === undefined ? undefined : Date.parse(from),
    createdTo: to === undefined ? undefined : Date.parse(to),
    metadata,
  };
  return { ...pageIn(page, idPattern), filter };
}

// The 31st of April has the form of a time.
function findTimeFault(name: string, text: string | undefined): readonly DescribedFinding[] {
  if (text === undefined || !Number.isNaN(Date.parse(text))) return [];
  return [
    { code: 'invalid_value', pointer: `/${name}`, detail: `${name} is not a time, such as 2026-11-28T00:00:00Z.` },
  ];
}

/** A value that a wallet has sent, or its fault. */
export type Read<T> = { value: T } | { finding: DescribedFinding };

/** Reads the shape of the body that a wallet sends, of which only `account` matters: wallets add members of their own. */
export function readPayBody({ findings, values }: Shape<{ account: string }>): Read<Address> {
  const [finding] = findings;
  if (finding) return { finding };
  const { account = '' } = values;
  const parsed = parseAddress(account);
  if ('address' in parsed) return { value: parsed.address };
  const detail = findingWords.invalid_address({ fault: parsed.fault }, { name: 'account' });
  return { finding: nameHidden({ code: 'invalid_address', pointer: '/account', detail }, values) };
}

/** Reads the token that a payer has chosen: the link in it. Without one in the query, the link as it is. */
export function readPayToken(query: URLSearchParams, link: PaymentLink): Read<PaymentLink> {
  const mint = query.get('mint');
  const chosen = mint === null ? link : inToken(link, mint);
  if (chosen) return { value: chosen };
  const detail = `mint must be one of ${inEachToken(link)
    .map((each) => each.mint)
    .join(', ')}.`;
  return { finding: { code: 'invalid_value', pointer: '/mint', detail } };
}

/** Reads the amount that a payer has chosen, in whole tokens, as base units; `undefined` when the query has none. */
export function readPayAmount(
  query: URLSearchParams,
  { decimals }: Pick<PaymentLink, 'decimals'>,
): Read<bigint | undefined> {
  const texts = query.getAll('amount');
  const [text] = texts;
  if (text === undefined) return { value: undefined };
  const [, whole, fraction = ''] = /^([0-9]{1,20})(?:\.([0-9]{1,255}))?$/.exec(text) ?? [];
  if (whole !== undefined && texts.length === 1) {
    // Zeros at the end, as in 5.00, do not need decimals.
    const needed = fraction.replace(/0+$/, '');
    const resolved = resolveAmount({ digits: BigInt(whole + needed), fractionDigits: needed.length }, decimals);
    if ('baseUnits' in resolved) return { value: resolved.baseUnits };
  }
  const comma = text.includes(',') ? 'has a comma, and ' : '';
  const detail = `amount ${comma}must be there once, as decimal digits with at most ${decimals} of them after the point, such as 1.5.`;
  return { finding: nameHidden({ code: 'invalid_amount', pointer: '/amount', detail }, { amount: text }) };
}
