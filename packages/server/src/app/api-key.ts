import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The text that every API key begins with, by which people and secret scanners recognize one. */
const apiKeyPrefix = 'swk_';

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 192 bits: the prefix that `keys list` shows leaves more than 160 of them unknown. */
const secretBytes = 24;
/** 62^33 is the first power of 62 past 2^192. */
const secretLength = 33;
/** 62^6 is past 2^32, the range of a CRC-32; 62^5 is not. */
const checksumLength = 6;
const shownSecretLength = 6;

/** The whole format; a secret scanner finds keys in any text with the same pattern, unanchored. */
const apiKeyPattern = /^swk_[0-9A-Za-z]{39}$/;

/**
 * Makes a new random API key.
 *
 * The text is `swk_`, 33 base62 digits (24 random bytes) and 6 base62 digits that hold the CRC-32 of those 33, as
 * GitHub's tokens do; secret scanners match it with `swk_[0-9A-Za-z]{39}`.
 */
export function generateApiKey(): string {
  const secret = toBase62(BigInt(`0x${randomBytes(secretBytes).toString('hex')}`), secretLength);
  return apiKeyPrefix + secret + checksumOf(secret);
}

/**
 * Returns whether a text can be an API key, without looking at any store.
 *
 * - `ok`: the form and the checksum are right; it may still be unknown, expired or revoked.
 * - `checksum_mismatch`: it begins like a key, but was mistyped or cut short.
 * - `not_a_key`: it is something else.
 */
export function checkApiKeyFormat(text: string): 'ok' | 'not_a_key' | 'checksum_mismatch' {
  if (!text.startsWith(apiKeyPrefix)) return 'not_a_key';
  if (!apiKeyPattern.test(text)) return 'checksum_mismatch';
  const secret = text.slice(apiKeyPrefix.length, -checksumLength);
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
  return key.slice(0, apiKeyPrefix.length + shownSecretLength);
}

// Plain arithmetic is faster than `toBase62`, and this runs for every key that is not in memory.
function checksumOf(secret: string): string {
  let digits = '';
  let rest = crc32(secret);
  for (let index = 0; index < checksumLength; index += 1) {
    digits = base62Digits.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function toBase62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= 62n) {
    digits = base62Digits.charAt(Number(rest % 62n)) + digits;
  }
  return digits.padStart(length, '0');
}

/** An API key or the beginning of one; the group is the part that may be shown. */
const apiKeyInText = /(swk_[0-9A-Za-z]{6})[0-9A-Za-z]+/g;

/**
 * Returns a text with every API key in it cut down to the prefix that may be shown.
 *
 * Fast enough for every line of a log: a text without a key costs some ten nanoseconds.
 */
export function maskApiKeys(text: string): string {
  return text.includes('swk_') ? text.replaceAll(apiKeyInText, '$1…') : text;
}

/** Returns whether a text contains an API key of full length; its checksum may be wrong. */
export function holdsApiKey(text: string): boolean {
  return text.includes('swk_') && /swk_[0-9A-Za-z]{39}/.test(text);
}
