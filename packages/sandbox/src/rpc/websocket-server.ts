import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Ledger } from '../ledger/ledger.ts';
import type { TransactionRecord } from '../ledger/transaction-history.ts';
import { type RpcRequest, replyToText } from './rpc-dispatch.ts';
import { accountSubscribe } from './subscriptions/account-subscription.ts';
import type { Subscribe, Subscription } from './subscriptions/subscription.ts';
import { logsSubscribe, signatureSubscribe } from './subscriptions/transaction-subscriptions.ts';
import { toJson } from './wire/json.ts';
import { asUnsigned, type RpcParameters, required } from './wire/parameters.ts';
import { invalidParameters, methodNotFoundCode, RpcError } from './wire/rpc-errors.ts';

const maxMessageBytes = 50 * 1024;
const normalClosure = 1000;

/** A client that does not answer a ping in this time is taken to have read what came before it. */
const pongTimeoutMs = 1000;

/** A client that does not close its side in this time is cut off. */
const closeTimeoutMs = 500;

/** Sends each new slot. */
const slotSubscribe: Subscribe = (ledger, _parameters, { notify }) => ({
  onSlot: (slot) => notify({ slot, parent: slot - 1n, root: ledger.slot('finalized') }),
});

const subscribeByTopic: Readonly<Record<string, Subscribe>> = {
  account: accountSubscribe,
  logs: logsSubscribe,
  signature: signatureSubscribe,
  slot: slotSubscribe,
};

/**
 * Holds the notifications of new subscriptions until the client has read their numbers: clients drop a notification whose
 * subscription they do not know yet. A ping follows the reply, and a client answers it only after it has read the reply.
 */
class HeldNotifications {
  readonly #socket: WebSocket;
  readonly #texts = new Map<number, string[]>();
  #isNew = false;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('pong', (payload) => this.#release(Number(payload.toString())));
  }

  /** Holds the notifications of this subscription from now on. */
  hold(subscription: number): void {
    this.#texts.set(subscription, []);
    this.#isNew = true;
  }

  /** Sends a notification, now or once the subscription's number is known. */
  send(subscription: number, text: string): void {
    const texts = this.#texts.get(subscription);
    if (texts === undefined) this.#socket.send(text);
    else texts.push(text);
  }

  /** Releases what is held once the client has read what has been sent to it up to now. */
  releaseOnceRead(): void {
    if (!this.#isNew) return;
    this.#isNew = false;
    const newest = Math.max(...this.#texts.keys());
    this.#socket.ping(String(newest));
    setTimeout(() => this.#release(newest), pongTimeoutMs).unref();
  }

  #release(newest: number): void {
    for (const [subscription, texts] of this.#texts) {
      if (subscription > newest) continue;
      this.#texts.delete(subscription);
      for (const text of texts) this.#socket.send(text);
    }
  }
}

/** Serves one client: its subscriptions end with its connection. */
function serve(ledger: Ledger, socket: WebSocket): void {
  const subscriptions = new Map<number, Subscription>();
  const held = new HeldNotifications(socket);
  let lastNumber = 0;

  const subscribe = (topic: string, implementation: Subscribe, parameters: RpcParameters): number => {
    lastNumber += 1;
    const subscription = lastNumber;
    const subscriber = {
      notify(result: unknown) {
        if (!subscriptions.has(subscription)) return;
        const params = { result, subscription };
        held.send(subscription, toJson({ jsonrpc: '2.0', method: `${topic}Notification`, params }));
      },
      end: () => subscriptions.delete(subscription),
    };
    held.hold(subscription);
    subscriptions.set(subscription, implementation(ledger, parameters, subscriber));
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
  // A broken frame closes the connection, after which 'close' comes.
  socket.on('error', () => {});
  socket.on('message', (data) => {
    const reply = replyToText(data.toString(), answer);
    if (reply !== '') socket.send(reply);
    held.releaseOnceRead();
  });
}

/** Closes a connection with code 1000, after which clients do not connect again, and waits until it is closed. */
function closeSocket(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const timeout = setTimeout(() => socket.terminate(), closeTimeoutMs);
    socket.once('close', () => {
      clearTimeout(timeout);
      resolve();
    });
    socket.close(normalClosure);
  });
}

/** Serves the ledger's subscriptions on an HTTP server; returns what closes every connection. */
export function attachWebSocketServer(ledger: Ledger, server: Server): () => Promise<void> {
  const sockets = new WebSocketServer({ server, maxPayload: maxMessageBytes });
  ledger.events.setMaxListeners(0);
  sockets.on('connection', (socket) => serve(ledger, socket));
  return async () => {
    // First, because a client that connected now would never be closed.
    sockets.close();
    await Promise.all([...sockets.clients].map(closeSocket));
  };
}
