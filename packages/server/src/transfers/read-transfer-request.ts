import { randomBytes } from 'node:crypto';
import {
  type TokenAccountCreation,
  type TransferInputs,
  type TransferRequest,
  validateTransferRequest,
} from 'splwright-core';
import { holdsApiKey } from '../app/api-key.ts';
import type { FieldValues } from '../app/field-values.ts';
import type { TransferPath } from '../app/openapi/route-table.ts';
import { readBody } from '../app/read-body.ts';
import { describeFinding, invalidRequest, type MemoField } from '../app/refusal.ts';
import type { TransferOperation } from '../operation.ts';
import type { DescribedFinding } from '../problems.ts';

/** A body without faults: what it asks for, and how the reply is to be written. */
export interface ReadTransferRequest {
  operation: TransferOperation;
  values: FieldValues;
  /** The field that the memo came in, by which findings about the memo are named. */
  memoField: MemoField;
  transfer: TransferRequest;
}

/** The default of `create_token_account` by operation: the core knows no operations. */
const tokenAccountCreation: Readonly<Record<TransferOperation, TokenAccountCreation>> = {
  memo_transfer: 'never',
  yid_transfer: 'never',
  create_transfer: 'always',
  transfer: 'if_missing',
  batch: 'if_missing',
};

/**
 * Reads a parsed JSON body as a transfer request: its shape, its texts, and whether its memo would publish an API key.
 *
 * Throws an `AppError` of the code `invalid_request` with every fault.
 */
export function readTransferRequest(path: TransferPath, body: unknown): ReadTransferRequest {
  const { operation, values, findings, unlistedCount } = readBody(path, body);
  const memoField = memoFieldOf(values);
  const parsed = validateTransferRequest(
    withX402Memo({
      ...values,
      memo: values[memoField],
      createTokenAccount: values.createTokenAccount ?? tokenAccountCreation[operation],
    }),
  );
  const secrets = findApiKeysInMemo(values);
  const faultCount = findings.length + parsed.findings.length + secrets.length;
  // Fast path.
  if (faultCount === 0 && parsed.request) return { operation, values, memoField, transfer: parsed.request };
  const described = parsed.findings.flatMap((finding) => [
    describeFinding(finding, memoField),
    // Both were sent: the errors of the yid are reported in addition to those of the memo.
    ...(finding.field === 'memo' && memoField === 'memo' ? findYidFaults(operation, values) : []),
  ]);
  throw invalidRequest([...findings, ...described, ...secrets], unlistedCount, body);
}

// The core knows only one memo: the field that it came in is named here.
function memoFieldOf({ memo }: FieldValues): MemoField {
  return memo === undefined ? 'yid' : 'memo';
}

function findYidFaults(operation: TransferOperation, values: FieldValues): DescribedFinding[] {
  const inputs = {
    ...values,
    memo: values.yid,
    createTokenAccount: values.createTokenAccount ?? tokenAccountCreation[operation],
  };
  return validateTransferRequest(inputs)
    .findings.filter(({ field }) => field === 'memo')
    .map((finding) => describeFinding(finding, 'yid'));
}

// As many as the clients of `@x402/svm` draw.
const randomByteLength = 16;

/**
 * Returns the inputs of a transfer with a memo of 16 random bytes in hex where the x402 layout has none of its own.
 *
 * Two payments of the same amount with the same blockhash would otherwise be one transaction, which is paid once.
 */
export function withX402Memo(inputs: TransferInputs): TransferInputs {
  if (inputs.layout !== 'x402' || inputs.memo !== undefined) return inputs;
  return { ...inputs, memo: randomBytes(randomByteLength).toString('hex') };
}

/** Returns a finding for each memo that would publish an API key; none repeats the key. */
export function findApiKeysInMemo({ memo, yid }: Pick<FieldValues, 'memo' | 'yid'>): readonly DescribedFinding[] {
  return [...findIn('memo', memo), ...findIn('yid', yid)];
}

function findIn(field: 'memo' | 'yid', text: string | undefined): DescribedFinding[] {
  if (text === undefined || !holdsApiKey(text)) return [];
  const detail = `${field} has an API key in it, which everyone could read on chain. Send another ${field}.`;
  return [{ code: 'memo_holds_api_key', pointer: `/${field}`, detail }];
}
