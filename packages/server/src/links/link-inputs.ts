import { type Address, parseAddress, resolveAmount } from 'splwright-core';
import { pointerTo, quoteName } from '../app/field-names.ts';
import { fields } from '../app/field-table.ts';
import { describeType, type FieldValues, isObject } from '../app/field-values.ts';
import { paths } from '../app/openapi/route-table.ts';
import { invalidRequest, nameHidden } from '../app/refusal.ts';
import type { DescribedFinding } from '../problems.ts';
import { findingWords } from '../transfers/words/finding-words.ts';
import type { PaymentLink } from './records/payment-link.ts';

/** Which page of links is asked for. */
export interface LinkPage {
  limit: number;
  /** The last link of the page before. */
  before?: { createdAt: Date; id: string };
}

const defaultLimit = 20;
const maxLimit = 100;

/**
 * Reads the query of a list of links.
 *
 * Throws an `AppError` of the code `invalid_request` with every fault; the pointers are those of an object of the parameters.
 */
export function readListQuery(query: URLSearchParams): LinkPage {
  const findings: DescribedFinding[] = [];
  for (const name of new Set(query.keys())) {
    const pointer = pointerTo(name);
    if (name !== 'limit' && name !== 'cursor') {
      const detail = `${quoteName(name)} is not a parameter of this list. The parameters are limit and cursor.`;
      findings.push({ code: 'unknown_field', pointer, detail });
    } else if (query.getAll(name).length > 1) {
      findings.push({ code: 'invalid_value', pointer, detail: `${name} is there more than once.` });
    }
  }
  const limit = readLimit(query.get('limit'), findings);
  const before = readCursor(query.get('cursor'), findings);
  if (findings.length > 0) throw invalidRequest(findings, 0, Object.fromEntries(query));
  return { limit, ...(before && { before }) };
}

function readLimit(text: string | null, findings: DescribedFinding[]): number {
  if (text === null) return defaultLimit;
  const limit = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= maxLimit) return limit;
  const detail = `limit must be a whole number from 1 to ${maxLimit}.`;
  findings.push({ code: 'invalid_value', pointer: '/limit', detail });
  return defaultLimit;
}

/** Returns the cursor of the page after a link. It is opaque, and stays valid when newer links are made. */
export function cursorAfter({ createdAt, id }: { createdAt: Date; id: string }): string {
  return Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url');
}

function readCursor(text: string | null, findings: DescribedFinding[]): LinkPage['before'] {
  if (text === null) return undefined;
  const [, time = '', id = ''] = /^([0-9]{1,15})\.([1-9A-HJ-NP-Za-km-z]{16})$/.exec(decode(text)) ?? [];
  if (id !== '') return { createdAt: new Date(Number(time)), id };
  const detail = 'cursor is not one that this list gave. Send next_cursor as it is, or leave it out.';
  findings.push({ code: 'invalid_value', pointer: '/cursor', detail });
  return undefined;
}

function decode(text: string): string {
  return text.length <= 64 ? Buffer.from(text, 'base64url').toString('latin1') : '';
}

const maxListed = 100;

/** Throws an `AppError` of the code `invalid_request` unless a body is absent, null or an empty object. */
export function assertEmptyBody(body: unknown): void {
  if (body === undefined || body === null) return;
  if (!isObject(body)) {
    const detail = `The body is ${describeType(body)}. Send none, or an empty JSON object.`;
    throw invalidRequest([{ code: 'wrong_type', pointer: '', detail }], 0, body);
  }
  const names = Object.keys(body);
  if (names.length === 0) return;
  const findings = names.slice(0, maxListed).map((name): DescribedFinding => {
    const detail = `${quoteName(name)} is not a field of this operation, which has none.`;
    return { code: 'unknown_field', pointer: pointerTo(name), detail };
  });
  throw invalidRequest(findings, names.length - findings.length, body);
}

const urlNames = ['icon', 'redirect'] as const;
const textNames = ['label', 'message'] as const;

/** Returns every fault in the texts and URLs of a link to make. */
export function findLinkTextFaults(values: FieldValues): readonly DescribedFinding[] {
  const faults = [
    ...textNames.map((name) => ({ name, fault: textFault(values[name], fields[name]) })),
    ...urlNames.map((name) => ({ name, fault: urlFault(values[name], fields[name]) })),
  ];
  const findings = faults.flatMap(({ name, fault }): DescribedFinding[] =>
    fault === undefined ? [] : [{ code: 'invalid_value', pointer: `/${name}`, detail: `${name} ${fault}.` }],
  );
  if (values.memo?.includes('\0') !== true) return findings;
  const detail = 'memo has the character U+0000, which cannot be stored. Leave it out.';
  return [...findings, { code: 'invalid_memo', pointer: '/memo', detail }];
}

function textFault(
  text: string | undefined,
  { pattern, maxLength }: { pattern: string; maxLength: number },
): string | undefined {
  if (text === undefined) return undefined;
  if (!text.isWellFormed()) return 'has a lone surrogate, which is no character';
  if (text.includes('\0')) return 'has the character U+0000, which cannot be stored';
  if (text === '') return 'is empty and must have at least one character';
  if (!new RegExp(pattern).test(text)) return 'has no visible character';
  const { length } = [...text];
  return length > maxLength ? `has ${length} characters and may have ${maxLength}` : undefined;
}

function urlFault(
  text: string | undefined,
  { pattern, maxLength }: { pattern: string; maxLength: number },
): string | undefined {
  if (text === undefined) return undefined;
  if (text.length > maxLength) return `has ${text.length} characters and may have ${maxLength}`;
  if (new RegExp(pattern).test(text) && URL.canParse(text)) return undefined;
  return 'is not an https:// URL without a user name: percent-encode characters that URLs do not have';
}

/** What a wallet has sent, or what is wrong with it. */
export type Read<T> = { value: T } | { finding: DescribedFinding };

/** Reads the body that a wallet sends, of which only `account` matters: wallets add members of their own. */
export function readPayBody(body: unknown): Read<Address> {
  if (!isObject(body)) {
    return { finding: wrongType('', `The body is ${describeType(body)} and must be a JSON object.`) };
  }
  if (!Object.hasOwn(body, 'account')) {
    return { finding: { code: 'missing_field', pointer: '/account', detail: 'account is missing.' } };
  }
  const { account } = body;
  if (typeof account !== 'string') {
    const detail =
      account === null
        ? 'null; send an address, as a JSON string'
        : `${describeType(account)} and must be a JSON string`;
    return { finding: wrongType('/account', `account is ${detail}.`) };
  }
  const parsed = parseAddress(account);
  if ('address' in parsed) return { value: parsed.address };
  const detail = findingWords.invalid_address({ fault: parsed.fault }, { name: 'account', paths });
  return { finding: nameHidden({ code: 'invalid_address', pointer: '/account', detail }, body) };
}

function wrongType(pointer: string, detail: string): DescribedFinding {
  return { code: 'wrong_type', pointer, detail };
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
