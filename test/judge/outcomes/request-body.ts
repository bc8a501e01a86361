import type { TransferInputs } from '../../../packages/core/src/request/parse-transfer-request.ts';
import type { TransferOperation } from '../../../packages/server/src/operation.ts';
import {
  createTransferBody,
  paths,
  type TransferPath,
  tokenTransferBody,
  transferBody,
} from '../../../packages/server/src/transfers/transfer-schema.ts';
import { fieldNames } from '../../../packages/server/src/transfers/words/finding-words.ts';

/** A request as it is posted. */
export interface PostedRequest {
  path: TransferPath;
  body: Readonly<Record<string, unknown>>;
}

/** An operation that builds one transfer. */
export type SingleOperation = Exclude<TransferOperation, 'batch'>;

const pathOf: Readonly<Record<SingleOperation, TransferPath>> = {
  memo_transfer: paths.memoTransfer,
  yid_transfer: paths.memoTransfer,
  create_transfer: paths.createTransfer,
  transfer: paths.transfers,
};

const fieldsOf = {
  memo_transfer: tokenTransferBody.properties,
  yid_transfer: tokenTransferBody.properties,
  create_transfer: createTransferBody.properties,
  transfer: transferBody.properties,
} as const;

/** Writes a request as the body of an operation. */
export function bodyOf(operation: SingleOperation, inputs: TransferInputs): PostedRequest {
  const { allowsOffCurveRecipient, layout, checks } = inputs;
  const values: Readonly<Record<string, unknown>> = { ...inputs };
  const named = Object.entries(fieldNames).map(([input, name]) => [name, values[input]] as const);
  const others = { allow_off_curve_recipient: allowsOffCurveRecipient, layout, checks, splits: splitsOf(inputs) };
  const isSent = ([name, value]: readonly [string, unknown]): boolean =>
    value !== undefined && Object.hasOwn(fieldsOf[operation], name);
  const body = Object.fromEntries([...named, ...Object.entries(others)].filter(isSent));
  // One field is enough for the memo, under the name that the operation has for it.
  const { memo, ...withoutMemo } = body;
  return { path: pathOf[operation], body: operation === 'yid_transfer' ? { ...withoutMemo, yid: memo } : body };
}

function splitsOf({ splits }: TransferInputs): unknown {
  return splits?.map(({ to, amount }) => ({ to_address: to, amount }));
}

/** The same body as text, with its members in another order and with white space. */
export function rewritten(body: PostedRequest['body']): string {
  return JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 2);
}
