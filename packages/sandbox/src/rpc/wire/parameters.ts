import { type Address, isAddress, isSignature, type Signature } from '@solana/kit';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Commitment } from '../../ledger/slot-clock.ts';
import { invalidParameters, minContextSlotNotReachedCode, RpcError } from './rpc-errors.ts';

/** A request's parameters, by position. */
export type RpcParameters = readonly unknown[];

/** A configuration object among the parameters. */
export type RpcConfig = Readonly<Record<string, unknown>>;

/** The state of the ledger that an answer was read from. */
export interface RpcContext {
  apiVersion: string;
  slot: bigint;
}

/** The version of the validator whose answers the sandbox gives. */
export const apiVersion = '4.0.0';

/** Longest base58 texts of 32 and of 64 bytes. */
const maxAddressCharacters = 44;
const maxSignatureCharacters = 88;

const base58Text = /^[1-9A-HJ-NP-Za-km-z]*$/;

const commitments: Readonly<Record<string, Commitment>> = {
  processed: 'processed',
  confirmed: 'confirmed',
  finalized: 'finalized',
};

/** Returns a parameter that must be there. */
export function required(parameters: RpcParameters, index: number): unknown {
  const value = parameters[index];
  if (value === undefined) throw invalidParameters(`\`params\` should have at least ${index + 1} argument(s)`);
  return value;
}

/** Reads a text. */
export function asString(value: unknown): string {
  if (typeof value !== 'string') throw invalidParameters('Invalid params: invalid type, expected a string.');
  return value;
}

/** Reads a list. */
export function asArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidParameters('Invalid params: invalid type, expected a sequence.');
  return value;
}

function isConfig(value: unknown): value is RpcConfig {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a configuration object; absent and null are an empty one. */
export function asConfig(value: unknown): RpcConfig {
  if (value === undefined || value === null) return {};
  if (!isConfig(value)) throw invalidParameters('Invalid params: invalid type, expected a configuration object.');
  return value;
}

/** Reads an integer from 0 to 2^64 - 1. */
export function asUnsigned(value: unknown): bigint {
  const integer = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof integer !== 'bigint' || integer < 0n || integer >= 1n << 64n) {
    throw invalidParameters('Invalid params: invalid type, expected u64.');
  }
  return integer;
}

/** Reads a flag; absent and null are false. */
export function asFlag(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw invalidParameters('Invalid params: invalid type, expected a boolean.');
  return value;
}

/** Makes a validator's error for a text that is not base58 of the expected length. */
function base58Error(text: string, maxCharacters: number): RpcError {
  if (text.length > maxCharacters) return invalidParameters('Invalid param: WrongSize');
  return invalidParameters(base58Text.test(text) ? 'Invalid param: WrongSize' : 'Invalid param: Invalid');
}

/** Reads base58 of 32 bytes. */
export function asAddress(value: unknown): Address {
  const text = asString(value);
  if (isAddress(text)) return text;
  throw base58Error(text, maxAddressCharacters);
}

/** Reads base58 of 64 bytes. */
export function asSignature(value: unknown): Signature {
  const text = asString(value);
  if (isSignature(text)) return text;
  throw base58Error(text, maxSignatureCharacters);
}

/** Makes the error for a name that is none of those that a member may have. */
export function unknownVariant(name: string, known: readonly string[]): RpcError {
  const expected = known.map((each) => `\`${each}\``).join(', ');
  return invalidParameters(`Invalid params: unknown variant \`${name}\`, expected one of ${expected}.`);
}

/** Reads `commitment`; `finalized` when it is absent, and, as at a validator, when it is no commitment. */
export function commitmentOf(config: RpcConfig, absent: Commitment = 'finalized'): Commitment {
  const name = config.commitment;
  const known = typeof name === 'string' && Object.hasOwn(commitments, name) ? commitments[name] : undefined;
  return known ?? absent;
}

/** Reads `preflightCommitment`, which, unlike `commitment`, must be one when it is there. */
export function preflightCommitmentOf(config: RpcConfig, absent: Commitment): Commitment {
  const name = config.preflightCommitment;
  if (name === undefined || name === null) return absent;
  const known = Object.hasOwn(commitments, asString(name)) ? commitments[asString(name)] : undefined;
  if (known === undefined) throw unknownVariant(asString(name), Object.keys(commitments));
  return known;
}

/** Reads a commitment for what a block has; `processed` is refused, as a validator does. */
export function confirmedCommitmentOf(config: RpcConfig): Commitment {
  const commitment = commitmentOf(config);
  if (commitment === 'processed') throw invalidParameters('Method does not support commitment below `confirmed`');
  return commitment;
}

/** Returns the slot of an answer at this commitment; throws when `minContextSlot` is ahead of it. */
export function contextAt(ledger: Ledger, config: RpcConfig, commitment: Commitment): RpcContext {
  const slot = ledger.slot(commitment);
  const minContextSlot = config.minContextSlot;
  if (minContextSlot !== undefined && minContextSlot !== null && asUnsigned(minContextSlot) > slot) {
    throw new RpcError(minContextSlotNotReachedCode, 'Minimum context slot has not been reached', {
      contextSlot: slot,
    });
  }
  return { apiVersion, slot };
}
