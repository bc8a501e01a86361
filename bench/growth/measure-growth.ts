import { writeFileSync } from 'node:fs';
import { figure, type Section } from '../report/section.ts';
import { judgeRatio } from '../report/targets.ts';
import { LoadGenerator, type LoadOrder, type LoadResult } from '../service/load.ts';
import type { Stage } from '../service/services.ts';
import { poolShape } from '../service/transfer-record.ts';
import { chartsToSvg } from './charts.ts';

const walletsAt = [1_000, 10_000, 100_000, 1_000_000] as const;
const connectionsAt = [1, 4, 16, 64, 256, 512] as const;
const connections = 64;
// As many as a million wallets take: a heap also grows with requests until its collector finds its pace, wallets or not.
const warmUpRequests = 500_000;
const secondsPerConnections = 3;
const giveUpAfterSeconds = 300;

interface Point {
  at: number;
  result: LoadResult;
}

/** Measures what a request costs, and what the process holds, as wallets and connections grow; draws it into `svgPath`. */
export async function measureGrowth(stage: Stage, svgPath: string): Promise<Section[]> {
  const byWallets = await withService(stage, growWallets);
  const byConnections = await withService(stage, growConnections);
  const micro = ({ at, result }: Point): [number, number] => [at, result.serverMicroseconds];
  const resident = ({ at, result }: Point): [number, number] => [at, result.residentBytes / 2 ** 20];
  const cost = 'processor µs per request';
  const memory = 'resident MiB';
  writeFileSync(
    svgPath,
    chartsToSvg([
      { title: 'Processor time by wallets', x: 'distinct wallets so far', y: cost, points: byWallets.map(micro) },
      { title: 'Memory by wallets', x: 'distinct wallets so far', y: memory, points: byWallets.map(resident) },
      { title: 'Processor time by connections', x: 'connections', y: cost, points: byConnections.map(micro) },
      { title: 'Memory by connections', x: 'connections', y: memory, points: byConnections.map(resident) },
    ]),
  );
  const [first, last] = [byWallets.at(0), byWallets.at(-1)];
  const row = ({ at, result }: Point): string[] => [
    at.toLocaleString('en'),
    ...[result.requestsPerSecond, result.serverMicroseconds, result.p50, result.p99].map(figure),
    figure(result.residentBytes / 2 ** 20),
  ];
  const columns = ['requests/s', 'processor µs/request', 'p50 ms', 'p99 ms', 'resident MiB'];
  return [
    {
      title: 'As distinct wallets grow',
      method:
        `One process, ${connections} connections. First ${warmUpRequests.toLocaleString('en')} requests among the first ` +
        '1,000 wallets, then as many with two new wallets in each. A row is the stretch since the row before it, its memory ' +
        'that at the end.',
      head: ['distinct wallets', ...columns],
      rows: byWallets.map(row),
      notes: ['Drawn in [growth.svg](growth.svg).'],
      results: [
        judgeRatio('service.memory', (last?.result.residentBytes ?? 0) / (first?.result.residentBytes ?? Number.NaN)),
      ],
    },
    {
      title: 'As connections grow',
      method: `Another process, ${secondsPerConnections} s for each row after a warm-up, new wallets.`,
      head: ['connections', ...columns],
      rows: byConnections.map(row),
      notes: [],
      results: [],
    },
  ];
}

type Send = (order: Omit<LoadOrder, 'port' | 'apiKey' | 'serverProcess'>) => Promise<LoadResult>;

async function withService(stage: Stage, measure: (send: Send) => Promise<Point[]>): Promise<Point[]> {
  const server = await stage.startSplwright(stage.upstreamUrl);
  const load = new LoadGenerator(stage.poolPath);
  const target = { port: Number(new URL(server.urls[0] ?? '').port), apiKey: stage.apiKey, serverProcess: server.pid };
  try {
    return await measure((order) => load.run({ ...order, ...target }));
  } finally {
    await load.close();
    await server.stop();
  }
}

async function growWallets(send: Send): Promise<Point[]> {
  const order = { connections, seconds: giveUpAfterSeconds };
  const among = walletsAt[0] / 2;
  const points: Point[] = [
    { at: walletsAt[0], result: await send({ ...order, firstTransfer: 0, among, transfers: warmUpRequests }) },
  ];
  let sent: number = among;
  for (const wallets of walletsAt.slice(1)) {
    const result = await send({ ...order, firstTransfer: sent, transfers: wallets / 2 - sent });
    sent = result.nextTransfer;
    if (sent < wallets / 2) throw new Error(`only ${2 * sent} wallets in ${giveUpAfterSeconds} s`);
    points.push({ at: wallets, result });
  }
  return points;
}

async function growConnections(send: Send): Promise<Point[]> {
  const share = Math.floor(poolShape.sharedMintTransfers / (connectionsAt.length + 1));
  await send({ connections, firstTransfer: 0, transfers: share, seconds: secondsPerConnections });
  const points: Point[] = [];
  for (const [index, count] of connectionsAt.entries()) {
    const firstTransfer = (index + 1) * share;
    const order = { connections: count, firstTransfer, transfers: share, seconds: secondsPerConnections };
    points.push({ at: count, result: await send(order) });
  }
  return points;
}
