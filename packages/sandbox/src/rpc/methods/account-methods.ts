import type { Ledger } from '../../ledger/ledger.ts';
import type { Commitment } from '../../ledger/slot-clock.ts';
import type { GetAccount } from '../parsed/parse-account.ts';
import { accountFormatOf, toUiAccount } from '../wire/account-encoding.ts';
import { asAddress, asArray, asConfig, asUnsigned, commitmentOf, contextAt, required } from '../wire/parameters.ts';
import { invalidParameters } from '../wire/rpc-errors.ts';
import type { RpcMethods } from './rpc-methods.ts';

/** One request may read at most so many accounts (`MAX_MULTIPLE_ACCOUNTS`). */
const maxAccounts = 100;

/** Returns what reads accounts at a commitment. */
export function accountsAt(ledger: Ledger, commitment: Commitment): GetAccount {
  return (address) => ledger.getAccount(address, commitment);
}

/** Methods about accounts of any kind. */
export const accountMethods: RpcMethods = {
  getAccountInfo(ledger, parameters) {
    const address = asAddress(required(parameters, 0));
    const config = asConfig(parameters[1]);
    const format = accountFormatOf(config, 'binary');
    const getAccount = accountsAt(ledger, commitmentOf(config));
    const context = contextAt(ledger, config, commitmentOf(config));
    const account = getAccount(address);
    return { context, value: account === undefined ? null : toUiAccount(account, format, getAccount) };
  },

  getMultipleAccounts(ledger, parameters) {
    const listed = asArray(required(parameters, 0));
    if (listed.length > maxAccounts) throw invalidParameters(`Too many inputs provided; max ${maxAccounts}`);
    const addresses = listed.map((each) => asAddress(each));
    const config = asConfig(parameters[1]);
    const format = accountFormatOf(config, 'base64');
    const getAccount = accountsAt(ledger, commitmentOf(config));
    const context = contextAt(ledger, config, commitmentOf(config));
    const accounts = addresses.map(getAccount);
    const value = accounts.map((each) => (each === undefined ? null : toUiAccount(each, format, getAccount)));
    return { context, value };
  },

  getBalance(ledger, parameters) {
    const address = asAddress(required(parameters, 0));
    const config = asConfig(parameters[1]);
    const context = contextAt(ledger, config, commitmentOf(config));
    return { context, value: ledger.getAccount(address, commitmentOf(config))?.lamports ?? 0n };
  },

  getMinimumBalanceForRentExemption(ledger, parameters) {
    return ledger.minimumBalanceForRentExemption(asUnsigned(required(parameters, 0)));
  },
};
