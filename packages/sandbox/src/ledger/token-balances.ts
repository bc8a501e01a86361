import { type Address, type EncodedAccount, getAddressDecoder } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';

/** A token account's contents as far as balances need them. */
export interface TokenAccountState {
  readonly mint: Address;
  readonly owner: Address;
  /** In base units. */
  readonly amount: bigint;
}

/** An amount as a validator's JSON gives it. */
export interface UiTokenAmount {
  /** Base units in decimal digits. */
  readonly amount: string;
  readonly decimals: number;
  readonly uiAmount: number | null;
  readonly uiAmountString: string;
}

/** The token balance of one of a transaction's accounts, as `getTransaction` reports it. */
export interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: Address;
  readonly owner: Address;
  readonly programId: Address;
  readonly uiTokenAmount: UiTokenAmount;
}

const tokenPrograms: ReadonlySet<string> = new Set([TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS]);

const tokenAccountBytes = 165;
const multisigBytes = 355;
const mintBytes = 82;
const amountOffset = 64;
const stateOffset = 108;
const decimalsOffset = 44;
const mintInitializedOffset = 45;

/** Where a Token-2022 account with extensions says its kind: 1 for a mint, 2 for a token account. */
const accountTypeOffset = 165;
const mintType = 1;
const tokenAccountType = 2;

function hasExtensions(account: EncodedAccount, type: number): boolean {
  return (
    account.programAddress === TOKEN_2022_PROGRAM_ADDRESS &&
    account.data.length > tokenAccountBytes &&
    account.data.length !== multisigBytes &&
    account.data[accountTypeOffset] === type
  );
}

/** Reads an initialized token account of either token program; undefined when it is none. */
export function decodeTokenAccount(account: EncodedAccount): TokenAccountState | undefined {
  const { data } = account;
  if (!tokenPrograms.has(account.programAddress)) return undefined;
  if (data.length !== tokenAccountBytes && !hasExtensions(account, tokenAccountType)) return undefined;
  if (data[stateOffset] === 0) return undefined;
  return {
    mint: getAddressDecoder().decode(data.slice(0, 32)),
    owner: getAddressDecoder().decode(data.slice(32, 64)),
    amount: new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(amountOffset, true),
  };
}

/** Reads the decimals of an initialized mint of either token program; undefined when it is none. */
export function decodeMintDecimals(account: EncodedAccount): number | undefined {
  const { data } = account;
  if (!tokenPrograms.has(account.programAddress) || data[mintInitializedOffset] !== 1) return undefined;
  return data.length === mintBytes || hasExtensions(account, mintType) ? data[decimalsOffset] : undefined;
}

/** Writes base units as a validator does: the decimal string without trailing zeros, and the nearest float. */
export function toUiTokenAmount(amount: bigint, decimals: number): UiTokenAmount {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const uiAmountString = fraction === '' ? whole : `${whole}.${fraction}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}

/** Collects the token balances among a transaction's accounts, in their order. */
export function tokenBalancesOf(
  addresses: readonly Address[],
  getAccount: (address: Address) => EncodedAccount | undefined,
): TokenBalance[] {
  return addresses.flatMap((candidate, accountIndex) => {
    const account = getAccount(candidate);
    const state = account === undefined ? undefined : decodeTokenAccount(account);
    if (account === undefined || state === undefined) return [];
    const mint = getAccount(state.mint);
    const decimals = mint === undefined ? undefined : decodeMintDecimals(mint);
    if (decimals === undefined) return [];
    const uiTokenAmount = toUiTokenAmount(state.amount, decimals);
    const { mint: mintAddress, owner } = state;
    return [{ accountIndex, mint: mintAddress, owner, programId: account.programAddress, uiTokenAmount }];
  });
}
