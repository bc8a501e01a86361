import { figure, type Section } from '../report/section.ts';
import { judgeRatio } from '../report/targets.ts';
import { median, medianRatio } from '../statistics.ts';
import { LoadGenerator, type LoadResult } from './load.ts';
import { readProcessUsage } from './process-usage.ts';
import type { ServerProcess } from './server-process.ts';
import { littleMemory, memoryAsItComes, type Stage, twoWorkers, writeAnswer } from './services.ts';
import { askForTransfer } from './single-request.ts';
import { upstreamCalls } from './upstream-calls.ts';

const connections = 64;
const rounds = 9;
// A round begins with cold caches, and with code that V8 compiles again because the connections of the last round ended:
// what serves has its load all the time.
const seconds = 3;
// Until V8 has compiled all of it: splwright's requests cost twice as much in their first six seconds as after ten. In one minute
// without a break they became cheaper until the fortieth second.
const warmUpSeconds = 40;
// Far more wallets than a server remembers, round and round; the rounds that are measured have others, each once.
const warmUpTransfers = 100_000;

interface Round extends LoadResult {
  /** Upstream calls for each request. */
  calls: number;
  /** Microseconds of processor time of the upstream for each request. */
  upstreamMicroseconds: number;
}

/** Measures the service beside its peers, in interleaved rounds: requests, processor time, latency, memory, upstream calls. */
export async function measureThroughput(stage: Stage): Promise<Section> {
  const splwright = await stage.startSplwright(stage.upstreamUrl);
  const answer = await askForTransfer(splwright, stage, 0);
  const bare = { ANSWER_FILE: writeAnswer(answer) };
  const express = await stage.startPeer('express-service', { SOLANA_RPC_URL: stage.upstreamUrl });
  await askForTransfer(express, stage, 0);
  const servers: readonly ServerProcess[] = [
    splwright,
    await stage.startSplwright(stage.upstreamUrl, [], memoryAsItComes),
    await stage.startSplwright(stage.upstreamUrl, [], twoWorkers),
    await stage.startPeer('bare-fastify', bare),
    await stage.startPeer('bare-http', bare),
    express,
  ];
  const measured = await runRounds(stage, servers);
  for (const server of servers) await server.stop();

  const of = (name: string, key: keyof Round): number[] => (measured.get(name) ?? []).map((round) => round[key]);
  const ratio = (key: keyof Round, peer: string): number => medianRatio(of('splwright', key), of(peer, key));
  const settings = Object.entries(littleMemory).map(([name, value]) => `${name}=${value}`);
  const own = (key: keyof Round): string => figure(median(of('splwright', key)));
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
      'The server process (log to a file) against an upstream process that answers at once, ' +
      `${connections} connections, closed loop, ${rounds} interleaved rounds of ${seconds} s after ${warmUpSeconds} s of warm-up; ` +
      'every request has two new wallets. Medians over the rounds; ratios are made round by round.',
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
      `Per request, the load generator took ${own('generatorMicroseconds')} and the upstream ${own('upstreamMicroseconds')} µs of processor time.`,
      `Against the bare \`node:http\` server: ${figure(ratio('requestsPerSecond', 'bare-http'))} times the requests, ${figure(ratio('serverMicroseconds', 'bare-http'))} times the processor time of each.`,
      `${memoryAsItComes.name} is splwright without \`${settings.join(' ')}\`: splwright takes ${figure(ratio('serverMicroseconds', memoryAsItComes.name))} times its processor time.`,
      `${twoWorkers.name} is splwright with \`WORKERS=2\`, all three processes counted: each worker has less than one core.`,
      'The Express service neither authenticates nor limits nor logs; it builds the same transfer.',
    ],
    results: [
      judgeRatio('service.throughput.express', ratio('requestsPerSecond', 'express-service')),
      judgeRatio('service.throughput.fastify', ratio('requestsPerSecond', 'bare-fastify')),
      judgeRatio('service.cpu.fastify', ratio('serverMicroseconds', 'bare-fastify')),
      judgeRatio('service.upstream_calls', median(of('splwright', 'calls'))),
      judgeRatio('service.memory.connections', median(of(memoryAsItComes.name, 'residentBytes')) / 1e6),
    ],
  };
}

function upstreamIsAsked({ name }: ServerProcess): boolean {
  return !name.startsWith('bare-');
}

async function runRounds(stage: Stage, servers: readonly ServerProcess[]): Promise<Map<string, Round[]>> {
  const load = new LoadGenerator(stage.poolPath);
  const measured = new Map<string, Round[]>(servers.map(({ name }) => [name, []]));
  const nextTransfer = new Map<ServerProcess, number>();
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const server of servers) {
        const before = await upstreamCalls(stage.upstreamUrl);
        const upstream = readProcessUsage(stage.upstreamProcess);
        const result = await load.run({
          port: Number(new URL(server.urls[0] ?? '').port),
          apiKey: stage.apiKey,
          connections,
          serverProcess: server.pid,
          ...(round === 0
            ? { firstTransfer: 1, among: warmUpTransfers, seconds: warmUpSeconds }
            : { firstTransfer: nextTransfer.get(server) ?? 1 + warmUpTransfers, seconds }),
        });
        const calls = ((await upstreamCalls(stage.upstreamUrl)) - before) / result.requests;
        const upstreamSeconds = readProcessUsage(stage.upstreamProcess).cpuSeconds - upstream.cpuSeconds;
        // Those that answer a constant do not look at the transfer, and would use up the pool.
        if (round > 0 && upstreamIsAsked(server)) nextTransfer.set(server, result.nextTransfer);
        const upstreamMicroseconds = (upstreamSeconds * 1e6) / result.requests;
        if (round > 0) measured.get(server.name)?.push({ ...result, calls, upstreamMicroseconds });
      }
    }
  } finally {
    await load.close();
  }
  return measured;
}
