import { createHash } from 'node:crypto';
import { type EncodedAccount, getAddressDecoder, getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { type DecodedMessage, isStaticWritable } from './transaction-decoding.ts';

/** An initialized nonce account as far as a transaction's lifetime needs it. */
export interface NonceState {
  authority: string;
  /** Base58 of 32 bytes: what stands in place of a recent blockhash. */
  nonce: string;
}

/** u32 version, u32 state, 32 bytes of authority, 32 bytes of nonce, u64 lamports per signature (`solana-nonce`). */
const nonceAccountBytes = 80;
const authorityOffset = 8;
const nonceOffset = 40;
const currentVersion = 1;
const initializedState = 1;
const advanceNonceAccount = 4;

/** Reads a nonce account; undefined when it is none, or not initialized. */
export function decodeNonceAccount(account: EncodedAccount): NonceState | undefined {
  const { data } = account;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const initialized =
    account.programAddress === SYSTEM_PROGRAM_ADDRESS &&
    data.length === nonceAccountBytes &&
    view.getUint32(0, true) === currentVersion &&
    view.getUint32(4, true) === initializedState;
  if (!initialized) return undefined;
  return {
    authority: getAddressDecoder().decode(data.slice(authorityOffset, nonceOffset)),
    nonce: getBase58Decoder().decode(data.slice(nonceOffset, nonceOffset + 32)),
  };
}

/** Returns the address of the nonce account that a message advances first; undefined when it has a blockhash's lifetime. */
export function nonceAddressOf(message: DecodedMessage): string | undefined {
  const first = message.instructions[0];
  if (first === undefined || message.staticAddresses[first.programIndex] !== SYSTEM_PROGRAM_ADDRESS) return undefined;
  const view = new DataView(first.data.buffer, first.data.byteOffset, first.data.byteLength);
  if (first.data.length < 4 || view.getUint32(0, true) !== advanceNonceAccount) return undefined;
  const index = first.accountIndices[0];
  return index !== undefined && isStaticWritable(message, index) ? message.staticAddresses[index] : undefined;
}

/** Returns whether a signer of the message authorizes the first instruction of the message. */
export function isNonceAuthorized(message: DecodedMessage, state: NonceState): boolean {
  const indices = message.instructions[0]?.accountIndices ?? [];
  return indices.some(
    (index) => index < message.header.numSignerAccounts && message.staticAddresses[index] === state.authority,
  );
}

/**
 * Returns the account with its nonce advanced from `previous`: SHA-256 of "DURABLE_NONCE" and a blockhash, for which the
 * virtual machine takes the transaction's own lifetime, the previous nonce.
 */
export function advanceNonce(account: EncodedAccount, previous: string): EncodedAccount {
  const data = Uint8Array.from(account.data);
  const next = createHash('sha256')
    .update('DURABLE_NONCE')
    .update(Uint8Array.from(getBase58Encoder().encode(previous)))
    .digest();
  data.set(next, nonceOffset);
  return { ...account, data };
}
