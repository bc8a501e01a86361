import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** A request of a client: a path of the service, or a method of the node. */
export interface PassingRequest {
  step: string;
  /** How many of this step came before it, from this client or an earlier one. */
  index: number;
}

/** What becomes of a request: nothing bad, or it or its answer is lost. */
export type Fate = 'answered' | 'request lost' | 'answer lost';

/** An answer that a client got. */
export interface PassedAnswer extends PassingRequest {
  /** By the monotonic clock. */
  arrivedAt: number;
  answeredAt: number;
  status: number;
  headers: Headers;
  body: string;
}

/** The way between a client and both a service and a node. */
export interface UnreliableNetwork {
  /** Where the client finds the service. */
  url: string;
  /** Where it finds the node. */
  rpcUrl: string;
  /** Every answer so far. */
  answers: readonly PassedAnswer[];
}

/** Passes requests on to a service and a node; `decide` says what becomes of each, before it is passed on. */
export async function startUnreliableNetwork(
  t: TestContext,
  targets: { serviceUrl: string; rpcUrl: string; worldOf: (rpcUrl: string) => object },
  decide: (request: PassingRequest) => Fate,
): Promise<UnreliableNetwork> {
  const answers: PassedAnswer[] = [];
  const counts = new Map<string, number>();

  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrivedAt = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const sent = Buffer.concat(chunks);
    const path = request.url ?? '';
    if (path === '/sandbox/world') {
      response.end(JSON.stringify(targets.worldOf(network.rpcUrl)));
      return;
    }
    const isForNode = path === '/rpc';
    const step: string = isForNode ? JSON.parse(sent.toString()).method : path;
    const index = counts.get(step) ?? 0;
    counts.set(step, index + 1);
    const fate = decide({ step, index });
    if (fate === 'request lost') {
      response.destroy();
      return;
    }
    const { authorization, 'idempotency-key': key } = request.headers;
    const answer = await fetch(isForNode ? targets.rpcUrl : targets.serviceUrl + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(authorization !== undefined && { authorization }),
        ...(key !== undefined && { 'idempotency-key': String(key) }),
      },
      body: sent,
    });
    const body = await answer.text();
    if (fate === 'answer lost') {
      response.destroy();
      return;
    }
    const { status, headers } = answer;
    answers.push({ step, index, arrivedAt, answeredAt: performance.now(), status, headers, body });
    const retryAfter = headers.get('retry-after');
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(retryAfter !== null && { 'retry-after': retryAfter }),
    });
    response.end(body);
  };

  const server = createServer((request, response) => void pass(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const network: UnreliableNetwork = { url, rpcUrl: `${url}/rpc`, answers };
  return network;
}
