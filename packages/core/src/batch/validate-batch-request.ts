import type { Address } from '../addresses/address.ts';
import { isAddressOnCurve } from '../addresses/known-addresses.ts';
import { systemProgram } from '../addresses/programs.ts';
import { checkMemo } from '../decide/check-memo.ts';
import type { Finding } from '../findings/finding.ts';
import type { Steps } from '../plan/steps.ts';
import type { NamedAmount } from '../request/amount.ts';
import { parseOptions, type TransferOptionInputs } from '../request/parse-options.ts';
import {
  readAddress,
  readAmount,
  readDecimalAmount,
  readMemo,
  readMint,
  readReferences,
} from '../request/read-values.ts';
import {
  type BatchPayment,
  type BatchRequest,
  creationFor,
  maxBatchTransfers,
  type RequestedPayment,
} from '../request/transfer-request.ts';
import type { KnownTransfers } from './batch-parts.ts';

/** One transfer of a batch as texts; `undefined` is a value that was not given. */
export interface BatchTransferInputs {
  to?: string | undefined;
  /** Absent where it is that of the batch. */
  mint?: string | undefined;
  amount?: string | undefined;
  /** Instead of `amount`. */
  amountDecimal?: string | undefined;
  memo?: string | undefined;
  references?: readonly string[] | undefined;
}

/** A batch as texts and plain values, not parsed. */
export interface BatchInputs extends Omit<TransferOptionInputs, 'layout' | 'references'> {
  from?: string | undefined;
  mint?: string | undefined;
  transfers?: readonly BatchTransferInputs[] | undefined;
}

/** The request that texts make, and what is wrong with them. */
export interface ValidatedBatch {
  request: BatchRequest | undefined;
  findings: readonly Finding[];
  /** The transfers whose recipient and amount are known; `undefined` where there is none, or the sender or the mint is not known. */
  known: KnownTransfers | undefined;
}

/**
 * Parses the texts of a batch and reports everything that is wrong with it before anything is read from the chain.
 *
 * Returns no request when an address or an amount is absent, even without a finding: absence is the caller's to report.
 */
export function* validateBatchRequest(inputs: BatchInputs): Steps<ValidatedBatch> {
  const findings: Finding[] = [];
  const from = readAddress('from', inputs.from, findings);
  const mint = readMint(inputs.mint, true, findings);
  // Without a sender another address stands in as the fee payer: the request is refused anyway.
  const { references, ...options } = parseOptions(inputs, from ?? systemProgram, findings);
  if (from && !isAddressOnCurve(from)) {
    findings.push({ code: 'sender_off_curve', field: 'from', context: { sender: from } });
  }
  const texts = inputs.transfers ?? [];
  if (inputs.transfers && texts.length === 0) {
    findings.push({ code: 'invalid_value', field: 'transfers', context: { kind: 'none' } });
  }
  if (texts.length > maxBatchTransfers) {
    const context = { kind: 'too_many', count: texts.length, max: maxBatchTransfers } as const;
    findings.push({ code: 'invalid_value', field: 'transfers', context });
    return { request: undefined, findings, known: undefined };
  }
  const surroundings = {
    ...options,
    from: from ?? systemProgram,
    splits: [],
  };
  const transfers: BatchPayment[] = [];
  const indices: number[] = [];
  for (const [index, each] of texts.entries()) {
    const read = readTransfer(index, each, findings);
    if (read.to !== undefined && read.to === from) {
      findings.push({ code: 'same_wallet', field: { transfer: index, part: 'to' }, context: { wallet: from } });
    }
    // Whether it fits a transaction that makes this transfer alone.
    const paid = read.mint ?? mint ?? systemProgram;
    const createTokenAccount = creationFor(paid, options.createTokenAccount);
    const around = { ...surroundings, ...read, to: read.to ?? systemProgram, mint: paid, createTokenAccount };
    const fault = read.memo && checkMemo(read.memo, around);
    if (fault) findings.push({ ...fault, field: { transfer: index, part: 'memo' } });
    const isOfKnownMint = each.mint === undefined || read.mint !== undefined;
    if (read.to !== undefined && read.amount !== undefined && isOfKnownMint) {
      const { to, amount, memo, references, mint: own } = read;
      transfers.push({ to, amount, memo, references, ...(own !== undefined && { mint: own }) });
      indices.push(index);
    }
    yield;
  }
  const known =
    from && mint && transfers.length > 0
      ? { request: { ...options, layout: 'default' as const, from, mint, transfers }, indices }
      : undefined;
  const isComplete = transfers.length === texts.length && findings.length === 0;
  return { request: isComplete ? known?.request : undefined, findings, known };
}

interface ReadTransfer extends Pick<RequestedPayment, 'memo' | 'references'> {
  to: Address | undefined;
  mint: Address | undefined;
  amount: NamedAmount | undefined;
}

function readTransfer(transfer: number, inputs: BatchTransferInputs, findings: Finding[]): ReadTransfer {
  const { amountDecimal, memo, references } = inputs;
  const amount = readAmount({ transfer, part: 'amount' }, inputs.amount, findings);
  const decimal =
    amountDecimal === undefined
      ? undefined
      : readDecimalAmount({ transfer, part: 'amountDecimal' }, amountDecimal, findings);
  return {
    to: readAddress({ transfer, part: 'to' }, inputs.to, findings),
    mint: readMint(inputs.mint, true, findings, { transfer, part: 'mint' }),
    amount: amount ?? decimal,
    memo: memo === undefined ? undefined : readMemo({ transfer, part: 'memo' }, memo, findings),
    references: references === undefined ? [] : readTransferReferences(transfer, references, findings),
  };
}

function readTransferReferences(transfer: number, texts: readonly string[], findings: Finding[]): readonly Address[] {
  return readReferences(
    { transfer, part: 'references' },
    (index) => ({ transfer, part: 'references', index }),
    texts,
    findings,
  );
}
