import { type Address, type EncodedAccount, getAddressDecoder, type ReadonlyUint8Array } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { TOKEN_2022_PROGRAM_ADDRESS } from './token-2022.ts';
import { type AmountScale, amountScaleOf, toUiTokenAmount, type UiTokenAmount } from './ui-token-amount.ts';

/** A token account's contents as far as balances need them. */
export interface TokenAccountState {
  mint: Address;
  owner: Address;
  /** In base units. */
  amount: bigint;
}

/** The token balance of one of a transaction's accounts, as `getTransaction` reports it. */
export interface TokenBalance {
  accountIndex: number;
  mint: Address;
  owner: Address;
  programId: Address;
  uiTokenAmount: UiTokenAmount;
}

/** Both token programs. */
const tokenPrograms: ReadonlySet<string> = new Set([TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS]);

const tokenAccountBytes = 165;
const multisigBytes = 355;
const mintBytes = 82;
const amountOffset = 64;
const stateOffset = 108;
const decimalsOffset = 44;
const mintInitializedOffset = 45;

/** The offset of the kind of a Token-2022 account with extensions: 1 for a mint, 2 for a token account. */
const accountTypeOffset = 165;
const mintType = 1;
const tokenAccountType = 2;

function readAddress(data: ReadonlyUint8Array, offset: number): Address {
  return getAddressDecoder().decode(data.slice(offset, offset + 32));
}

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
    mint: readAddress(data, 0),
    owner: readAddress(data, 32),
    amount: new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(amountOffset, true),
  };
}

/** Reads the decimals of an initialized mint of either token program; undefined when it is none. */
export function decodeMintDecimals(account: EncodedAccount): number | undefined {
  const { data } = account;
  if (!tokenPrograms.has(account.programAddress) || data[mintInitializedOffset] !== 1) return undefined;
  return data.length === mintBytes || hasExtensions(account, mintType) ? data[decimalsOffset] : undefined;
}

/** Returns how a mint's amounts are shown; undefined for what is no mint. */
export function mintScaleOf(
  mint: EncodedAccount,
  getAccount: (address: Address) => EncodedAccount | undefined,
): AmountScale | undefined {
  const decimals = decodeMintDecimals(mint);
  return decimals === undefined ? undefined : amountScaleOf(mint, decimals, getAccount);
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
    const scale = mint === undefined ? undefined : mintScaleOf(mint, getAccount);
    if (scale === undefined) return [];
    const uiTokenAmount = toUiTokenAmount(state.amount, scale);
    const { mint: mintAddress, owner } = state;
    return [{ accountIndex, mint: mintAddress, owner, programId: account.programAddress, uiTokenAmount }];
  });
}
