import type { Address } from '@solana/kit';
import { asArray, asConfig, asFlag, commitmentOf, required } from '../wire/parameters.ts';
import { invalidParameters } from '../wire/rpc-errors.ts';
import { atSlot, onceReached, type Subscribe, subscribedAddress, subscribedSignature } from './subscription.ts';

/** Sends the outcome of a transaction once, when it lands or has landed before. */
export const signatureSubscribe: Subscribe = (ledger, parameters, { notify, end }) => {
  const signature = subscribedSignature(required(parameters, 0));
  const config = asConfig(parameters[1]);
  const commitment = commitmentOf(config);
  const notifiesReceipt = asFlag(config.enableReceivedNotification);
  const check = () => {
    const record = ledger.transactionRecord(signature);
    if (record === undefined || record.slot > ledger.slot(commitment)) return;
    notify(atSlot(ledger.slot(commitment), { err: record.error }));
    end();
  };
  // It may have landed before; the subscription begins first.
  queueMicrotask(check);
  return {
    onSlot: check,
    onTransaction(record) {
      if (record.signature !== signature) return;
      if (notifiesReceipt) notify(atSlot(record.slot, 'receivedSignature'));
      check();
    },
  };
};

/** Reads the address that transactions must mention; undefined for all transactions. */
function mentionedAddress(filter: unknown): Address | undefined {
  if (filter === 'all' || filter === 'allWithVotes') return undefined;
  const mentions = asArray(asConfig(filter).mentions);
  if (mentions.length !== 1) throw invalidParameters('Invalid Request: Only 1 address supported');
  return subscribedAddress(mentions[0]);
}

/** Sends the logs of every transaction, or of those that mention an address. */
export const logsSubscribe: Subscribe = (ledger, parameters, { notify }) => {
  const address = mentionedAddress(required(parameters, 0));
  return onceReached(
    ledger,
    commitmentOf(asConfig(parameters[1])),
    ({ addresses }) => address === undefined || addresses.includes(address),
    ({ signature, error, logs, slot }) => notify(atSlot(slot, { signature, err: error, logs })),
  );
};
