import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The text that every API key begins with, by which people and secret scanners recognise one. */
const API_KEY_PREFIX = 'swk_';

const BASE62_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 192 bits, so that more than 160 stay unknown to somebody who has seen the prefix that `keys list` shows. */
const SECRET_BYTES = 24;
/** 62^33 is the first power of 62 past 2^192. */
const SECRET_LENGTH = 33;
/** 62^6 is past 2^32, the range of a CRC-32; 62^5 is not. */
const CHECKSUM_LENGTH = 6;
const SHOWN_SECRET_LENGTH = 6;

/** Every API key has this many characters. */
export const apiKeyLength = API_KEY_PREFIX.length + SECRET_LENGTH + CHECKSUM_LENGTH;

/** The whole format; a secret scanner finds keys in any text with the same pattern, unanchored. */
const API_KEY_PATTERN = /^swk_[0-9A-Za-z]{39}$/;

/**
 * Makes a new random API key.
 *
 * The text is `swk_`, 33 base62 digits (24 random bytes) and 6 base62 digits that hold the CRC-32 of those 33, as
 * GitHub's tokens do; secret scanners match it with `swk_[0-9A-Za-z]{39}`.
 */
export function generateApiKey(): string {
  const secret = toBase62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_LENGTH);
  return API_KEY_PREFIX + secret + checksumOf(secret);
}

/**
 * Tells whether a text can be an API key, without looking at any store.
 *
 * - `ok`: the form and the checksum are right; it may still be unknown, expired or revoked.
 * - `checksum_mismatch`: it begins as a key does, but was mistyped or cut short.
 * - `not_a_key`: it is something else.
 */
export function checkApiKeyFormat(text: string): 'ok' | 'not_a_key' | 'checksum_mismatch' {
  if (!text.startsWith(API_KEY_PREFIX)) return 'not_a_key';
  if (!API_KEY_PATTERN.test(text)) return 'checksum_mismatch';
  const secret = text.slice(API_KEY_PREFIX.length, -CHECKSUM_LENGTH);
  return text.endsWith(checksumOf(secret)) ? 'ok' : 'checksum_mismatch';
}

/**
 * The SHA-256 of a key's text, in lower-case hex: all that a store keeps of it.
 *
 * A plain hash is enough because a key is random: there is no dictionary to try against it.
 */
export function hashApiKey(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The first characters of a key (`swk_` and 6 more), by which people tell keys apart without seeing them. */
export function shownPrefixOf(key: string): string {
  return key.slice(0, API_KEY_PREFIX.length + SHOWN_SECRET_LENGTH);
}

// Plain arithmetic, not `toBase62`: it runs for every key that is not known yet.
function checksumOf(secret: string): string {
  let digits = '';
  let rest = crc32(secret);
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = BASE62_DIGITS.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function toBase62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= 62n) {
    digits = BASE62_DIGITS.charAt(Number(rest % 62n)) + digits;
  }
  return digits.padStart(length, '0');
}
