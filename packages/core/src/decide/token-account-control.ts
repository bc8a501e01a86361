import type { Account } from '../accounts/account.ts';
import { isInitializedTokenAccount } from '../accounts/token-state.ts';
import { type Address, addressFromBytes } from '../addresses/address.ts';
import { readU32, readU64 } from '../bytes/little-endian.ts';

/** Who may take tokens out of a token account. */
export interface TokenAccountControl {
  owner: Address;
  /** May send so many base units. */
  delegate: { address: Address; amount: bigint } | undefined;
  /** May close the account, if it is not the owner; of wrapped SOL also while it holds some. */
  closeAuthority: Address | undefined;
  /** Whether the tokens are wrapped SOL: whoever closes the account takes them. */
  isNative: boolean;
}

// Optional fields: a u32 that is 1 where there is a value, then the value (token `interface/src/state.rs`, `Account`).
const ownerOffset = 32;
const delegateOffset = 72;
const isNativeOffset = 109;
const delegatedAmountOffset = 121;
const closeAuthorityOffset = 129;

/** Reads who may take tokens out of an account, or `undefined` when it is not an initialized token account. */
export function readTokenAccountControl(account: Account | null): TokenAccountControl | undefined {
  if (account === null || !isInitializedTokenAccount(account)) return undefined;
  const { data } = account;
  const delegate = readOptionalAddress(data, delegateOffset);
  return {
    owner: addressFromBytes(data.subarray(ownerOffset, ownerOffset + 32)),
    delegate: delegate && { address: delegate, amount: readU64(data, delegatedAmountOffset) },
    closeAuthority: readOptionalAddress(data, closeAuthorityOffset),
    isNative: readU32(data, isNativeOffset) === 1,
  };
}

/** Returns true when the token account is missing, or only its owner can move its tokens. */
export function isOwnersAlone(account: Account | null): boolean {
  if (account === null || !isInitializedTokenAccount(account)) return true;
  return readU32(account.data, delegateOffset) !== 1 && readU32(account.data, isNativeOffset) !== 1;
}

function readOptionalAddress(data: Uint8Array, offset: number): Address | undefined {
  return readU32(data, offset) === 1 ? addressFromBytes(data.subarray(offset + 4, offset + 36)) : undefined;
}
