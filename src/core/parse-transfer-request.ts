import type { Finding } from '../errors.ts';
import { type AmountFault, maximumAmount, parseAmount } from './amount.ts';
import { isAddressOnCurve } from './curve.ts';
import { type Memo, parseMemo } from './memo.ts';
import { budgetMemo } from './memo-budget.ts';
import type { MessageShape } from './message-size.ts';
import { parseOptions, type TransferOptionValues } from './parse-options.ts';
import { systemProgram } from './programs.ts';
import { readAddress } from './read-address.ts';
import type { Operation, TransferRequest } from './transfer-plan.ts';

/** The texts of a request, by the names they have in its body. A text that is absent or no string is `undefined`. */
export interface TransferRequestTexts extends TransferOptionValues {
  from_address?: string | undefined;
  to_address?: string | undefined;
  token_mint_address?: string | undefined;
  amount?: string | undefined;
  memo?: string | undefined;
  yid?: string | undefined;
}

/**
 * Parses the texts of a request, reporting every fault of every text that is there.
 *
 * Returns no request when a needed text is absent, even without a finding: absence is the caller's to report.
 */
export function parseTransferRequest(
  operation: Operation,
  texts: TransferRequestTexts,
): { request: TransferRequest | undefined; findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const from = readAddress('from_address', texts.from_address, findings);
  const to = readAddress('to_address', texts.to_address, findings);
  const mint = readAddress('token_mint_address', texts.token_mint_address, findings);
  const amount = readAmount(texts.amount, findings);
  // Where an address is missing or at fault, another stands in, so that the other faults are still found.
  const sender = from ?? systemProgram;
  const options = parseOptions(texts, sender, findings);
  const shape = { operation, from: sender, to: to ?? systemProgram, mint: mint ?? systemProgram, options };
  const memo = readMemo('memo', texts.memo, shape, findings) ?? readMemo('yid', texts.yid, shape, findings);

  if (from && !isAddressOnCurve(from)) {
    findings.push({
      code: 'sender_off_curve',
      pointer: '/from_address',
      detail: `${from} is off the Ed25519 curve, so no key can sign for it. Send the address of the wallet that owns the tokens.`,
    });
  }
  if (from && from === to) {
    findings.push({
      code: 'same_wallet',
      pointer: '/to_address',
      detail: `from_address and to_address are both ${from}. Send to another wallet.`,
    });
  }
  const needsMemo = operation !== 'create_transfer';
  const isComplete = from && to && mint && amount !== undefined && (memo !== undefined || !needsMemo);
  if (!isComplete || findings.length > 0) return { request: undefined, findings };
  const computeUnitLimit = memo?.computeUnitLimit;
  const memoField = memo && (texts.memo === undefined ? 'yid' : 'memo');
  return {
    request: { operation, from, to, mint, amount, memo: memo?.memo, memoField, computeUnitLimit, ...options },
    findings,
  };
}

function readAmount(text: string | undefined, findings: Finding[]): bigint | undefined {
  if (text === undefined) return undefined;
  const parsed = parseAmount(text);
  if ('amount' in parsed) return parsed.amount;
  findings.push({
    code: 'invalid_amount',
    pointer: '/amount',
    detail:
      `amount ${amountFaults[parsed.fault]}. It counts base units, the smallest unit of the token, in plain decimal ` +
      'digits: for a mint with 6 decimals "1500000" is 1.5 tokens.',
  });
  return undefined;
}

const amountFaults: Readonly<Record<AmountFault, string>> = {
  empty: 'is empty',
  white_space: 'has white space in it',
  sign: 'has a sign',
  exponent: 'has an exponent',
  not_decimal_base: 'is not in decimal base',
  decimal_point: 'has a decimal point',
  digit_grouping: 'has separators between its digits',
  not_ascii_digits: 'has digits other than 0 to 9',
  not_a_number: 'is not a whole number',
  zero: 'is zero',
  leading_zero: 'has a leading zero',
  too_large: `is more than ${maximumAmount}, the most a token account can hold`,
};

interface BudgetedMemo {
  memo: Memo;
  computeUnitLimit: number | undefined;
}

function readMemo(
  field: 'memo' | 'yid',
  text: string | undefined,
  shape: Omit<MessageShape, 'setsComputeUnitLimit'>,
  findings: Finding[],
): BudgetedMemo | undefined {
  if (text === undefined) return undefined;
  const parsed = parseMemo(text);
  if ('fault' in parsed) {
    const detail =
      parsed.fault === 'empty'
        ? `${field} is empty. Send at least one character.`
        : `${field} has a lone surrogate, which has no UTF-8 form. Send valid Unicode.`;
    findings.push({ code: 'invalid_memo', pointer: `/${field}`, detail });
    return undefined;
  }
  const budget = budgetMemo(parsed.memo, field, shape);
  if ('finding' in budget) {
    findings.push(budget.finding);
    return undefined;
  }
  return { memo: parsed.memo, computeUnitLimit: budget.computeUnitLimit };
}
