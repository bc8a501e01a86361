/** The process that sends the load: it takes orders from its parent, one at a time, and answers each with a result. */
import type { LoadOrder, LoadResult } from './load.ts';
import { LoadConnection, type LoadSource } from './load-connection.ts';
import { readPool } from './pool.ts';
import { readProcessUsage } from './process-usage.ts';
import { recordLayout as layout, recordLength, textLength } from './transfer-record.ts';

const pool = readPool(process.argv[2] ?? '');
const latencies = new Float64Array(4_000_000);
const memoDigits = 8;

/** A request with blanks for what changes, and where those are. */
function makeTemplate(apiKey: string): { request: Buffer; addressesAt: readonly number[]; memoAt: number } {
  const blank = 'x'.repeat(textLength);
  const body = `{"from_address":"${blank}","to_address":"${blank}","token_mint_address":"${blank}","amount":"1500000","memo":"invoice ${'0'.repeat(memoDigits)}"}`;
  const head = [
    'POST /v1/token-transfer-memo-hash HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: Bearer ${apiKey}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  const text = `${head.join('\r\n')}\r\n\r\n${body}`;
  const addressesAt = [...text.matchAll(/x{44}/g)].map((match) => match.index);
  return { request: Buffer.from(text, 'latin1'), addressesAt, memoAt: text.indexOf('invoice ') + 'invoice '.length };
}

function run(order: LoadOrder): Promise<LoadResult> {
  const { request, addressesAt, memoAt } = makeTemplate(order.apiKey);
  const [senderAt = 0, recipientAt = 0, mintAt = 0] = addressesAt;
  const inPool = pool.length / recordLength - order.firstTransfer;
  const most = Math.min(order.transfers ?? inPool, order.among === undefined ? inPool : Number.POSITIVE_INFINITY);
  const among = order.among ?? inPool;
  const deadline = performance.now() + order.seconds * 1000;
  let sent = 0;
  let requests = 0;
  let open = order.connections;
  const own = process.cpuUsage();
  const server = readProcessUsage(order.serverProcess);
  const startedAt = performance.now();

  return new Promise((resolve, reject) => {
    const source: LoadSource = {
      fill(target) {
        if (sent >= most || performance.now() >= deadline) return false;
        const transfer = order.firstTransfer + (sent++ % among);
        const record = transfer * recordLength;
        pool.copy(target, senderAt, record + layout.senderText, record + layout.senderText + textLength);
        pool.copy(target, recipientAt, record + layout.recipientText, record + layout.recipientText + textLength);
        pool.copy(target, mintAt, record + layout.mintText, record + layout.mintText + textLength);
        let number = transfer;
        for (let digit = memoAt + memoDigits - 1; digit >= memoAt; digit--) {
          target[digit] = 0x30 + (number % 10);
          number = Math.trunc(number / 10);
        }
        return true;
      },
      answered(milliseconds) {
        latencies[requests++] = milliseconds;
      },
      failed: (mistake) => reject(new Error(mistake)),
      ended() {
        open--;
        if (open > 0) return;
        if (requests === 0) reject(new RangeError('the pool of transfers is used up'));
        const seconds = (performance.now() - startedAt) / 1000;
        const after = readProcessUsage(order.serverProcess);
        const used = process.cpuUsage(own);
        const sorted = latencies.subarray(0, requests).toSorted();
        resolve({
          requests,
          requestsPerSecond: requests / seconds,
          serverMicroseconds: ((after.cpuSeconds - server.cpuSeconds) * 1e6) / requests,
          generatorMicroseconds: (used.user + used.system) / requests,
          residentBytes: after.residentBytes,
          p50: sorted[Math.floor(requests * 0.5)] ?? Number.NaN,
          p99: sorted[Math.floor(requests * 0.99)] ?? Number.NaN,
          nextTransfer: order.firstTransfer + sent,
        });
      },
    };
    for (let index = 0; index < order.connections; index++) {
      new LoadConnection(order.port, request, source, order.pauseMilliseconds ?? 0);
    }
  });
}

process.on('message', (order: LoadOrder) => {
  run(order).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ mistake: String(error) }),
  );
});
