import { type Address, sol } from '../addresses/address.ts';
import { isAddressOnCurve } from '../addresses/known-addresses.ts';
import { isWrappedSol, systemProgram } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import type { LifetimeConflict } from '../findings/finding-faults.ts';
import type { AskedAmount } from './amount.ts';
import type { Memo } from './memo.ts';
import { parseOptions, type TransferOptionInputs } from './parse-options.ts';
import { readAddress, readAmount, readBlockHeight, readDecimalAmount, readMemo, readMint } from './read-values.ts';
import type { RecentBlockhash, Split, Tip, TransferOptions, TransferRequest } from './transfer-request.ts';

// As many as a platform, its partners and a sponsor take.
const maxSplits = 5;

/** A transfer as texts and plain values, not parsed; `undefined` is a value that was not given. */
export interface TransferInputs extends TransferOptionInputs {
  from?: string | undefined;
  to?: string | undefined;
  mint?: string | undefined;
  /** Whether the mint may be "SOL". */
  acceptsSol?: boolean | undefined;
  /** Whether the sender may be off the curve. */
  allowsOffCurveSender?: boolean | undefined;
  amount?: string | undefined;
  /** Whether the amount may be "max". */
  acceptsMax?: boolean | undefined;
  /** Instead of `amount`. */
  amountDecimal?: string | undefined;
  /** Must arrive; instead of `amount` or `amountDecimal`. */
  amountReceived?: string | undefined;
  amountReceivedDecimal?: string | undefined;
  splits?: readonly SplitInputs[] | undefined;
  memo?: string | undefined;
  tip?: { account?: string | undefined; lamports?: string | undefined } | undefined;
  recentBlockhash?: string | undefined;
  lastValidBlockHeight?: string | undefined;
  wrap?: boolean | undefined;
  unwrap?: boolean | undefined;
}

/** A split as texts. */
export interface SplitInputs {
  to?: string | undefined;
  amount?: string | undefined;
}

/** What the texts of a request say, as far as they are there and can be parsed. */
export interface TransferRequestParts extends TransferOptions {
  from: Address | undefined;
  to: Address | undefined;
  mint: Address | undefined;
  amount: TransferRequest['amount'] | undefined;
  splits: readonly SplitParts[];
  memo: Memo | undefined;
  recentBlockhash?: RecentBlockhash | undefined;
  tip?: Tip;
  wrap?: boolean;
  unwrap?: boolean;
  isFromVault?: boolean;
}

/** What the texts of a split say; `undefined` where one is absent or has a fault. */
export type SplitParts = Partial<Pick<Split, 'to' | 'amount'>>;

/** Parses the texts of a request, each by itself, reporting every fault of every text that is there. */
export function parseTransferRequest(inputs: TransferInputs): {
  parts: TransferRequestParts;
  findings: readonly Finding[];
} {
  const findings: Finding[] = [];
  const from = readAddress('from', inputs.from, findings);
  const to = readAddress('to', inputs.to, findings);
  const mint = readMint(inputs.mint, inputs.acceptsSol ?? false, findings);
  const amount = readAskedAmount(inputs, findings);
  const splits = readSplits(inputs.splits, findings);
  // Without a sender another address stands in as the fee payer: the request is refused anyway.
  const options = parseOptions(inputs, from ?? systemProgram, findings);
  const memo = readMemo('memo', inputs.memo, findings);
  const recentBlockhash = readRecentBlockhash(inputs, findings);
  const parts: TransferRequestParts = { ...options, from, to, mint, amount, memo, splits };
  const account = readAddress({ tip: 'account' }, inputs.tip?.account, findings);
  const lamports = readAmount({ tip: 'lamports' }, inputs.tip?.lamports, findings);
  if (account !== undefined && lamports !== undefined) parts.tip = { account, lamports };
  if (mint === sol) parts.createTokenAccount = 'never';
  for (const field of ['wrap', 'unwrap'] as const) {
    if (!inputs[field]) continue;
    parts[field] = true;
    const add = (kind: 'of_wrapped_sol' | 'with_max') => {
      findings.push({ code: 'invalid_value', field, context: { kind } });
    };
    if (mint && !isWrappedSol(mint)) add('of_wrapped_sol');
    if (field === 'wrap' && amount === 'max') add('with_max');
  }
  if (inputs.allowsOffCurveSender && from && !isAddressOnCurve(from)) parts.isFromVault = true;
  if (recentBlockhash !== undefined) parts.recentBlockhash = recentBlockhash;
  return { parts, findings };
}

function readAskedAmount(inputs: TransferInputs, findings: Finding[]): AskedAmount | undefined {
  const isMax = inputs.acceptsMax && inputs.amount === 'max';
  const baseUnits = isMax ? 'max' : readAmount('amount', inputs.amount, findings);
  // Without checks there may be nothing to send yet.
  if (isMax && inputs.checks === 'none') {
    findings.push({ code: 'invalid_value', field: 'amount', context: { kind: 'max_without_checks' } });
  }
  const decimal = readDecimalAmount('amountDecimal', inputs.amountDecimal, findings);
  const receivedUnits = readAmount('amountReceived', inputs.amountReceived, findings);
  const receivedDecimal = readDecimalAmount('amountReceivedDecimal', inputs.amountReceivedDecimal, findings);
  const received = receivedUnits ?? receivedDecimal;
  return baseUnits ?? decimal ?? (received && { received });
}

function readRecentBlockhash(inputs: TransferInputs, findings: Finding[]): RecentBlockhash | undefined {
  const { recentBlockhash: text, lastValidBlockHeight: height } = inputs;
  if (text === undefined && height === undefined) return undefined;
  // A blockhash is as long as an address, and is written as one.
  const blockhash = readAddress('recentBlockhash', text, findings);
  const lastValidBlockHeight = readBlockHeight('lastValidBlockHeight', height, findings);
  const add = (field: 'recentBlockhash' | 'lastValidBlockHeight', conflict: LifetimeConflict): void => {
    findings.push({ code: 'lifetime_conflict', field, context: { conflict } });
  };
  if (text === undefined) add('lastValidBlockHeight', 'height_without_blockhash');
  else if (inputs.nonceAccount !== undefined) add('recentBlockhash', 'blockhash_and_nonce');
  return blockhash && { blockhash, lastValidBlockHeight };
}

function readSplits(inputs: readonly SplitInputs[] | undefined, findings: Finding[]): readonly SplitParts[] {
  if (inputs === undefined) return [];
  if (inputs.length > maxSplits) {
    const context = { kind: 'too_many', count: inputs.length, max: maxSplits } as const;
    findings.push({ code: 'invalid_value', field: 'splits', context });
    return [];
  }
  return inputs.map(({ to, amount }, split): SplitParts => {
    const parts: SplitParts = {};
    const recipient = readAddress({ split, part: 'to' }, to, findings);
    const baseUnits = readAmount({ split, part: 'amount' }, amount, findings);
    if (recipient !== undefined) parts.to = recipient;
    if (baseUnits !== undefined) parts.amount = baseUnits;
    return parts;
  });
}
