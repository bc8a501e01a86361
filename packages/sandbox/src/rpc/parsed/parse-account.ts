import type { EncodedAccount } from '@solana/kit';
import type { ParsedData } from './parsed-data.ts';
import { parseSystemAccount } from './system-accounts.ts';
import { type GetAccount, parseTokenProgramAccount } from './token-accounts.ts';

/** Reads an account's data in the words of its program; undefined when a validator would write it as bytes. */
export function parseAccount(account: EncodedAccount, getAccount: GetAccount): ParsedData | undefined {
  return parseTokenProgramAccount(account, getAccount) ?? parseSystemAccount(account);
}
