import type { TransferInputs } from '../../../packages/core/src/request/parse-transfer-request.ts';
import { fields } from '../../../packages/server/src/app/field-table.ts';
import { isFieldName, takesField } from '../../../packages/server/src/app/fields.ts';
import { paths, type TransferPath } from '../../../packages/server/src/app/openapi/route-table.ts';
import type { TransferOperation } from '../../../packages/server/src/operation.ts';

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

/** Writes a request as the body of an operation. */
export function bodyOf(operation: SingleOperation, inputs: TransferInputs): PostedRequest {
  const body: Record<string, unknown> & { yid?: unknown } = {};
  const values: Readonly<Record<string, unknown>> = { ...inputs };
  for (const [name, { property }] of Object.entries(fields)) {
    if (!isFieldName(name) || !takesField(operation, name) || values[property] === undefined) continue;
    body[name] = name === 'splits' ? splitsOf(inputs) : values[property];
  }
  // One field is enough for the memo, under the name that the operation has for it.
  if (operation === 'yid_transfer') body.yid = inputs.memo;
  return { path: pathOf[operation], body };
}

function splitsOf({ splits = [] }: TransferInputs): unknown {
  return splits.map(({ to, amount }) => ({ to_address: to, amount }));
}

/** The same body as text, with its members in another order and with white space. */
export function rewritten(body: PostedRequest['body']): string {
  return JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 2);
}
