import { decodeBase58 } from 'splwright-core/base58';
import { renderBytes } from './bytes-view.ts';
import { make } from './dom.ts';
import { showFaults } from './refusals.ts';
import { clearReply, showReply } from './reply-view.ts';
import { fromBase64 } from './transaction-bytes.ts';

/** Shows what pasted bytes do, an array of integers, base64 or base58. They do not leave the browser. */
export function inspect(transaction: unknown): void {
  const bytes = readBytes(transaction);
  if (!bytes) {
    clearReply();
    const detail = 'transaction must be base64, base58 or an array of integers from 0 to 255.';
    showFaults('No bytes', [{ pointer: '/transaction', detail }]);
    return;
  }
  const place = make('div', {});
  renderBytes(place, bytes);
  showReply(() => [place]);
}

function readBytes(value: unknown): Uint8Array | undefined {
  if (Array.isArray(value)) {
    const isBytes = value.every((each) => Number.isInteger(each) && each >= 0 && each <= 255);
    return isBytes ? Uint8Array.from(value) : undefined;
  }
  const text = String(value ?? '').replaceAll(/\s/g, '');
  if (text === '') return undefined;
  // A text of base58 alone may be base64 too: no transaction is, because it has signatures of zeros or of random bytes.
  const decoded = decodeBase58(text);
  if ('bytes' in decoded) return decoded.bytes;
  try {
    return fromBase64(text);
  } catch {
    return undefined;
  }
}
