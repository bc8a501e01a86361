import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProxy } from '../../deploy/test/haproxy.ts';
import { openKeyStore } from '../../packages/server/src/serve/store/open-key-store.ts';
import type { Store } from '../../packages/server/src/serve/store/store.ts';
import { startPostgres } from '../setup/postgres.ts';
import type { Cleanup } from '../setup/service.ts';

/** A service that runs in processes of its own, on a node in another one. */
export interface Deployment {
  /** Where it listens: one URL, or one for each of its processes. */
  urls: readonly string[];
  store: Store;
  node: { url: string; rpcUrl: string; secretKey: string };
  /** The resident memory of its largest process now, in MB. */
  residentMegabytes(): number;
}

/** The deployments that are attacked. */
export const deployments = {
  'one process': { processes: 1, environment: {}, isPostgres: false, isProxied: false },
  'WORKERS=2': { processes: 1, environment: { WORKERS: '2' }, isPostgres: false, isProxied: false },
  'two processes on PostgreSQL': { processes: 2, environment: {}, isPostgres: true, isProxied: false },
  'the same behind HAProxy': { processes: 2, environment: {}, isPostgres: true, isProxied: true },
} as const;

const main = fileURLToPath(new URL('../../packages/server/bin/splwright.js', import.meta.url));

/** Starts one of them with the limits of a service that nobody has configured, and ends it with `t`. */
export async function startDeployment(t: Cleanup, name: keyof typeof deployments): Promise<Deployment> {
  const { processes, environment, isPostgres, isProxied } = deployments[name];
  const folder = mkdtempSync(join(tmpdir(), 'splwright-attacks-'));
  t.after(async () => rmSync(folder, { recursive: true, force: true }));
  const databaseUrl = isPostgres ? await (await startPostgres(t)).createDatabase() : `sqlite:${folder}/keys.db`;
  const store = await openKeyStore(databaseUrl, { use: 'service' });
  t.after(() => store.close());
  const node = await startNode(t);
  const started = await Promise.all(
    Array.from({ length: processes }, () =>
      startProcess(t, folder, {
        ...environment,
        DATABASE_URL: databaseUrl,
        SOLANA_RPC_URLS: node.url,
        PUBLIC_URL: 'https://pay.example',
        TRUST_PROXY: '1',
      }),
    ),
  );
  const pids = started.map(({ pid }) => pid);
  const urls = started.map(({ url }) => url);
  return {
    urls: isProxied ? [await startHaproxy(t, urls)] : urls,
    store,
    node,
    residentMegabytes: () => Math.max(...pids.flatMap(familyOf).map(residentOf)),
  };
}

async function startHaproxy(t: Cleanup, urls: readonly string[]): Promise<string> {
  const [a = '', b = ''] = urls.map((url) => new URL(url).host);
  const { url, untilUp } = await startProxy(t, { a, b });
  await Promise.all([untilUp('a'), untilUp('b')]);
  return url;
}

async function startNode(t: Cleanup): Promise<Deployment['node']> {
  const child = fork(fileURLToPath(new URL('./node.ts', import.meta.url)));
  t.after(async () => void child.kill('SIGKILL'));
  const [node] = await once(child, 'message');
  return node;
}

async function startProcess(t: Cleanup, folder: string, environment: Record<string, string>) {
  const freePorts = { PORT: '0', METRICS_PORT: '0', DRAIN_MS: '0' };
  const child = spawn(process.execPath, [main, 'serve'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...freePorts, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => end(child));
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < 100_000) output += text;
      const found = /splwright listens on (http:\/\/[^\s,]+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (status) => reject(new Error(`the service ended with ${status}:\n${output}`)));
  });
  return { url, pid: child.pid ?? 0 };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function familyOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return [pid, ...children.map(Number)];
}

function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
}
