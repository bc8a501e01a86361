import type { Account } from '../src/accounts/account.ts';
import { decodeTokenAccount, type TokenAccount } from '../src/accounts/token-state.ts';
import type { Address } from '../src/addresses/address.ts';
import { tokenProgram } from '../src/addresses/programs.ts';
import { type AssociatedAccount, type Payee, type ReadPayment, walletOf } from '../src/plan/transfer-facts.ts';
import { walletAccount } from './chain-accounts.ts';
import { freshAddress } from './random-plans.ts';

/** A token account of an owner, in which nothing is special. */
export function plainState(owner: Address): TokenAccount {
  return {
    tokenProgram,
    owner,
    amount: 0n,
    isFrozen: false,
    delegate: undefined,
    closeAuthority: undefined,
    isNative: false,
    requiresMemo: false,
    refusesPublicCredits: false,
  };
}

/** An associated token address at which there is nothing, as far as the parts say nothing else. */
export function associatedAccount(parts: Partial<AssociatedAccount> = {}): AssociatedAccount {
  return { address: freshAddress(), bump: 254, state: undefined, occupant: undefined, lamports: 0n, ...parts };
}

/** The account at the associated token address of a wallet, read as one of the mint. */
export function associatedAccountWith(mint: Address, account: Account | null): AssociatedAccount {
  const expected = account && { mint, tokenProgram: account.owner, likelyOwner: mint };
  return associatedAccount({ state: account && expected ? decodeTokenAccount(account, expected) : undefined });
}

/** A payment to a wallet that has no token account, as far as the parts say nothing else. */
export function readPaymentWith(payee: Partial<Payee>, parts: Partial<ReadPayment> = {}): ReadPayment {
  return {
    payee: { to: freshAddress(), amount: 1n, field: 'to', memo: undefined, references: [], ...payee },
    wallet: walletOf(walletAccount(1n)),
    tokenAccount: associatedAccount(),
    hookFault: undefined,
    hookAccounts: [],
    ...parts,
  };
}
