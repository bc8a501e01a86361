import { type Address, addressFromBytes, addressToBytes } from '../addresses/address.ts';
import { isAddressInData } from '../addresses/known-addresses.ts';
import { isTokenProgram, systemProgram, token2022Program, tokenProgram } from '../addresses/programs.ts';
import { readU32, readU64 } from '../bytes/little-endian.ts';
import type { Account } from './account.ts';
import { decodeTransferFeeConfig, type TransferFeeConfig } from './transfer-fee.ts';
import { decodeUiAmountConfig, type UiAmountConfig } from './ui-amount.ts';

// Sizes and offsets: token `interface/src/state.rs`; token-2022 `interface/src/extension/mod.rs` (account type byte).
const mintLength = 82;
const tokenAccountLength = 165;
const multisigLength = 355;
const stateOffset = 108;
const accountTypeOffset = 165;
const accountTypeMint = 1;
const accountTypeTokenAccount = 2;
// `AccountState`: 0 is uninitialized, and every other value is of no state that a token program writes.
const stateInitialized = 1;
const stateFrozen = 2;
// ConfidentialTransferAccount: approved, ElGamal key, three ciphertexts, decryptable balance and one flag come before.
const allowNonConfidentialCreditsOffset = 1 + 32 + 3 * 64 + 36 + 1;

/** What a transfer must know of a mint. */
export interface Mint {
  tokenProgram: Address;
  decimals: number;
  isPaused: boolean;
  /** Who may pause all transfers. */
  pauseAuthority: Address | undefined;
  isNonTransferable: boolean;
  /** Whether new token accounts are frozen until the issuer thaws them. */
  freezesNewAccounts: boolean;
  /** Who may thaw new token accounts, where they are frozen. */
  thawAuthority: Address | undefined;
  transferFeeConfig: TransferFeeConfig | undefined;
  /** Who may set another transfer fee, from a later epoch on. */
  transferFeeAuthority: Address | undefined;
  /** The program that is called on every transfer. */
  transferHookProgram: Address | undefined;
  /** Who may set another hook program. */
  transferHookAuthority: Address | undefined;
  hasFreezeAuthority: boolean;
  /** Who may move or burn all tokens of this mint. */
  permanentDelegate: Address | undefined;
  hasCloseAuthority: boolean;
  isInterestBearing: boolean;
  hasScaledUiAmount: boolean;
  /** How wallets show its amounts; `undefined` where they show them as they are. */
  uiAmountConfig: UiAmountConfig | undefined;
  extensionCount: number;
  /** Extension types that are newer than this service. */
  unknownExtensions: readonly number[];
  /** Bytes of a new associated token account, the extensions that the mint brings included. */
  tokenAccountLength: number;
}

/** What a transfer must know of a token account. Amounts are in base units. */
export interface TokenAccount {
  tokenProgram: Address;
  owner: Address;
  amount: bigint;
  isFrozen: boolean;
  /** Who may send from it besides its owner, and how much. */
  delegate: { address: Address; amount: bigint } | undefined;
  /** May close the account, if it is not the owner; of wrapped SOL also while it holds some. */
  closeAuthority: Address | undefined;
  /** Whether the tokens are wrapped SOL: the close authority takes them. */
  isNative: boolean;
  requiresMemo: boolean;
  refusesPublicCredits: boolean;
}

/** What an account owned by a token program is. */
export type TokenProgramAccountKind = 'mint' | 'token_account' | 'multisig' | 'unknown';

/**
 * Classifies an account of one of the token programs by its length and type byte, before any field of it is trusted.
 *
 * Returns `undefined` for an account of any other program.
 */
export function classifyTokenProgramAccount(account: Account): TokenProgramAccountKind | undefined {
  if (!isTokenProgram(account.owner)) return undefined;
  const { length } = account.data;
  if (length === multisigLength) return 'multisig';
  if (length === mintLength) return 'mint';
  if (length === tokenAccountLength) return 'token_account';
  if (account.owner === token2022Program && length > accountTypeOffset) {
    if (account.data[accountTypeOffset] === accountTypeMint) return 'mint';
    if (account.data[accountTypeOffset] === accountTypeTokenAccount) return 'token_account';
  }
  return 'unknown';
}

/**
 * Reads a mint, or `undefined` when the account is not an initialized mint of one of the token programs, or holds an extension of
 * a size that they never write.
 */
