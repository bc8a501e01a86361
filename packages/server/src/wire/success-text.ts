import type { Static } from 'typebox';
import type { TransferOperation } from '../operation.ts';
import { type replySchemas, statusTexts } from './replies.ts';

/** What the reply of `/v1/transfers` says. */
export type TransferData = Static<typeof replySchemas.transfer>['data'];

/** The JSON text of the reply of `/v1/transfers`. */
export function transferText(data: TransferData): string {
  return JSON.stringify({ data, status: statusTexts.transfer });
}

/** What a success reply of the other operations says, its transaction as bytes or as a text already encoded. */
export interface Success {
  operation: Exclude<TransferOperation, 'transfer'>;
  transaction: Uint8Array | string;
  /** The blockhash in the bytes, or the nonce. */
  lifetimeToken: string;
  summary: object | undefined;
}

/** The JSON text of a success reply: exactly the members that `replySchemas` names, in their order. */
export function successText({ operation, transaction, lifetimeToken, summary }: Success): string {
  const encoded = typeof transaction === 'string' ? JSON.stringify(transaction) : byteArrayText(transaction);
  const data =
    operation === 'memo_transfer'
      ? `{"transaction":${encoded},"latestBlockhash":${JSON.stringify(lifetimeToken)}}`
      : encoded;
  const end = summary ? `,"summary":${JSON.stringify(summary)}}` : '}';
  return `{"data":${data},"status":"${statusTexts[operation]}"${end}`;
}

// Of each byte: its decimal digits and a comma, and how many characters that are.
const charactersPerByte = 4;
const byteTexts = new Uint8Array(256 * charactersPerByte);
const byteTextLengths = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  const text = `${byte},`;
  byteTextLengths[byte] = text.length;
  for (let index = 0; index < text.length; index++)
    byteTexts[byte * charactersPerByte + index] = text.charCodeAt(index);
}

// The largest transaction of any version has 4,096 bytes; a larger array would still be encoded, in a buffer of its own.
const largestTransaction = 4096;
const scratch = Buffer.alloc(largestTransaction * charactersPerByte);

// Some ten times as fast as the general way: each byte's text is copied whole, and the next one begins where it ends.
function byteArrayText(bytes: Uint8Array): string {
  const target = bytes.length <= largestTransaction ? scratch : Buffer.alloc(bytes.length * charactersPerByte);
  let at = 0;
  for (const byte of bytes) {
    const from = byte * charactersPerByte;
    target[at] = byteTexts[from] ?? 0;
    target[at + 1] = byteTexts[from + 1] ?? 0;
    target[at + 2] = byteTexts[from + 2] ?? 0;
    target[at + 3] = byteTexts[from + 3] ?? 0;
    at += byteTextLengths[byte] ?? 0;
  }
  return `[${target.toString('latin1', 0, Math.max(at - 1, 0))}]`;
}
