import { figure, type Section } from '../report/section.ts';
import { judgeRatio } from '../report/targets.ts';
import { median, medianRatio } from '../statistics.ts';
import { LoadGenerator, type LoadResult } from './load.ts';
import type { ServerProcess } from './server-process.ts';
import { type Stage, writeAnswer } from './services.ts';
import { askOnce } from './single-request.ts';
import { upstreamCalls } from './upstream-calls.ts';

const connections = 64;
const rounds = 5;
const seconds = 3;
const warmUpSeconds = 3;

interface Round extends LoadResult {
  /** Upstream calls for each request. */
  calls: number;
}

/** Measures the service beside its peers, in interleaved rounds: requests, processor time, latency, memory, upstream calls. */
export async function measureThroughput(stage: Stage): Promise<Section> {
  const splwright = await stage.startSplwright(stage.upstreamUrl);
  const answer = await askOnce(splwright, stage, 0);
  const bare = { ANSWER_FILE: writeAnswer(answer) };
  const servers: readonly ServerProcess[] = [
    splwright,
    await stage.startPeer('bare-fastify', bare),
    await stage.startPeer('bare-http', bare),
    await stage.startPeer('express-service', { SOLANA_RPC_URL: stage.upstreamUrl }),
  ];
  const measured = await runRounds(stage, servers);
  for (const server of servers) await server.stop();

  const of = (name: string, key: keyof Round): number[] => (measured.get(name) ?? []).map((round) => round[key]);
  const ratio = (key: keyof Round, peer: string): number => medianRatio(of('splwright', key), of(peer, key));
  const row = ({ name }: ServerProcess): string[] => [
    name,
    ...(['requestsPerSecond', 'serverMicroseconds', 'p50', 'p99', 'calls'] as const).map((key) =>
      figure(median(of(name, key))),
    ),
    figure(median(of(name, 'residentBytes')) / 2 ** 20),
  ];
  return {
    title: 'The service under load',
    method:
      `The real server process (\`node src/main.ts serve\`, log on and to a file) against an upstream process that answers at once, ` +
      `${connections} connections, closed loop, ${rounds} interleaved rounds of ${seconds} s after ${warmUpSeconds} s of warm-up; ` +
      'every request has two wallets that the process has never seen. Medians over the rounds; ratios are made round by round.',
    head: [
      'server',
      'requests/s',
      'processor µs/request',
      'p50 ms',
      'p99 ms',
      'upstream calls/request',
      'resident MiB',
    ],
    rows: servers.map(row),
    notes: [
      `The load generator itself took ${figure(median(servers.flatMap(({ name }) => of(name, 'generatorMicroseconds').slice(0, name === 'express-service' ? 0 : undefined))))} µs of processor time per request beside the three fast servers.`,
      `\`service.throughput.http\`, against the bare \`node:http\` server: ${figure(ratio('requestsPerSecond', 'bare-http'))}; processor time ${figure(ratio('serverMicroseconds', 'bare-http'))} times.`,
    ],
    results: [
      judgeRatio('service.throughput.express', ratio('requestsPerSecond', 'express-service')),
      judgeRatio('service.throughput.fastify', ratio('requestsPerSecond', 'bare-fastify')),
      judgeRatio('service.cpu.fastify', ratio('serverMicroseconds', 'bare-fastify')),
      judgeRatio('service.upstream_calls', median(of('splwright', 'calls'))),
    ],
  };
}

async function runRounds(stage: Stage, servers: readonly ServerProcess[]): Promise<Map<string, Round[]>> {
  const load = new LoadGenerator(stage.poolPath);
  const measured = new Map<string, Round[]>(servers.map(({ name }) => [name, []]));
  const nextTransfer = new Map<ServerProcess, number>();
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const server of servers) {
        const before = await upstreamCalls(stage.upstreamUrl);
        const result = await load.run({
          port: Number(new URL(server.urls[0] ?? '').port),
          apiKey: stage.apiKey,
          connections,
          serverProcess: server.pid,
          firstTransfer: nextTransfer.get(server) ?? 1,
          seconds: round === 0 ? warmUpSeconds : seconds,
        });
        const calls = ((await upstreamCalls(stage.upstreamUrl)) - before) / result.requests;
        nextTransfer.set(server, result.nextTransfer);
        if (round > 0) measured.get(server.name)?.push({ ...result, calls });
      }
    }
  } finally {
    await load.close();
  }
  return measured;
}