export function decodeMint(account: Account): Mint | undefined {
  if (classifyTokenProgramAccount(account) !== 'mint') return undefined;
  const isInitialized = account.data[45] === 1;
  if (!isInitialized) return undefined;
  const extensions = readExtensions(account.data);
  if (findMissizedExtension(extensions)) return undefined;
  const fee = extensions.get(extensionType.transferFeeConfig);
  const hook = extensions.get(extensionType.transferHook);
  const pausable = extensions.get(extensionType.pausable);
  const scaled = extensions.get(extensionType.scaledUiAmount);
  const interest = extensions.get(extensionType.interestBearing);
  const freezesNewAccounts = extensions.get(extensionType.defaultAccountState)?.[0] === stateFrozen;
  return {
    tokenProgram: account.owner,
    decimals: account.data[44] ?? 0,
    isPaused: pausable?.[32] === 1,
    pauseAuthority: pausable && readOptionalAddress(pausable.subarray(0, 32)),
    isNonTransferable: extensions.has(extensionType.nonTransferable),
    freezesNewAccounts,
    thawAuthority: freezesNewAccounts ? optionalAddressAt(account.data, 46) : undefined,
    transferFeeAuthority: fee && readOptionalAddress(fee.subarray(0, 32)),
    transferHookProgram: hook && readOptionalAddress(hook.subarray(32, 64)),
    transferHookAuthority: hook && readOptionalAddress(hook.subarray(0, 32)),
    permanentDelegate: readOptionalAddress(extensions.get(extensionType.permanentDelegate)),
    hasCloseAuthority: readOptionalAddress(extensions.get(extensionType.mintCloseAuthority)) !== undefined,
    isInterestBearing: interest !== undefined,
    hasScaledUiAmount: scaled !== undefined,
    extensionCount: extensions.size,
    unknownExtensions: [...extensions.keys()].filter((type) => type > newestKnownExtensionType),
    tokenAccountLength: lengthOfTokenAccount(account.owner, extensions),
    hasFreezeAuthority: readU32(account.data, 46) === 1,
    transferFeeConfig: fee && decodeTransferFeeConfig(fee),
    uiAmountConfig: decodeUiAmountConfig(scaled, interest),
  };
}

/** Which token account is expected at an address. */
export interface ExpectedTokenAccount {
  mint: Address;
  tokenProgram: Address;
  /** Changes nothing but the time it takes: an owner that is this one is not encoded again. */
  likelyOwner: Address;
}

/**
 * Reads a token account. Returns `undefined` when the account is not an initialized one of the expected mint and token program,
 * or is in a state that is not known here.
 */
export function decodeTokenAccount(account: Account, expected: ExpectedTokenAccount): TokenAccount | undefined {
  if (account.owner !== expected.tokenProgram || !isInitializedTokenAccount(account)) return undefined;
  const { data } = account;
  if (!isAddressInData(data, 0, expected.mint)) return undefined;
  const { likelyOwner } = expected;
  const delegate = optionalAddressAt(data, 72);
  const extensions = readExtensions(data);
  return {
    tokenProgram: account.owner,
    owner: isAddressInData(data, 32, likelyOwner) ? likelyOwner : ownerIn(data),
    amount: readU64(data, 64),
    isFrozen: data[stateOffset] === stateFrozen,
    delegate: delegate && { address: delegate, amount: readU64(data, 121) },
    closeAuthority: optionalAddressAt(data, 129),
    isNative: readU32(data, 109) === 1,
    requiresMemo: extensions.get(extensionType.memoTransfer)?.[0] === 1,
    refusesPublicCredits:
      extensions.get(extensionType.confidentialTransferAccount)?.[allowNonConfidentialCreditsOffset] === 0,
  };
}

/** The owner of a token account of any mint, or `undefined` when the account is not an initialized token account. */
export function tokenAccountOwner(account: Account): Address | undefined {
  return isInitializedTokenAccount(account) ? ownerIn(account.data) : undefined;
}

/** Returns whether an account is a token account that can hold tokens, frozen or not. */
function isInitializedTokenAccount(account: Account): boolean {
  if (classifyTokenProgramAccount(account) !== 'token_account') return false;
  return account.data[stateOffset] === stateInitialized || account.data[stateOffset] === stateFrozen;
}

/** Returns whether a token account can still be created at the address of this account: there is none, or one of lamports alone. */
export function isVacant(account: Account | null): boolean {
  return account === null || (account.owner === systemProgram && account.data.length === 0);
}

