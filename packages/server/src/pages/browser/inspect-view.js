import { fromBase58 } from './base58.js';
import { make } from './make.js';
import { showReply } from './reply-view.js';

/**
 * Shows what pasted bytes do. They do not leave the browser.
 * @param {unknown} transaction an array of integers, or a text in base64 or base58
 * @returns {Promise<string | undefined>} what is wrong with the text, if it holds no bytes
 */
export async function inspect(transaction) {
  const bytes = readBytes(transaction);
  if (!bytes) return 'transaction must be base64, base58 or an array of integers from 0 to 255.';
  const { renderBytes } = await import('./bytes-view.js');
  const place = make('div', {});
  showReply(() => [place]);
  renderBytes(place, bytes);
  return undefined;
}

/** @param {unknown} value */
function readBytes(value) {
  if (Array.isArray(value)) {
    const isBytes = value.every((each) => Number.isInteger(each) && each >= 0 && each <= 255);
    return isBytes ? Uint8Array.from(value) : undefined;
  }
  const text = String(value ?? '').replaceAll(/\s/g, '');
  if (text === '') return undefined;
  // A text of base58 alone may be base64 too: no transaction is, because it has signatures of zeros or of random bytes.
  try {
    if (/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return fromBase58(text);
    return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  } catch {
    return undefined;
  }
}
