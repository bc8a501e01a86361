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

/** Reads the slot and the value of an answer with a context. Throws `upstream_error` when it has none. */
export function readContext(result: unknown): { slot: bigint; value: unknown } {
  if (!isRecord(result) || !isRecord(result.context)) throw malformed('its answer has no context');
  return { slot: readU64(result.context.slot, 'slot'), value: result.value };
}

// The deepest one is {"InstructionError":[0,{"Custom":1}]} (`TransactionError` of solana-transaction-error).
const maxErrorDepth = 5;
const maxErrorMembers = 5;
const maxErrorTextLength = 1_000;

/** Whether a value can be the error of a transaction, also a new one: all are small. The bounds limit what is repeated to callers. */
export function isTransactionError(error: unknown, depth = 1): boolean {
  if (typeof error === 'string') return error.length <= maxErrorTextLength;
  if (typeof error !== 'object' || error === null) return true;
  const entries = Object.entries(error);
  const areSmall = entries.length <= maxErrorMembers && entries.every(([name]) => name.length <= maxErrorTextLength);
  return areSmall && depth < maxErrorDepth && entries.every(([, value]) => isTransactionError(value, depth + 1));
}

// The last second of a `Date`.
const maxTime = 8_640_000_000_000n;

/** Reads the estimated time of a block, in seconds since 1970; `null` where the node has none. */
export function readBlockTime(value: unknown): bigint | null {
  if ((value ?? null) === null) return null;
  const time = readU64(value, 'blockTime');
  if (time > maxTime) throw malformed('blockTime is no time');
  return time;
}

/** Reads bytes as nodes write them, `["AAEC", "base64"]`; `what` names them. Throws `upstream_error` for anything else. */
export function readBase64(value: unknown, what: string): Uint8Array {
  const [text, encoding]: unknown[] = Array.isArray(value) ? value : [];
  const bytes = typeof text === 'string' && encoding === 'base64' ? decodeBase64(text) : undefined;
  if (!bytes) throw malformed(`${what} is not base64`);
  return bytes;
}

const noBytes = Buffer.alloc(0);

/** Decodes the base64 text (RFC 4648, padded) of some bytes; `undefined` for a text that no bytes encode to. */
export function decodeBase64(text: string): Uint8Array | undefined {
  // Wallets have no data.
  if (text === '') return noBytes;
  const bytes = Buffer.from(text, 'base64');
  // Buffer skips characters that are not base64, and accepts a truncated text, the alphabet of base64url, and stray bits at the
  // end. The first two change the length; re-encoding the last group catches the stray bits.
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const isWhole = text.length % 4 === 0 && bytes.length === (text.length / 4) * 3 - padding;
  if (!isWhole || text.includes('-') || text.includes('_')) return undefined;
  if (padding > 0 && bytes.toString('base64', bytes.length - 3 + padding) !== text.slice(-4)) return undefined;
  return bytes;
}
