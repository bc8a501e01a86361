import type { Address } from '@solana/kit';
import { changedAddressesOf } from '../../ledger/transaction-history.ts';
import { accountFormatOf, toUiAccount } from '../wire/account-encoding.ts';
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
