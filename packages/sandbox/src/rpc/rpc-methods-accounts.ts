import type { Address, EncodedAccount } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import type { Ledger } from '../ledger/ledger.ts';
import { decodeMintDecimals, decodeTokenAccount, toUiTokenAmount } from '../ledger/token-balances.ts';
import { type AccountFormat, accountFormatOf, toUiAccount } from './account-encoding.ts';
import {
  asAddress,
  asArray,
  asConfig,
  asUnsigned,
  commitmentOf,
  contextAt,
  type RpcConfig,
  required,
} from './parameters.ts';
import { invalidParameters } from './rpc-errors.ts';
import type { RpcMethods } from './rpc-methods.ts';

/** The most accounts that one request may read (`MAX_MULTIPLE_ACCOUNTS`). */
const maxAccounts = 100;

const tokenPrograms: readonly Address[] = [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS];

function toUiAccountOrNull(account: EncodedAccount | undefined, format: AccountFormat): unknown {
  return account === undefined ? null : toUiAccount(account, format);
}

/** Gives the token programs and, where one is named, the mint that a filter of token accounts asks for. */
function tokenFilterOf(ledger: Ledger, filter: RpcConfig): { programs: readonly Address[]; mint?: Address } {
  if (filter.programId !== undefined) {
    const program = asAddress(filter.programId);
    if (!tokenPrograms.includes(program)) {
      throw invalidParameters('Invalid param: unrecognized Token program id');
    }
    return { programs: [program] };
  }
  const mint = asAddress(filter.mint);
  const account = ledger.getAccount(mint);
  if (account === undefined) throw invalidParameters('Invalid param: could not find mint');
  if (decodeMintDecimals(account) === undefined) throw invalidParameters('Invalid param: not a Token mint');
  return { programs: [account.programAddress], mint };
}

/** Methods about accounts. Every commitment reads the newest state: the sandbox keeps no older one. */
export const accountMethods: RpcMethods = {
  getAccountInfo(ledger, parameters) {
    const address = asAddress(required(parameters, 0));
    const config = asConfig(parameters[1]);
    const format = accountFormatOf(config, 'binary');
    const context = contextAt(ledger, config, commitmentOf(config));
    return { context, value: toUiAccountOrNull(ledger.getAccount(address), format) };
  },

  getMultipleAccounts(ledger, parameters) {
    const addresses = asArray(required(parameters, 0));
    if (addresses.length > maxAccounts) {
      throw invalidParameters(`Too many inputs provided; max ${maxAccounts}`);
    }
    const accounts = addresses.map((each) => asAddress(each));
    const config = asConfig(parameters[1]);
    const format = accountFormatOf(config, 'base64');
    const context = contextAt(ledger, config, commitmentOf(config));
    return { context, value: accounts.map((each) => toUiAccountOrNull(ledger.getAccount(each), format)) };
  },

  getBalance(ledger, parameters) {
    const address = asAddress(required(parameters, 0));
    const config = asConfig(parameters[1]);
    const context = contextAt(ledger, config, commitmentOf(config));
    return { context, value: ledger.getAccount(address)?.lamports ?? 0n };
  },

  getMinimumBalanceForRentExemption(ledger, parameters) {
    return ledger.minimumBalanceForRentExemption(asUnsigned(required(parameters, 0)));
  },

  getTokenAccountBalance(ledger, parameters) {
    const address = asAddress(required(parameters, 0));
    const config = asConfig(parameters[1]);
    const account = ledger.getAccount(address);
    if (account === undefined) throw invalidParameters('Invalid param: could not find account');
    const state = decodeTokenAccount(account);
    if (state === undefined) throw invalidParameters('Invalid param: not a Token account');
    const mint = ledger.getAccount(state.mint);
    const decimals = mint === undefined ? undefined : decodeMintDecimals(mint);
    if (decimals === undefined) throw invalidParameters('Invalid param: could not find mint');
    const context = contextAt(ledger, config, commitmentOf(config));
    return { context, value: toUiTokenAmount(state.amount, decimals) };
  },

  getTokenAccountsByOwner(ledger, parameters) {
    const owner = asAddress(required(parameters, 0));
    const { programs, mint } = tokenFilterOf(ledger, asConfig(required(parameters, 1)));
    const config = asConfig(parameters[2]);
    const format = accountFormatOf(config, 'binary');
    const context = contextAt(ledger, config, commitmentOf(config));
    const accounts = programs.flatMap((program) => ledger.getProgramAccounts(program));
    const value = accounts.flatMap((account) => {
      const state = decodeTokenAccount(account);
      const wanted = state?.owner === owner && (mint === undefined || state.mint === mint);
      return wanted ? [{ pubkey: account.address, account: toUiAccount(account, format) }] : [];
    });
    return { context, value };
  },
};
