/**
 * A Solana node of the benchmark: a process of its own that answers JSON-RPC at once on one port and late on another.
 *
 * It reads no more of a request than it must, for it shares the machine with what is measured. A GET answers with the
 * calls so far on that port.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addressFromBytes } from '../../packages/core/src/index.ts';
import { readPool } from './pool.ts';
import { UpstreamAccounts } from './upstream-accounts.ts';

const firstSlot = 350_000_000;
const slotsPerSecond = 5;
const bytesPerAccount = 600;
const genesisHash = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

const accounts = new UpstreamAccounts(readPool(process.argv[2] ?? ''));
const answer = Buffer.alloc(100 * bytesPerAccount + 1024);

function slotNow(): number {
  return firstSlot + Math.floor((performance.now() * slotsPerSecond) / 1000);
}

function tokenOf(text: string, name: string): string {
  const start = text.indexOf(`"${name}":`) + name.length + 3;
  if (start < name.length + 3) return 'null';
  const comma = text.indexOf(',', start);
  return text.slice(start, comma === -1 ? text.lastIndexOf('}') : comma).replace(/\}$/, '');
}

function answerTo(request: Buffer): Buffer {
  const text = request.toString('latin1');
  const head = `{"jsonrpc":"2.0","id":${tokenOf(text, 'id')},"result":`;
  const method = tokenOf(text, 'method').replaceAll('"', '');
  const slot = slotNow();
  const context = `{"context":{"apiVersion":"3.0.0","slot":${slot}},"value":`;
  switch (method) {
    case 'getMultipleAccounts':
      return accountsAnswer(request, text, slot, `${head}${context}[`, ']}}');
    case 'getAccountInfo':
      return accountsAnswer(request, text, slot, head + context, '}}');
    case 'getLatestBlockhash':
      return Buffer.from(
        `${head}${context}{"blockhash":"${blockhashOf(slot)}","lastValidBlockHeight":${slot - 20_000_000 + 150}}}}`,
      );
    case 'getHealth':
      return Buffer.from(`${head}"ok"}`);
    case 'getGenesisHash':
      return Buffer.from(`${head}"${genesisHash}"}`);
    case 'getSlot':
      return Buffer.from(`${head}${slot}}`);
    case 'getEpochInfo':
      return Buffer.from(
        `${head}{"absoluteSlot":${slot},"blockHeight":${slot - 20_000_000},"epoch":${Math.floor(slot / 432_000)},"slotIndex":${slot % 432_000},"slotsInEpoch":432000,"transactionCount":1}}`,
      );
    case 'getRecentPrioritizationFees':
      return Buffer.from(`${head}[{"slot":${slot},"prioritizationFee":0}]}`);
    default:
      return Buffer.from(head.replace(/"result":$/, '"error":{"code":-32601,"message":"Method not found"}}'));
  }
}

const quote = 0x22;
const closingBracket = 0x5d;

// The addresses are the strings after `"params":[`, up to the end of their list or the options behind the only one.
function accountsAnswer(request: Buffer, text: string, slot: number, head: string, tail: string): Buffer {
  let length = answer.write(head, 0, 'latin1');
  let at = text.indexOf('"params":[') + '"params":['.length;
  const first = length;
  for (;;) {
    while (request[at] !== quote && request[at] !== closingBracket && request[at] !== undefined) at++;
    if (request[at] !== quote) break;
    const end = request.indexOf(quote, at + 1);
    if (length > first) answer[length++] = 0x2c;
    length = accounts.write(request, at + 1, end, slot, answer, length);
    at = end + 1;
    if (tail === '}}') break;
  }
  length += answer.write(tail, length, 'latin1');
  return Buffer.from(answer.subarray(0, length));
}

let blockhash = '';
let blockhashSlot = -1;

function blockhashOf(slot: number): string {
  if (slot !== blockhashSlot) {
    blockhash = addressFromBytes(createHash('sha256').update(String(slot)).digest());
    blockhashSlot = slot;
  }
  return blockhash;
}

function listen(delayMilliseconds: number): Promise<string> {
  const calls: Record<string, number> = {};
  const reply = (response: ServerResponse, body: Buffer): void => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'GET') {
      reply(response, Buffer.from(JSON.stringify(calls)));
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const method = tokenOf(body.toString('latin1'), 'method').replaceAll('"', '');
      calls[method] = (calls[method] ?? 0) + 1;
      if (delayMilliseconds === 0) reply(response, answerTo(body));
      else setTimeout(() => reply(response, answerTo(body)), delayMilliseconds);
    });
  });
  server.keepAliveTimeout = 120_000;
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

const delays = process.argv.slice(3).map(Number);
const urls = await Promise.all(delays.map(listen));
console.log(`upstream listens on ${urls.join(' ')}`);
