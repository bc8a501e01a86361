import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { callMethod, type RpcRequest, replyToText } from '../../packages/sandbox/src/rpc/rpc-dispatch.ts';
import { fromJson, toJson } from '../../packages/sandbox/src/rpc/wire/json.ts';
import { freePort } from './free-port.ts';
import type { Cleanup } from './service.ts';

/** One call of an HTTP request, which may hold a batch of them. */
export interface ProxiedCall {
  method: string;
  params: readonly unknown[];
}

/** A JSON-RPC reply, as its members. */
export type RpcReply = Readonly<Record<string, unknown>>;

/** Makes another reply of a healthy one. */
export type Edit = (reply: RpcReply, call: ProxiedCall) => unknown;

/** One HTTP request of the service, waiting for its answer. */
export interface Exchange {
  calls: readonly ProxiedCall[];
  response: ServerResponse;
  /** The URL that the service was given, secrets and all: careless gateways quote it. */
  quotedUrl: string;
  /** The text of a ledger's answer, that of the sandbox unless told otherwise, each reply of it edited. */
  answer(how?: { edit?: Edit; ledger?: Ledger; forgetsMinContextSlot?: boolean }): string;
}

/** What happens to the requests of a node. */
export type Fault = (exchange: Exchange) => void;

/** How a proxy stands before a ledger. */
export interface FaultProxyOptions {
  ledger: Ledger;
  /** Distinguishes its secrets from those of another proxy. */
  name: string;
  /** How long a healthy answer takes, in milliseconds: evenly spread between the two. */
  latency?: readonly [minMs: number, maxMs: number];
}

/** A node on loopback that can be made to fail at any moment. */
export interface FaultProxy {
  /** What the service is pointed to, with a secret in the user, the password, the path and the query. */
  url: string;
  /** Every text that must never be seen outside, each naming where in the URL it is from. */
  secrets: readonly string[];
  /** What happens to every request whose answer is due from now on. */
  fault: Fault;
  /** Ends every connection, and refuses new ones until it is revived. */
  kill(): Promise<void>;
  /** Listens again, on the same port. */
  revive(): Promise<void>;
  /** How many HTTP requests arrived between two moments of `performance.now()`. */
  requestsBetween(from: number, to: number): number;
  /** How often each method was called. */
  callsByMethod: ReadonlyMap<string, number>;
  /** The most connections that were ever open at once. */
  peakConnections: number;
}

/** Answers as the sandbox does. */
export const healthy: Fault = ({ response, answer }) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(answer());
};

/** Starts a node before a ledger, healthy at first, and ends it with the test. */
export async function startFaultProxy(t: Cleanup, options: FaultProxyOptions): Promise<FaultProxy> {
  const { ledger, name, latency = [0, 0] } = options;
  const callPresent = rememberResults(ledger);
  const arrivals: number[] = [];
  const callsByMethod = new Map<string, number>();
  let open = 0;
  let peakConnections = 0;

  const server = createServer(async (request, response) => {
    arrivals.push(performance.now());
    const text = await readBody(request).catch(() => undefined);
    if (text === undefined) return;
    const body = fromJson(text);
    const calls = (Array.isArray(body) ? body : [body]).map(toCall);
    for (const { method } of calls) callsByMethod.set(method, (callsByMethod.get(method) ?? 0) + 1);
    const wait = latency[0] + Math.random() * (latency[1] - latency[0]);
    if (wait > 0) await sleep(wait);
    if (response.destroyed) return;
    const answer: Exchange['answer'] = ({ edit, ledger: other = ledger, forgetsMinContextSlot } = {}) => {
      const asked = forgetsMinContextSlot ? toJson(withoutMinContextSlot(body)) : text;
      const answered = replyToText(asked, other === ledger ? callPresent : (call) => callMethod(other, call));
      return edit ? toJson(editReplies(fromJson(answered), calls, edit)) : answered;
    };
    proxy.fault({ calls, response, quotedUrl: proxy.url, answer });
  });
  server.on('connection', (socket) => {
    open += 1;
    peakConnections = Math.max(peakConnections, open);
    socket.on('close', () => {
      open -= 1;
    });
  });

  const port = await freePort();
  await listen(server, port);
  const [user, password, path, query] = ['user', 'password', 'path', 'query'].map(
    (part) => `SECRET-${name}-${part}-7f3a9c`,
  );
  const proxy: FaultProxy = {
    url: `http://${user}:${password}@127.0.0.1:${port}/v2/${path}/?api-key=${query}`,
    secrets: [`SECRET-${name}`, Buffer.from(`${user}:${password}`).toString('base64')],
    fault: healthy,
    async kill() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
    revive: () => listen(server, port),
    requestsBetween: (from, to) => arrivals.filter((at) => at >= from && at < to).length,
    callsByMethod,
    get peakConnections() {
      return peakConnections;
    },
  };
  t.after(() => proxy.kill());
  return proxy;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

// Under load the same is asked many times a slot, and the sandbox spends a millisecond on each answer.
function rememberResults(ledger: Ledger): (call: RpcRequest) => unknown {
  const results = new Map<string, unknown>();
  ledger.events.on('slot', () => results.clear());
  ledger.events.on('transaction', () => results.clear());
  return (call) => {
    const key = toJson([call.method, call.parameters]);
    if (!results.has(key)) results.set(key, callMethod(ledger, call));
    return results.get(key);
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Says whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toCall(value: unknown): ProxiedCall {
  if (!isJsonObject(value) || typeof value.method !== 'string') throw new Error('the service sent what is no call');
  return { method: value.method, params: Array.isArray(value.params) ? value.params : [] };
}

function editReplies(replies: unknown, calls: readonly ProxiedCall[], edit: Edit): unknown {
  const editOne = (reply: unknown, index: number): unknown => {
    const call = calls[index];
    return call && isJsonObject(reply) ? edit(reply, call) : reply;
  };
  return Array.isArray(replies) ? replies.map(editOne) : editOne(replies, 0);
}

function withoutMinContextSlot(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutMinContextSlot);
  if (!isJsonObject(body)) return body;
  return Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) =>
      key === 'minContextSlot' ? [] : [[key, withoutMinContextSlot(value)]],
    ),
  );
}
