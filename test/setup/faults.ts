import type { ServerResponse } from 'node:http';
import { SYSVAR_CLOCK_ADDRESS } from '@solana/sysvars';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { type Edit, type Exchange, type Fault, healthy, isJsonObject, type RpcReply } from './fault-proxy.ts';
import type { LedgerMemory } from './ledger-memory.ts';

const json = { 'content-type': 'application/json' };

/** Answers in full, so much later. */
export function delay(durationMs: number): Fault {
  return (exchange) => {
    setTimeout(() => healthy(exchange), durationMs).unref();
  };
}

/** Breaks the connection off without a word. */
export const dropConnection: Fault = ({ response }) => void response.destroy();

/** Takes the request and never answers. */
export const freeze: Fault = () => undefined;

/** Breaks the connection off in the middle of the answer. */
export const resetMidBody: Fault = ({ response, answer }) => {
  const text = answer();
  response.writeHead(200, { ...json, 'content-length': Buffer.byteLength(text) });
  response.write(text.slice(0, text.length / 2), () => response.socket?.resetAndDestroy());
};

/** Refuses as a rate limit does, with a `Retry-After` when one is given. */
export function tooManyRequests(retryAfter?: string): Fault {
  return ({ response, quotedUrl }) => {
    response.writeHead(429, { ...json, ...(retryAfter !== undefined && { 'retry-after': retryAfter }) });
    response.end(JSON.stringify({ error: `too many requests for ${quotedUrl}` }));
  };
}

/** Answers with an HTTP status and a text that quotes the URL. */
export function httpError(status: number): Fault {
  return ({ response, quotedUrl }) => {
    response.writeHead(status, { 'content-type': 'text/plain' }).end(`failed: ${quotedUrl}`);
  };
}

/** Answers with the page of a gateway that quotes the URL. */
export function htmlPage(status: number): Fault {
  return ({ response, quotedUrl }) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end(`<!doctype html><html><title>Error</title><p>No way to <a href="${quotedUrl}">this</a></html>`);
  };
}

/** Answers every call with a JSON-RPC error that quotes the URL. */
export function nodeError(code: number, message: string): Fault {
  return (exchange) =>
    edited(({ id }) => ({ jsonrpc: '2.0', id, error: { code, message: `${message} (${exchange.quotedUrl})` } }))(
      exchange,
    );
}

/** Sends the head and then the answer, so slowly that it never ends. */
export const drip: Fault = ({ response, answer }) => {
  const text = answer();
  let sent = 0;
  response.writeHead(200, { ...json, 'content-length': Buffer.byteLength(text) });
  const timer = setInterval(() => response.write(text[sent++] ?? ' '), 50);
  response.on('close', () => clearInterval(timer));
};

const hugeBytes = 100 * 1024 * 1024;

/** Answers with 100 MB that begin as an answer does, their length told beforehand or not. */
export function hugeBody({ tellsLength }: { tellsLength: boolean }): Fault {
  return ({ response }) => {
    response.writeHead(200, { ...json, ...(tellsLength && { 'content-length': hugeBytes }) });
    const start = '{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1},"value":["';
    response.write(start);
    writeFiller(response, hugeBytes - start.length);
  };
}

/** Answers with a reply that is well-formed JSON but not what the node had to say. */
export function edited(edit: Edit): Fault {
  return ({ response, answer }) => {
    response.writeHead(200, json).end(answer({ edit }));
  };
}

/** Does to the calls of one method what the fault does, and is healthy for the rest. */
export function onlyFor(method: string, fault: Fault): Fault {
  return (exchange) => (exchange.calls.some((call) => call.method === method) ? fault : healthy)(exchange);
}

/** How a node lags. */
export interface Lag {
  memory: LedgerMemory;
  /** The slot that the node has got to, asked for at each request. */
  slot: () => bigint;
  /** Whether it says so itself, when told the least slot that the caller wants, rather than answer from the past. */
  isHonest: boolean;
}

/** Answers with the slot, the blockhash and the accounts of then, and calls itself healthy. */
export function lag({ memory, slot, isHonest }: Lag): Fault {
  return ({ response, answer }) => {
    const ledger = memory.asOf(slot());
    response.writeHead(200, json).end(answer({ ledger, forgetsMinContextSlot: !isHonest }));
  };
}

/** Another genesis hash than the sandbox's. */
export const otherGenesisHash = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';

const slotsAhead = 1_000_000n;

/** Answers as a healthy node of another cluster: further in slots, and without any account of this one. */
export function otherLedger(ledger: Ledger): Fault {
  const other: Ledger = Object.create(ledger);
  other.slot = () => ledger.slot() + slotsAhead;
  other.latestBlockhash = () => {
    const { lastValidBlockHeight, ...latest } = ledger.latestBlockhash();
    return { ...latest, lastValidBlockHeight: lastValidBlockHeight + slotsAhead };
  };
  other.getAccount = (address) => {
    const account = address.startsWith('Sysvar') ? ledger.getAccount(address) : undefined;
    return account && address === SYSVAR_CLOCK_ADDRESS
      ? { ...account, data: clockAt(other.slot(), account.data) }
      : account;
  };
  Object.defineProperty(other, 'transactionCount', { value: 1n });
  const edit: Edit = (reply, { method }) =>
    method === 'getGenesisHash' ? { ...reply, result: otherGenesisHash } : reply;
  return ({ response, answer }: Exchange) => {
    response.writeHead(200, json).end(answer({ ledger: other, edit }));
  };
}

// The slot is the first of the clock's members: a u64.
function clockAt(slot: bigint, clock: ArrayLike<number>): Uint8Array {
  const data = Uint8Array.from(clock);
  new DataView(data.buffer).setBigUint64(0, slot, true);
  return data;
}

/** Edits the result of every reply that has one. */
export function editedResult(edit: (result: unknown) => unknown): Fault {
  return edited((reply: RpcReply) => ('result' in reply ? { ...reply, result: edit(reply.result) } : reply));
}

/** Edits the value next to the context, in every result that has one. */
export function editedValue(edit: (value: unknown) => unknown): Fault {
  return editedResult((result) =>
    isJsonObject(result) && 'value' in result ? { ...result, value: edit(result.value) } : result,
  );
}

const filler = Buffer.alloc(64 * 1024, 'A');

// As fast as the other side reads, and no faster: the proxy itself holds next to nothing.
function writeFiller(response: ServerResponse, bytes: number): void {
  if (response.destroyed) return;
  if (bytes <= 0) {
    response.end();
    return;
  }
  const chunk = bytes < filler.length ? filler.subarray(0, bytes) : filler;
  response.write(chunk, () => writeFiller(response, bytes - chunk.length));
}
