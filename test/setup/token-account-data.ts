import { type Address, lamports, address as toAddress, unwrapOption } from '@solana/kit';
import {
  AccountState,
  type ExtensionArgs,
  getTokenDecoder,
  getTokenEncoder,
  type Token,
  type TokenArgs,
} from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';

/** What a test asks of a token account, by the library's decoder. Amounts in base units. */
export interface TokenAccountView {
  owner: Address;
  amount: bigint;
  isFrozen: boolean;
  /** Transfer fees taken and not yet withdrawn. */
  withheld: bigint;
  lamports: bigint;
}

/** Reads a token account of either token program; `undefined` where there is none. */
export function readTokenAccount(ledger: Ledger, token: Address): TokenAccountView | undefined {
  const account = ledger.getAccount(token);
  if (!account || account.data.length === 0) return undefined;
  const decoded = getTokenDecoder().decode(account.data);
  return {
    owner: decoded.owner,
    amount: decoded.amount,
    isFrozen: decoded.state === AccountState.Frozen,
    withheld: withheldIn(decoded),
    lamports: account.lamports,
  };
}

/** The base units in a token account; 0 where there is none. */
export function tokensIn(ledger: Ledger, token: string): bigint {
  return readTokenAccount(ledger, toAddress(token))?.amount ?? 0n;
}

function withheldIn(token: Token): bigint {
  for (const extension of unwrapOption(token.extensions) ?? []) {
    if (extension.__kind === 'TransferFeeAmount') return extension.withheldAmount;
  }
  return 0n;
}

/** Rewrites a token account, as no instruction would, with the rent of its new size. Throws when there is none. */
export function writeTokenAccount(ledger: Ledger, token: Address, change: (account: Token) => TokenArgs): void {
  const account = ledger.getAccount(token);
  if (!account) throw new Error(`no token account at ${token}`);
  const data = Uint8Array.from(getTokenEncoder().encode(change(getTokenDecoder().decode(account.data))));
  const space = BigInt(data.length);
  const minimum = ledger.minimumBalanceForRentExemption(space);
  ledger.setAccount({
    ...account,
    data,
    space,
    lamports: lamports(account.lamports > minimum ? account.lamports : minimum),
  });
}

/** The extensions of a decoded token account. */
export function extensionsOf(token: Token): ExtensionArgs[] {
  return unwrapOption(token.extensions) ?? [];
}
