import { type Address, parseAddress, resolveAmount } from 'splwright-core';
import type { Shape } from '../app/read-shape.ts';
import { nameHidden } from '../app/refusal.ts';
import type { DescribedFinding } from '../problems.ts';
import { findingWords } from '../transfers/words/finding-words.ts';
import type { PaymentLink } from './records/payment-link.ts';

/** What a wallet has sent, or what is wrong with it. */
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
