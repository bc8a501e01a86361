import type { FindingField, TransferInputs } from 'splwright-core';
import { holdsApiKey } from '../app/api-key.ts';
import type { Incomplete } from '../app/read-shape.ts';
import type { DescribedFinding } from '../problems.ts';
import type { TransferFields } from './transfer-schema.ts';

/** The field of a request in which each value is that the core finds faults in. */
export const fieldNames = {
  from: 'from_address',
  to: 'to_address',
  mint: 'token_mint_address',
  amount: 'amount',
  amountDecimal: 'amount_decimal',
  amountMin: 'amount_min',
  memo: 'memo',
  splits: 'splits',
  transfers: 'transfers',
  feePayer: 'fee_payer',
  priorityFee: 'priority_fee',
  nonceAccount: 'nonce_account',
  recentBlockhash: 'recent_blockhash',
  lastValidBlockHeight: 'last_valid_block_height',
  transactionVersion: 'transaction_version',
  createTokenAccount: 'create_token_account',
  references: 'references',
} as const satisfies Record<Extract<FindingField, string>, string>;

/** Returns the fields of a transfer as inputs of the core; the memo and the default of `create_token_account` are the operation's. */
export function transferInputs(values: Incomplete<TransferFields>): Omit<TransferInputs, 'createTokenAccount'> {
  return {
    from: values.from_address,
    to: values.to_address,
    mint: values.token_mint_address,
    amount: values.amount,
    amountDecimal: values.amount_decimal,
    memo: values.memo,
    layout: values.layout,
    recentBlockhash: values.recent_blockhash,
    lastValidBlockHeight: values.last_valid_block_height,
    splits: values.splits?.map((split) => ({ to: split?.to_address, amount: split?.amount })),
    feePayer: values.fee_payer,
    priorityFee: values.priority_fee,
    nonceAccount: values.nonce_account,
    transactionVersion: values.transaction_version,
    references: values.references?.filter((each) => each !== undefined),
    allowsOffCurveRecipient: values.allow_off_curve_recipient,
    checks: values.checks,
  };
}

/** Whether a field was sent; its value is `undefined` where it was sent with a wrong type. */
export function isSent(values: object, name: string): boolean {
  return Object.hasOwn(values, name);
}

/**
 * Returns a finding unless exactly one of `amount` and `amount_decimal` was sent.
 *
 * `at`: the JSON pointer to the object that has them; empty for the body.
 */
export function findAmountFaults(values: object, at = ''): readonly DescribedFinding[] {
  const [hasBaseUnits, hasDecimal] = [isSent(values, 'amount'), isSent(values, 'amount_decimal')];
  const prefix = at === '' ? '' : `${at.slice(1)}: `;
  if (hasBaseUnits && hasDecimal) {
    const detail = `${prefix}amount and amount_decimal are both present. Send amount in base units, or amount_decimal, not both.`;
    return [{ code: 'amount_and_amount_decimal', pointer: `${at}/amount_decimal`, detail }];
  }
  if (!hasBaseUnits && !hasDecimal) {
    const detail = `${prefix}amount and amount_decimal are both missing. Send one of them.`;
    return [{ code: 'amount_or_amount_decimal_required', pointer: at, detail }];
  }
  return [];
}

/** Returns a finding, which does not repeat the key, for a memo that would publish an API key. `at`: the JSON pointer to the memo. */
export function findApiKey(memo: string | undefined, at: string): readonly DescribedFinding[] {
  if (memo === undefined || !holdsApiKey(memo)) return [];
  const detail = `${at.slice(1)} has an API key in it, which everyone could read on chain. Send another text.`;
  return [{ code: 'memo_holds_api_key', pointer: at, detail }];
}
