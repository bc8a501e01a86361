import type { Address, EncodedAccount } from '@solana/kit';
import type { LiteSVM } from 'litesvm';
import { loadAddresses } from './address-lookup.ts';
import { calculateFee } from './fees.ts';
import { loadedAccountsDataSize } from './loaded-accounts-data-size.ts';
import { type TokenBalance, tokenBalancesOf } from './token-balances.ts';
import type { DecodedTransaction } from './transaction-decoding.ts';
import type { TransactionError } from './transaction-error.ts';
import type { Execution, LoadedAddresses } from './transaction-history.ts';
import { simulateTransaction } from './virtual-machine.ts';

/** What a transaction's accounts held before and after. */
export interface Balances {
  preBalances: readonly bigint[];
  postBalances: readonly bigint[];
  preTokenBalances: readonly TokenBalance[];
  postTokenBalances: readonly TokenBalance[];
}

/** The result of a simulation. */
export interface Simulation extends Execution {
  /** In bytes; a transaction's limit of loaded data is measured against it. */
  loadedAccountsDataSize: number;
  loadedAddresses: LoadedAddresses;
  /** The accounts as they would be; undefined when the transaction fails. */
  postAccounts: readonly EncodedAccount[] | undefined;
  /** In lamports; null when the transaction would not be in a block, and so would cost nothing. */
  fee: bigint | null;
  /** Null when the transaction would not be in a block. */
  balances: Balances | null;
}

/** Errors of a transaction that is in a block, its fee charged, although none of its instructions ran. */
const chargedErrors: ReadonlySet<TransactionError> = new Set([
  'ProgramAccountNotFound',
  'InvalidProgramForExecution',
  'MaxLoadedAccountsDataSizeExceeded',
]);

/** Returns whether a transaction with this result is in a block, and pays its fee. */
function isCharged(error: TransactionError | null): boolean {
  if (error === null || typeof error === 'string') return error === null || chargedErrors.has(error);
  return 'InstructionError' in error || 'InsufficientFundsForRent' in error;
}

/** The result of a transaction that was refused before anything ran. */
export function refusedSimulation(error: TransactionError): Simulation {
  return {
    error,
    logs: [],
    unitsConsumed: 0n,
    innerInstructions: [],
    returnData: null,
    loadedAccountsDataSize: 0,
    loadedAddresses: { writable: [], readonly: [] },
    postAccounts: undefined,
    fee: null,
    balances: null,
  };
}

/** Runs a transaction without keeping what it changes. */
export function simulate(
  machine: LiteSVM,
  transaction: DecodedTransaction,
  getAccount: (address: Address) => EncodedAccount | undefined,
): Simulation {
  const loadedAddresses = loadAddresses(transaction, getAccount);
  const addresses = [...transaction.staticAddresses, ...loadedAddresses.writable, ...loadedAddresses.readonly];
  const size = loadedAccountsDataSize(addresses, transaction.addressTableLookups.length, getAccount);
  const { postAccounts, ...execution } = simulateTransaction(machine, transaction);
  const fee = isCharged(execution.error) ? calculateFee(transaction) : null;
  const after = new Map(postAccounts?.map((account) => [account.address, account]));
  const getAccountAfter = (address: Address) => {
    const account = after.get(address) ?? getAccount(address);
    return account === undefined || account.lamports === 0n ? undefined : account;
  };
  const balances = (read: typeof getAccount): bigint[] => addresses.map((each) => read(each)?.lamports ?? 0n);
  const preBalances = balances(getAccount);
  // Of a transaction that fails, only the fee is kept.
  const postBalances =
    execution.error === null
      ? balances(getAccountAfter)
      : preBalances.map((lamports, index) => (index === 0 ? lamports - (fee ?? 0n) : lamports));
  return {
    ...execution,
    loadedAccountsDataSize: size,
    loadedAddresses,
    postAccounts,
    fee,
    balances:
      fee === null
        ? null
        : {
            preBalances,
            postBalances,
            preTokenBalances: tokenBalancesOf(addresses, getAccount),
            postTokenBalances: tokenBalancesOf(addresses, getAccountAfter),
          },
  };
}