/** Returns the data of a new token account that is frozen, without its extensions. */
export function newFrozenAccountData(mint: Address, owner: Address): Uint8Array {
  const data = new Uint8Array(tokenAccountLength);
  data.set(addressToBytes(mint), 0);
  data.set(addressToBytes(owner), 32);
  data[stateOffset] = stateFrozen;
  return data;
}

function ownerIn(data: Uint8Array): Address {
  return addressFromBytes(data.subarray(32, 64));
}

// An optional field of a mint or token account is a u32 that is 1 where there is a value, then the value.
function optionalAddressAt(data: Uint8Array, offset: number): Address | undefined {
  return readU32(data, offset) === 1 ? addressFromBytes(data.subarray(offset + 4, offset + 36)) : undefined;
}

// An optional address of an extension is 32 zero bytes when it is absent; the System program's address is just that.
function readOptionalAddress(bytes: Uint8Array | undefined): Address | undefined {
  if (!bytes) return undefined;
  const address = addressFromBytes(bytes);
  return address === systemProgram ? undefined : address;
}

// What `get_required_init_account_extensions` of token-2022 gives an account for each extension of its mint, with the entry's
// header of 4 bytes: a fee amount of 8 bytes, a hook flag of 1, markers of none.
function lengthOfTokenAccount(program: Address, extensions: ReadonlyMap<number, Uint8Array>): number {
  if (program === tokenProgram) return tokenAccountLength;
  // The account type byte, and the ImmutableOwner that every associated token account has.
  let length = tokenAccountLength + 1 + 4;
  if (extensions.has(extensionType.transferFeeConfig)) length += 4 + 8;
  if (extensions.has(extensionType.nonTransferable)) length += 4;
  if (extensions.has(extensionType.transferHook)) length += 4 + 1;
  if (extensions.has(extensionType.pausable)) length += 4;
  return length;
}

/** Extension types that decide whether a transfer lands, or that a payer should hear of (token-2022 `interface/src/extension/mod.rs`, `ExtensionType`). */
export const extensionType = {
  transferFeeConfig: 1,
  mintCloseAuthority: 3,
  confidentialTransferAccount: 5,
  defaultAccountState: 6,
  memoTransfer: 8,
  nonTransferable: 9,
  interestBearing: 10,
  permanentDelegate: 12,
  transferHook: 14,
  metadataPointer: 18,
  tokenMetadata: 19,
  scaledUiAmount: 25,
  pausable: 26,
} as const;

/** The newest extension type that is known here (`PermissionedBurn`); what comes after may change any rule. */
export const newestKnownExtensionType = 28;

// In bytes: the size of each extension that the mint decoder reads by offset. A token program writes these sizes and no others.
const valueSizes: readonly (readonly [type: number, size: number])[] = [
  [extensionType.transferFeeConfig, 108],
  [extensionType.mintCloseAuthority, 32],
  [extensionType.interestBearing, 52],
  [extensionType.permanentDelegate, 32],
  [extensionType.transferHook, 64],
  [extensionType.scaledUiAmount, 56],
  [extensionType.pausable, 33],
];

/** Returns the first extension whose value does not have the size of its type, otherwise undefined. */
export function findMissizedExtension(
  extensions: ReadonlyMap<number, Uint8Array>,
): { type: number; size: number; expectedSize: number } | undefined {
  for (const [type, expectedSize] of valueSizes) {
    const size = extensions.get(type)?.length;
    if (size !== undefined && size !== expectedSize) return { type, size, expectedSize };
  }
  return undefined;
}

// Base state padded to a token account's length, then the account type byte, then the entries.
const firstEntryOffset = 166;
const entryHeaderLength = 4;

const none: ReadonlyMap<number, Uint8Array> = new Map();

/**
 * Reads the extensions of a Token-2022 account: the bytes of each value by its type.
 *
 * Types that are not known here are listed like any other, since a newer token program may write them; reading ends at the
 * first uninitialized type, as the program's own does, or where the data ends.
 */
export function readExtensions(data: Uint8Array): ReadonlyMap<number, Uint8Array> {
  if (data.length < firstEntryOffset + entryHeaderLength) return none;
  const extensions = new Map<number, Uint8Array>();
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let offset = firstEntryOffset;
  while (offset + entryHeaderLength <= data.length) {
    const type = view.getUint16(offset, true);
    const length = view.getUint16(offset + 2, true);
    const start = offset + entryHeaderLength;
    if (type === 0 || start + length > data.length) break;
    extensions.set(type, data.subarray(start, start + length));
    offset = start + length;
  }
  return extensions;
}
