import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LoadGenerator } from './service/load.ts';
import { workFolder } from './service/pool.ts';
import { repository } from './service/server-process.ts';
import type { Stage } from './service/services.ts';

const connections = 64;
const seconds = 10;
const warmUpSeconds = 3;
const samplingMicroseconds = 200;

/** The parts of a `.cpuprofile` (V8's `Profiler.Profile`) that are read here. Times in microseconds. */
interface CpuProfile {
  nodes: readonly { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: readonly number[];
  timeDeltas: readonly number[];
  endTime: number;
}

interface SelfTime {
  file: string;
  place: string;
  microseconds: number;
}

/** Where the main thread of the server spent its time: self times of functions, and the requests answered meanwhile. */
export interface ServiceProfile {
  requests: number;
  times: readonly SelfTime[];
}

/** Runs the server under load with V8's profiler on. */
export async function profileService(stage: Stage): Promise<ServiceProfile> {
  const folder = mkdtempSync(join(workFolder, 'profile-'));
  try {
    const profiling = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${samplingMicroseconds}`];
    const server = await stage.startSplwright(stage.upstreamUrl, profiling);
    const load = new LoadGenerator(stage.poolPath);
    const order = {
      port: Number(new URL(server.urls[0] ?? '').port),
      apiKey: stage.apiKey,
      connections,
      serverProcess: server.pid,
    };
    const warmUp = await load.run({ ...order, firstTransfer: 0, seconds: warmUpSeconds });
    const result = await load.run({ ...order, firstTransfer: warmUp.nextTransfer, seconds });
    await load.close();
    await server.stop();
    const [name = ''] = readdirSync(folder);
    const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile;
    return { requests: result.requests, times: selfTimes(profile, seconds * 1e6) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// What the last part of a profile spent in each function itself.
function selfTimes(profile: CpuProfile, lastMicroseconds: number): SelfTime[] {
  const byNode = new Map<number, number>();
  let before = 0;
  for (let index = profile.samples.length - 1; index >= 0 && before < lastMicroseconds; index--) {
    const node = profile.samples[index] ?? 0;
    // A sample's delta is the time since the sample before it; its stack is the one seen at its end.
    const delta = profile.timeDeltas[index] ?? 0;
    byNode.set(node, (byNode.get(node) ?? 0) + delta);
    before += delta;
  }
  const byPlace = new Map<string, SelfTime>();
  for (const { id, callFrame } of profile.nodes) {
    const microseconds = byNode.get(id) ?? 0;
    if (microseconds === 0) continue;
    const file = fileOf(callFrame.url);
    const place = `${callFrame.functionName || '(anonymous)'}:${callFrame.lineNumber + 1}`;
    const known = byPlace.get(`${file} ${place}`);
    byPlace.set(`${file} ${place}`, { file, place, microseconds: (known?.microseconds ?? 0) + microseconds });
  }
  return [...byPlace.values()].filter(({ place }) => !place.startsWith('(idle)'));
}

function fileOf(url: string): string {
  if (url === '') return '(V8 and native)';
  return url.replace(`file://${repository}`, '').replace(/^file:\/\/.*?\/node_modules\//, 'node_modules/');
}

/** A profile as text: microseconds per request, file by file, with the most expensive functions of each. */
export function describeProfile({ requests, times }: ServiceProfile): string {
  const micro = (value: number): string => value.toFixed(2).padStart(8);
  const lines = [
    `${requests} requests; microseconds of the main thread per request, self time: ${(sum(times) / requests).toFixed(1)}`,
  ];
  for (const { file, part, microseconds } of byFile(times).slice(0, 30)) {
    lines.push('', `${micro(microseconds / requests)}  ${file}`);
    const top = part.toSorted((a, b) => b.microseconds - a.microseconds).slice(0, 8);
    for (const time of top) {
      const own = time.microseconds / requests;
      if (own >= 0.05) lines.push(`  ${micro(own)}  ${time.place}`);
    }
  }
  return lines.join('\n');
}

function sum(times: readonly SelfTime[]): number {
  return times.reduce((total, { microseconds }) => total + microseconds, 0);
}

function byFile(times: readonly SelfTime[]): { file: string; part: SelfTime[]; microseconds: number }[] {
  return Object.entries(Object.groupBy(times, ({ file }) => file))
    .map(([file, part = []]) => ({ file, part, microseconds: sum(part) }))
    .toSorted((a, b) => b.microseconds - a.microseconds);
}
