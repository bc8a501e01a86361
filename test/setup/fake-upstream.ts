import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** One JSON-RPC request as it arrived. */
export interface RpcCall {
  id: number;
  method: string;
  params: readonly unknown[];
}

/** What an upstream does with one call. */
export type Behaviour = (call: RpcCall, response: ServerResponse) => void;

/** A Solana node under the control of a test. */
export interface FakeUpstream {
  /** With `upstreamSecret` in its path and its query, as hosted nodes have it. */
  url: string;
  /** Every call so far, in the order of arrival. */
  calls: RpcCall[];
  /** What it does with the calls to come; a test may change it at any time. */
  behaviour: Behaviour;
}

/** The part of the URL that must never be seen outside. */
export const upstreamSecret = 'SECRET-3f9a1c';

/** Starts a node that behaves as told, and ends it with the test, its open connections too. */
export async function startFakeUpstream(t: TestContext, behaviour: Behaviour): Promise<FakeUpstream> {
  const upstream: FakeUpstream = { url: '', calls: [], behaviour };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const call: RpcCall = JSON.parse(Buffer.concat(chunks).toString());
    upstream.calls.push(call);
    upstream.behaviour(call, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  upstream.url = `http://127.0.0.1:${port}/${upstreamSecret}/?api-key=${upstreamSecret}`;
  return upstream;
}

/** Answers every call with the result that a function makes for it. */
export function resultOf(makeResult: (call: RpcCall) => unknown): Behaviour {
  return (call, response) => {
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result: makeResult(call) }));
  };
}

/** Answers every call with a text as it is, in which `$id` stands for the id of the call. */
export function text(body: string, status = 200): Behaviour {
  return (call, response) => {
    response.writeHead(status).end(body.replaceAll('$id', String(call.id)));
  };
}

/** Answers every call with a JSON-RPC error. */
export function rpcError(code: number, message = 'no', status = 200): Behaviour {
  return text(
    JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code, message } }).replace('"id":0', '"id":$id'),
    status,
  );
}

/** Never answers. */
export const silence: Behaviour = () => undefined;

/** Sends the head and then one byte at a time, for ever. */
export const drip: Behaviour = (_call, response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};

/** Breaks the connection off in the middle of its answer. */
export const resetMidBody: Behaviour = (_call, response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"jsonrpc":"2.0",', () => response.socket?.resetAndDestroy());
};
