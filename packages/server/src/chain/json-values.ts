import { malformed } from './upstream-faults.ts';

/** Thrown when plain parsing may have rounded an integer: the text must be parsed exactly. */
export class RoundedInteger extends Error {
  override readonly name = 'RoundedInteger';
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads an unsigned integer of 64 bits.
 *
 * Throws a `RoundedInteger` for one beyond 2^53 that was parsed plainly, and `upstream_error` for anything else.
 */
export function readU64(value: unknown, name: string): bigint {
  if (typeof value === 'bigint' && value >= 0n && value < 2n ** 64n) return value;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw malformed(`${name} is not an unsigned integer`);
  }
  if (!Number.isSafeInteger(value)) throw new RoundedInteger(name);
  return BigInt(value);
}

/**
 * Parses JSON with every integer beyond 2^53 as an exact `bigint`.
 *
 * Many times slower than `JSON.parse`. Throws a `SyntaxError` for what is not JSON.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, exactIntegers);
}

// The third argument is the ECMAScript proposal "JSON.parse source text access": Node supports it, TypeScript's types do not.
function exactIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(value);
  const source = context?.source;
  return isRounded && source !== undefined && /^-?[0-9]+$/.test(source) ? BigInt(source) : value;
}
