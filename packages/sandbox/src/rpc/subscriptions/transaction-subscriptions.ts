import type { Address } from '@solana/kit';
import { asArray, asConfig, asFlag, commitmentOf, required } from '../wire/parameters.ts';
import { invalidParameters } from '../wire/rpc-errors.ts';
import { atSlot, onceReached, type Subscribe, subscribedAddress, subscribedSignature } from './subscription.ts';

/** Tells once of a signature that lands or has landed. */
export const signatureSubscribe: Subscribe = (ledger, parameters, { notify, end }) => {
  const signature = subscribedSignature(required(parameters, 0));
  const config = asConfig(parameters[1]);
  const commitment = commitmentOf(config);
  const tellsOfReceipt = asFlag(config.enableReceivedNotification);
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
      if (tellsOfReceipt) notify(atSlot(record.slot, 'receivedSignature'));
      check();
    },
  };
};

/** Reads whose transactions are wanted; undefined for everybody's. */
function mentionedAddress(filter: unknown): Address | undefined {
  if (filter === 'all' || filter === 'allWithVotes') return undefined;
  const mentions = asArray(asConfig(filter).mentions);
  if (mentions.length !== 1) throw invalidParameters('Invalid Request: Only 1 address supported');
  return subscribedAddress(mentions[0]);
}

/** Tells of the logs of every transaction, or of those that mention an address. */
export const logsSubscribe: Subscribe = (ledger, parameters, { notify }) => {
  const address = mentionedAddress(required(parameters, 0));
  return onceReached(
    ledger,
    commitmentOf(asConfig(parameters[1])),
    ({ addresses }) => address === undefined || addresses.includes(address),
    ({ signature, error, logs, slot }) => notify(atSlot(slot, { signature, err: error, logs })),
  );
};
