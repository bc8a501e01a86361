import { type Address, parseAddress, resolveAmount } from 'splwright-core';
import type { WordedFinding } from '../../errors.ts';
import type { PaymentLink } from '../../links/records/payment-link-store.ts';
import { describeType, isObject } from '../field-values.ts';
import { paths } from '../routes.ts';
import { findingWords } from '../words/finding-words.ts';

/** What a wallet has sent, or what is wrong with it. */
export type Read<T> = { value: T } | { finding: WordedFinding };

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
    return { finding: wrongType('/account', `account is ${describeType(account)} and must be a JSON string.`) };
  }
  const parsed = parseAddress(account);
  if ('address' in parsed) return { value: parsed.address };
  const detail = findingWords.invalid_address({ fault: parsed.fault }, { name: 'account', paths });
  return { finding: { code: 'invalid_address', pointer: '/account', detail } };
}

function wrongType(pointer: string, detail: string): WordedFinding {
  return { code: 'wrong_type', pointer, detail };
}

/** Reads the amount that a payer has chosen, in whole tokens; `undefined` where there is none. */
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
  const detail = `amount must be there once, as decimal digits with at most ${decimals} of them after the point, such as 1.5.`;
  return { finding: { code: 'invalid_amount', pointer: '/amount', detail } };
}
