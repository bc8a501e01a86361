import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { figure, type Section } from '../report/section.ts';
import { judgeRatio } from '../report/targets.ts';
import { median } from '../statistics.ts';
import { workFolder } from './pool.ts';
import { startServer } from './server-process.ts';
import { type Stage, writeAnswer } from './services.ts';

const starts = 5;

/** Measures how long the service takes to start beside a bare Fastify server. */
export async function measureStart(stage: Stage): Promise<Section> {
  const folder = mkdtempSync(join(workFolder, 'start-'));
  const onSandbox = () =>
    startServer({
      name: 'splwright-on-sandbox',
      arguments: ['packages/server/bin/splwright.js', 'serve'],
      environment: { PORT: '0', METRICS_PORT: '0', DRAIN_MS: '0', DATABASE_URL: `sqlite:${join(folder, 'keys.db')}` },
    });
  const servers = {
    'splwright, on the sandbox': onSandbox,
    'splwright, on an upstream': () => stage.startSplwright(stage.upstreamUrl),
    'bare Fastify': () => stage.startPeer('bare-fastify', { ANSWER_FILE: writeAnswer('{}') }),
  };
  try {
    const measured: [name: string, seconds: number][] = [];
    for (const [name, start] of Object.entries(servers)) {
      const seconds: number[] = [];
      for (let each = 0; each < starts; each++) {
        const server = await start();
        seconds.push(server.startSeconds);
        await server.stop();
      }
      measured.push([name, median(seconds)]);
    }
    const [, sandboxSeconds = Number.NaN] = measured[0] ?? [];
    return {
      title: 'A start',
      method: `From the start of the process until it listens, the code compiled by an earlier start; medians of ${starts} starts.`,
      head: ['server', 'seconds'],
      rows: measured.map(([name, seconds]) => [name, figure(seconds)]),
      notes: [],
      results: [judgeRatio('service.start', sandboxSeconds)],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
