import { LoadGenerator } from '../service/load.ts';
import { readProcessUsage } from '../service/process-usage.ts';
import type { ServerProcess } from '../service/server-process.ts';
import type { Stage } from '../service/services.ts';
import { upstreamCalls } from '../service/upstream-calls.ts';
import { batchBody, batchFrom, recipientCount } from './batch-work.ts';
import type { BatchCost } from './measure-core.ts';

const warmUpBatches = 60;
const countedBatches = 15;
// Until then a heap grows, whatever it serves: its collector is still finding its pace.
const settlingBatches = 500;
const memoryBatches = 1_000;
// The same recipients again and again: what differs is batches alone, not the wallets that are remembered.
const memoryWallets = 10;
const inFlight = 10;
const rounds = 5;
const secondsPerRound = 3;
// Few enough that single transfers alone do not wait for one another.
const connections = 4;
// Behind those of the core, so that no recipient has been seen.
const firstRecord = 100_000;
const firstSingle = 180_000;

/** What the running service takes for batches. */
export interface ServiceCosts {
  cost: BatchCost;
  /** Upstream calls of each. */
  calls: number;
  /** Resident memory after a thousand batches, against that before them, when the heap had settled. */
  memoryRatio: number;
  residentBytes: number;
  /** Milliseconds of single transfers, of each round: alone, and beside ten batches in flight. */
  alone: readonly number[];
  beside: readonly number[];
}

/** Measures batches over HTTP: what one costs, what a thousand leave behind, and what others wait for. */
export async function measureService(stage: Stage, pool: Buffer): Promise<ServiceCosts> {
  const server = await stage.startSplwright(stage.upstreamUrl);
  let next = firstRecord;
  const unseen = (): string => {
    next += recipientCount;
    return batchBody(batchFrom(pool, next));
  };
  try {
    for (let batch = 0; batch < warmUpBatches; batch++) await ask(server, stage, unseen());
    const { cost, calls } = await measureCost(server, stage, unseen);
    const memory = await measureMemory(server, stage, pool);
    return { cost, calls, ...memory, ...(await measureOthers(server, stage, pool)) };
  } finally {
    await server.stop();
  }
}

async function measureCost(
  server: ServerProcess,
  stage: Stage,
  bodyOf: () => string,
): Promise<{ cost: BatchCost; calls: number }> {
  const bodies = Array.from({ length: countedBatches }, bodyOf);
  const cost: BatchCost = {
    name: 'splwright over HTTP, all checks, recipients never seen',
    milliseconds: [],
    transactions: 0,
    bytes: 0,
  };
  const callsBefore = await upstreamCalls(stage.upstreamUrl);
  const before = readProcessUsage(server.pid).cpuSeconds;
  for (const body of bodies) {
    const { transactions } = readReply(await ask(server, stage, body));
    cost.transactions = transactions.length;
    cost.bytes = transactions.reduce((sum, transaction) => sum + Buffer.from(transaction, 'base64').length, 0);
  }
  // Linux counts in steps of 10 ms, so that they are measured together.
  const seconds = readProcessUsage(server.pid).cpuSeconds - before;
  cost.milliseconds.push((seconds * 1_000) / countedBatches);
  return { cost, calls: ((await upstreamCalls(stage.upstreamUrl)) - callsBefore) / countedBatches };
}

async function measureMemory(
  server: ServerProcess,
  stage: Stage,
  pool: Buffer,
): Promise<{ memoryRatio: number; residentBytes: number }> {
  const bodies = Array.from({ length: memoryWallets }, (_, index) =>
    batchBody(batchFrom(pool, index * recipientCount)),
  );
  const askFor = async (count: number): Promise<number> => {
    for (let batch = 0; batch < count; batch++) await ask(server, stage, bodies[batch % memoryWallets] ?? '');
    return readProcessUsage(server.pid).residentBytes;
  };
  const before = await askFor(settlingBatches);
  const after = await askFor(memoryBatches);
  return { memoryRatio: after / before, residentBytes: after };
}

async function measureOthers(
  server: ServerProcess,
  stage: Stage,
  pool: Buffer,
): Promise<{ alone: readonly number[]; beside: readonly number[] }> {
  const load = new LoadGenerator(stage.poolPath);
  const target = { port: Number(new URL(server.urls[0] ?? '').port), apiKey: stage.apiKey, serverProcess: server.pid };
  let firstTransfer = firstSingle;
  const p99 = async (): Promise<number> => {
    const result = await load.run({ ...target, connections, firstTransfer, seconds: secondsPerRound });
    firstTransfer = result.nextTransfer;
    return result.p99;
  };
  const bodies = Array.from({ length: inFlight }, (_, index) => batchBody(batchFrom(pool, index * recipientCount)));
  const [alone, beside]: [number[], number[]] = [[], []];
  try {
    await p99();
    for (let round = 0; round < rounds; round++) {
      alone.push(await p99());
      let isOver = false;
      const batches = bodies.map(async (body) => {
        while (!isOver) await ask(server, stage, body);
      });
      beside.push(await p99());
      isOver = true;
      await Promise.all(batches);
    }
  } finally {
    await load.close();
  }
  return { alone, beside };
}

async function ask(server: ServerProcess, stage: Stage, body: string): Promise<string> {
  const response = await fetch(`${server.urls[0]}/v1/transfers/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.apiKey}`, 'content-type': 'application/json' },
    body,
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${server.name} answered ${response.status}: ${text.slice(0, 1_000)}`);
  return text;
}

function readReply(text: string): { transactions: readonly string[] } {
  const { data } = JSON.parse(text);
  return { transactions: data.transactions.map(({ transaction }: { transaction: string }) => transaction) };
}
