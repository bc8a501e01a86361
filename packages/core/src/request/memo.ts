import type { MemoFault } from '../findings/finding-faults.ts';

/** A memo ready to go into a transaction: its text and its UTF-8 bytes. */
export interface Memo {
  text: string;
  bytes: Uint8Array;
}

const encoder = new TextEncoder();

/** Reads a memo text, or says why it cannot be one. A lone surrogate has no UTF-8 form, which the Memo program demands. */
export function parseMemo(text: string): { memo: Memo } | { fault: MemoFault } {
  if (text === '') return { fault: 'empty' };
  if (!text.isWellFormed()) return { fault: 'lone_surrogate' };
  return { memo: { text, bytes: encodeUtf8(text) } };
}

// Nearly all memos are plain ASCII, and short: a loop is done before the encoder is entered.
function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return encoder.encode(text);
    bytes[index] = code;
  }
  return bytes;
}
