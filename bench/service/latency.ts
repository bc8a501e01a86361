import { figure, type Section } from '../report/section.ts';
import { judgeRatio } from '../report/targets.ts';
import { median, medianRatio } from '../statistics.ts';
import { LoadGenerator, type LoadOrder } from './load.ts';
import { measureRoundTrips } from './round-trip.ts';
import type { ServerProcess } from './server-process.ts';
import { type Stage, slowMilliseconds } from './services.ts';
import { poolShape } from './transfer-record.ts';

const warmUpSeconds = 3;
const rounds = 5;
const requestsPerRound = 20;
const expressRequestsPerRound = 6;
const silenceMilliseconds = 1_200;
const requestsAfterSilence = 3;

/** Measures what a caller waits for while the upstream takes 50 ms: one connection, each request with a mint of its own. */
export async function measureLatency(stage: Stage): Promise<Section> {
  const splwright = await stage.startSplwright(stage.slowUpstreamUrl);
  const express = await stage.startPeer('express-service', { SOLANA_RPC_URL: stage.slowUpstreamUrl });
  const load = new LoadGenerator(stage.poolPath);
  let transfer = poolShape.sharedMintTransfers;
  const at = (server: ServerProcess): Pick<LoadOrder, 'port' | 'apiKey' | 'serverProcess'> => ({
    port: Number(new URL(server.urls[0] ?? '').port),
    apiKey: stage.apiKey,
    serverProcess: server.pid,
  });
  const ask = async (server: ServerProcess, transfers: number, pauseMilliseconds = 0): Promise<number> => {
    const order = { connections: 1, firstTransfer: transfer, transfers, seconds: 60, pauseMilliseconds };
    const result = await load.run({ ...at(server), ...order });
    transfer = result.nextTransfer;
    return result.p50;
  };
  const times = {
    roundTrip: [] as number[],
    splwright: [] as number[],
    afterSilence: [] as number[],
    express: [] as number[],
  };
  try {
    // Code that has just started is slow whatever it does.
    for (const server of [splwright, express]) {
      await load.run({ ...at(server), connections: 64, firstTransfer: 0, seconds: warmUpSeconds });
    }
    for (let round = 0; round < rounds; round++) {
      times.roundTrip.push(await measureRoundTrips(stage.slowUpstreamUrl, requestsPerRound));
      times.splwright.push(await ask(splwright, requestsPerRound));
      times.afterSilence.push(await ask(splwright, requestsAfterSilence, silenceMilliseconds));
      times.express.push(await ask(express, expressRequestsPerRound));
    }
  } finally {
    await load.close();
    await splwright.stop();
    await express.stop();
  }
  const row = (name: string, series: readonly number[]): string[] => [
    name,
    figure(median(series)),
    figure(medianRatio(series, times.roundTrip)),
  ];
  const worse = Math.max(
    medianRatio(times.splwright, times.roundTrip),
    medianRatio(times.afterSilence, times.roundTrip),
  );
  return {
    title: `Latency with an upstream that takes ${slowMilliseconds} ms`,
    method:
      'One connection; every request has two new wallets and a new mint, so that only a blockhash is known. ' +
      `After ${warmUpSeconds} s of warm-up, medians of ${rounds} rounds of ${requestsPerRound} requests; the round trip is one ` +
      '`getMultipleAccounts` sent straight to the upstream.',
    head: ['what', 'median ms', 'against one round trip'],
    rows: [
      row('one upstream round trip', times.roundTrip),
      row('splwright', times.splwright),
      row(`splwright after ${silenceMilliseconds} ms of silence, its blockhash too old`, times.afterSilence),
      row('Express', times.express),
    ],
    notes: ["The ratios are the worse of splwright's two rows."],
    results: [
      judgeRatio('service.latency.roundtrip', worse),
      judgeRatio(
        'service.latency.express',
        Math.max(medianRatio(times.splwright, times.express), medianRatio(times.afterSilence, times.express)),
      ),
    ],
  };
}
