import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Ledger } from '../ledger/ledger.ts';
import type { RpcSettings } from './methods/rpc-methods.ts';
import { callMethod, replyToText } from './rpc-dispatch.ts';

/** A request's body has at most so many bytes (`MAX_REQUEST_BODY_SIZE`). */
const maxBodyBytes = 50 * 1024;

const corsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'POST, GET, OPTIONS',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
} as const;

function reply(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...corsHeaders, 'Content-Type': type });
  response.end(body);
}

/** Reads a body; undefined when it is too long, and then the rest of it is not kept. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes: Uint8Array = chunk;
    length += bytes.length;
    if (length <= maxBodyBytes) chunks.push(bytes);
  }
  return length > maxBodyBytes ? undefined : Buffer.concat(chunks).toString('utf8');
}

async function handle(
  ledger: Ledger,
  settings: RpcSettings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'OPTIONS') {
    response.writeHead(204, corsHeaders).end();
    return;
  }
  if (request.method === 'GET' && request.url === '/health') {
    reply(response, 200, 'text/plain', 'ok');
    return;
  }
  if (request.method !== 'POST') {
    response.setHeader('Allow', 'POST, OPTIONS');
    reply(response, 405, 'text/plain', 'Used HTTP Method is not allowed. POST or OPTIONS is required\n');
    return;
  }
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    const text = 'Supplied content type is not allowed. Content-Type: application/json is required\n';
    reply(response, 415, 'text/plain', text);
    return;
  }
  const body = await readBody(request);
  if (body === undefined) {
    reply(response, 413, 'text/plain', `Request body is too large. Maximum is ${maxBodyBytes} bytes\n`);
    return;
  }
  const text = replyToText(body, (call) => callMethod(ledger, call, settings));
  reply(response, 200, 'application/json', text);
}

/** Makes the HTTP server of the ledger's JSON-RPC; it is not listening yet. */
export function createRpcServer(ledger: Ledger, settings: RpcSettings): Server {
  return createServer((request, response) => {
    // A caller that goes away while it sends leaves nothing to answer.
    handle(ledger, settings, request, response).catch(() => response.destroy());
  });
}
