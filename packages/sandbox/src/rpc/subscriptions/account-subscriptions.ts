import type { Address } from '@solana/kit';
import { changedAddressesOf } from '../../ledger/transaction-history.ts';
import { accountFormatOf, toUiAccount } from '../wire/account-encoding.ts';
import { accountFiltersOf } from '../wire/account-filters.ts';
import { asConfig, commitmentOf, required } from '../wire/parameters.ts';
import { atSlot, onceReached, type Subscribe, subscribedAddress } from './subscription.ts';

/** Sends an account when a transaction may have changed it. */
export const accountSubscribe: Subscribe = (ledger, parameters, { notify }) => {
  const address = subscribedAddress(required(parameters, 0));
  const config = asConfig(parameters[1]);
  const format = accountFormatOf(config, 'binary');
  const commitment = commitmentOf(config);
  const getAccount = (each: Address) => ledger.getAccount(each, commitment);
  return onceReached(
    ledger,
    commitment,
    (record) => changedAddressesOf(record).includes(address),
    () => {
      const account = getAccount(address);
      notify(atSlot(ledger.slot(commitment), account === undefined ? null : toUiAccount(account, format, getAccount)));
    },
  );
};

/** Sends each account of a program that a transaction may have changed. */
export const programSubscribe: Subscribe = (ledger, parameters, { notify }) => {
  const program = subscribedAddress(required(parameters, 0));
  const config = asConfig(parameters[1]);
  const format = accountFormatOf(config, 'binary');
  const isWanted = accountFiltersOf(config);
  const commitment = commitmentOf(config);
  const getAccount = (each: Address) => ledger.getAccount(each, commitment);
  return onceReached(
    ledger,
    commitment,
    () => true,
    (record) => {
      for (const pubkey of changedAddressesOf(record)) {
        const account = getAccount(pubkey);
        if (account?.programAddress !== program || !isWanted(account)) continue;
        const value = { pubkey, account: toUiAccount(account, format, getAccount) };
        notify(atSlot(ledger.slot(commitment), value));
      }
    },
  );
};
