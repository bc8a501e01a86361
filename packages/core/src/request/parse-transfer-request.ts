import type { Address } from '../addresses/address.ts';
import { systemProgram } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import { maximumAmount, parseAmount } from './amount.ts';
import { type Memo, parseMemo } from './memo.ts';
import { parseOptions, type TransferOptionInputs } from './parse-options.ts';
import { readAddress } from './read-address.ts';
import type { Split, TransferOptions } from './transfer-request.ts';

/** A transfer as texts and plain values, not parsed; `undefined` is a value that was not given. */
export interface TransferInputs extends TransferOptionInputs {
  from?: string | undefined;
  to?: string | undefined;
  mint?: string | undefined;
  amount?: string | undefined;
  memo?: string | undefined;
}

/** What the texts of a request say, as far as they are there and can be parsed. */
export interface TransferRequestParts extends TransferOptions {
  from: Address | undefined;
  to: Address | undefined;
  mint: Address | undefined;
  /** Base units. */
  amount: bigint | undefined;
  splits: readonly Split[];
  memo: Memo | undefined;
}

/** Parses the texts of a request, each by itself, reporting every fault of every text that is there. */
export function parseTransferRequest(inputs: TransferInputs): {
  parts: TransferRequestParts;
  findings: readonly Finding[];
} {
  const findings: Finding[] = [];
  const from = readAddress('from', inputs.from, findings);
  const to = readAddress('to', inputs.to, findings);
  const mint = readAddress('mint', inputs.mint, findings);
  const amount = readAmount(inputs.amount, findings);
  // Without a sender another address stands in as the fee payer: the request is refused anyway.
  const options = parseOptions(inputs, from ?? systemProgram, findings);
  const memo = readMemo(inputs.memo, findings);
  return { parts: { from, to, mint, amount, memo, splits: [], ...options }, findings };
}

function readAmount(text: string | undefined, findings: Finding[]): bigint | undefined {
  if (text === undefined) return undefined;
  const parsed = parseAmount(text);
  if ('amount' in parsed) return parsed.amount;
  const context = { fault: parsed.fault, max: maximumAmount };
  findings.push({ code: 'invalid_amount', field: 'amount', context });
  return undefined;
}

function readMemo(text: string | undefined, findings: Finding[]): Memo | undefined {
  if (text === undefined) return undefined;
  const parsed = parseMemo(text);
  if ('memo' in parsed) return parsed.memo;
  findings.push({ code: 'invalid_memo', field: 'memo', context: { fault: parsed.fault } });
  return undefined;
}
