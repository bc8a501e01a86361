/** The operations, each by the name that it has in the OpenAPI document and in the restrictions of a key. */
export const operations = [
  'memo_transfer',
  'yid_transfer',
  'create_transfer',
  'transfer',
  'batch',
  'payment_link',
  'webhook',
] as const;

/** The name of an operation. */
export type Operation = (typeof operations)[number];

/** The name of an operation that builds transactions. */
export type TransferOperation = Exclude<Operation, 'payment_link' | 'webhook'>;

/** Narrows a text to an operation. */
export function isOperation(text: string): text is Operation {
  return operations.some((operation) => operation === text);
}
