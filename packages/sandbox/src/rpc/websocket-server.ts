import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Ledger } from '../ledger/ledger.ts';
import type { Commitment } from '../ledger/slot-clock.ts';
import type { TransactionRecord } from '../ledger/transaction-history.ts';
import { accountFormatOf, toUiAccount } from './account-encoding.ts';
import { toJson } from './json.ts';
import {
  apiVersion,
  asAddress,
  asConfig,
  asSignature,
  asUnsigned,
  commitmentOf,
  type RpcParameters,
  required,
} from './parameters.ts';
import { type RpcRequest, replyToText } from './rpc-dispatch.ts';
import { invalidParameters, methodNotFoundCode, RpcError } from './rpc-errors.ts';

/** What one subscription does when the ledger moves. */
interface Subscription {
  onSlot?(slot: bigint): void;
  onTransaction?(record: TransactionRecord): void;
}

type Notify = (result: unknown) => void;
type Subscribe = (ledger: Ledger, parameters: RpcParameters, notify: Notify, end: () => void) => Subscription;

const maxMessageBytes = 50 * 1024;
const normalClosure = 1000;

/** Time that a client has to answer a goodbye. */
const closeTimeoutMs = 500;

function inContext(ledger: Ledger, commitment: Commitment, value: unknown): unknown {
  return { context: { apiVersion: apiVersion, slot: ledger.slot(commitment) }, value };
}

const signatureSubscribe: Subscribe = (ledger, parameters, notify, end) => {
  const signature = asSignature(required(parameters, 0));
  const commitment = commitmentOf(asConfig(parameters[1]));
  let done = false;
  const check = () => {
    const record = ledger.transactionRecord(signature);
    if (done || record === undefined || record.slot > ledger.slot(commitment)) return;
    done = true;
    notify(inContext(ledger, commitment, { err: record.error }));
    end();
  };
  // The subscriber learns the subscription's number first, and then what is already there.
  queueMicrotask(check);
  return { onSlot: check, onTransaction: check };
};

const slotSubscribe: Subscribe = (ledger, _parameters, notify) => ({
  onSlot: (slot) => notify({ slot, parent: slot - 1n, root: ledger.slot('finalized') }),
});

const accountSubscribe: Subscribe = (ledger, parameters, notify) => {
  const address = asAddress(required(parameters, 0));
  const config = asConfig(parameters[1]);
  const format = accountFormatOf(config, 'binary');
  const commitment = commitmentOf(config);
  const changes: TransactionRecord[] = [];
  const tell = () => {
    const final = changes.filter(({ slot }) => slot <= ledger.slot(commitment));
    if (final.length === 0) return;
    changes.splice(0, final.length);
    const account = ledger.getAccount(address);
    notify(inContext(ledger, commitment, account === undefined ? null : toUiAccount(account, format)));
  };
  return {
    onSlot: tell,
    onTransaction(record) {
      if (!record.addresses.includes(address)) return;
      changes.push(record);
      tell();
    },
  };
};

const subscribeByTopic: Readonly<Record<string, Subscribe>> = {
  signature: signatureSubscribe,
  slot: slotSubscribe,
  account: accountSubscribe,
};

/** Serves one client: its subscriptions end with its connection. */
function serve(ledger: Ledger, socket: WebSocket): void {
  const subscriptions = new Map<number, Subscription>();
  let lastNumber = 0;

  const subscribe = (topic: string, implementation: Subscribe, parameters: RpcParameters): number => {
    lastNumber += 1;
    const subscription = lastNumber;
    const notify = (result: unknown) =>
      socket.send(toJson({ jsonrpc: '2.0', method: `${topic}Notification`, params: { result, subscription } }));
    const end = () => subscriptions.delete(subscription);
    subscriptions.set(subscription, implementation(ledger, parameters, notify, end));
    return subscription;
  };

  const answer = ({ method, parameters }: RpcRequest): unknown => {
    const [, topic = '', action] = /^(.+?)(Subscribe|Unsubscribe)$/.exec(method) ?? [];
    const implementation = Object.hasOwn(subscribeByTopic, topic) ? subscribeByTopic[topic] : undefined;
    if (implementation === undefined) throw new RpcError(methodNotFoundCode, 'Method not found');
    if (action === 'Subscribe') return subscribe(topic, implementation, parameters);
    if (subscriptions.delete(Number(asUnsigned(required(parameters, 0))))) return true;
    throw invalidParameters('Invalid subscription id.');
  };

  const onSlot = (slot: bigint) => {
    for (const subscription of [...subscriptions.values()]) subscription.onSlot?.(slot);
  };
  const onTransaction = (record: TransactionRecord) => {
    for (const subscription of [...subscriptions.values()]) subscription.onTransaction?.(record);
  };
  ledger.events.on('slot', onSlot).on('transaction', onTransaction);
  socket.on('close', () => ledger.events.off('slot', onSlot).off('transaction', onTransaction));
  // A broken frame closes the connection, which is told by 'close'.
  socket.on('error', () => {});
  socket.on('message', (data) => {
    const reply = replyToText(data.toString(), answer);
    if (reply !== '') socket.send(reply);
  });
}

/** Says goodbye with code 1000, after which clients do not connect again, and waits until the connection is closed. */
function closeSocket(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const impatience = setTimeout(() => socket.terminate(), closeTimeoutMs);
    socket.once('close', () => {
      clearTimeout(impatience);
      resolve();
    });
    socket.close(normalClosure);
  });
}

/** Serves the ledger's subscriptions on an HTTP server; gives back what closes every connection. */
export function attachWebSocketServer(ledger: Ledger, server: Server): () => Promise<void> {
  const sockets = new WebSocketServer({ server, maxPayload: maxMessageBytes });
  ledger.events.setMaxListeners(0);
  sockets.on('connection', (socket) => serve(ledger, socket));
  return async () => {
    await Promise.all([...sockets.clients].map(closeSocket));
    sockets.close();
  };
}
