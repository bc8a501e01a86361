import type { Address, Signature } from '@solana/kit';
import { isAddress, isSignature } from '@solana/kit';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Commitment } from '../../ledger/slot-clock.ts';
import type { TransactionRecord } from '../../ledger/transaction-history.ts';
import { asString, type RpcParameters } from '../wire/parameters.ts';
import { invalidParameters } from '../wire/rpc-errors.ts';

/** How one subscription reacts to the ledger. */
export interface Subscription {
  /** Called when slots have begun, of which this is the newest. */
  onSlot?(slot: bigint): void;
  /** Called when a transaction has landed. */
  onTransaction?(record: TransactionRecord): void;
}

/** The client of a subscription. */
export interface Subscriber {
  /** Sends a notification, unless the subscription has ended. */
  notify(result: unknown): void;
  /** Ends the subscription. */
  end(): void;
}

/** Begins a subscription; throws `RpcError` for parameters that are wrong. */
export type Subscribe = (ledger: Ledger, parameters: RpcParameters, subscriber: Subscriber) => Subscription;

/** Writes a notification of a slot. */
export function atSlot(slot: bigint, value: unknown): unknown {
  return { context: { slot }, value };
}

/** Reads an address, or throws in the words of a validator's subscriptions. */
export function subscribedAddress(value: unknown): Address {
  const text = asString(value);
  if (isAddress(text)) return text;
  throw invalidParameters('Invalid Request: Invalid pubkey provided');
}

/** Reads a signature, or throws in the words of a validator's subscriptions. */
export function subscribedSignature(value: unknown): Signature {
  const text = asString(value);
  if (isSignature(text)) return text;
  throw invalidParameters('Invalid Request: Invalid signature provided');
}

/** Calls back with each transaction that passes, in their order, once its slot has reached the commitment. */
export function onceReached(
  ledger: Ledger,
  commitment: Commitment,
  passes: (record: TransactionRecord) => boolean,
  tell: (record: TransactionRecord) => void,
): Subscription {
  const waiting: TransactionRecord[] = [];
  const flush = () => {
    const reached = ledger.slot(commitment);
    while (waiting[0] !== undefined && waiting[0].slot <= reached) {
      const record = waiting.shift();
      if (record !== undefined) tell(record);
    }
  };
  return {
    onSlot: flush,
    onTransaction(record) {
      if (!passes(record)) return;
      waiting.push(record);
      flush();
    },
  };
}
