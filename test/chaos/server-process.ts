import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openKeyStore } from '../../packages/server/src/serve/store/open-key-store.ts';
import { freePort } from '../setup/free-port.ts';
import type { Cleanup } from '../setup/service.ts';

/** The real service in a process of its own. */
export interface ServerProcess {
  url: string;
  metricsUrl: string;
  apiKey: string;
  /** Lines of its output that hold one of the secrets. */
  leaks: readonly string[];
  /** The newest of its log's lines that are warnings or worse. */
  warnings: readonly string[];
  /** Resident memory in bytes, as the kernel counts it. */
  residentBytes(): number;
  /** The memory that its objects are in, in bytes, as its own metrics tell. */
  usedHeapBytes(): Promise<number>;
  /** Open file descriptors: sockets, files, everything. */
  openHandles(): number;
  /** Takes the processor away from it, until `resume`. */
  pause(): void;
  resume(): void;
}

/** How a process that did not begin to serve ended. */
export interface RefusedStart {
  status: number | null;
  output: string;
}

/** How to start a service. */
export interface ServerOptions {
  rpcUrls: readonly string[];
  /** Texts that must be nowhere in its output. */
  secrets: readonly string[];
  environment?: Readonly<Record<string, string>>;
}

const main = fileURLToPath(new URL('../../packages/server/bin/splwright.js', import.meta.url));
const keptWarnings = 200;

/** Starts the service on free ports with a key of its own, and ends it with the test. Throws when it refuses to start. */
export async function startServerProcess(t: Cleanup, options: ServerOptions): Promise<ServerProcess> {
  const started = await tryServerProcess(t, options);
  if ('status' in started) throw new Error(`the service ended with ${started.status}:\n${started.output}`);
  return started;
}

/** Starts the service, or says how it refused to. */
export async function tryServerProcess(t: Cleanup, options: ServerOptions): Promise<ServerProcess | RefusedStart> {
  const folder = mkdtempSync(join(tmpdir(), 'splwright-chaos-'));
  t.after(async () => rmSync(folder, { recursive: true, force: true }));
  const databaseUrl = `sqlite:${folder}/keys.db`;
  const apiKey = await createKey(databaseUrl);
  const metricsPort = await freePort();
  const child = spawn(process.execPath, [main, 'serve'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      METRICS_PORT: String(metricsPort),
      DATABASE_URL: databaseUrl,
      SOLANA_RPC_URLS: options.rpcUrls.join(),
      RATE_LIMIT_PER_MINUTE: '0',
      DRAIN_MS: '0',
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  // An interrupted suite leaves no server behind.
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  t.after(async () => {
    child.kill('SIGTERM');
    // A service that will not end must not keep the tests from ending.
    const killer = setTimeout(() => child.kill('SIGKILL'), 8000);
    await ended;
    clearTimeout(killer);
    process.off('exit', killAtExit);
  });

  const leaks: string[] = [];
  const warnings: string[] = [];
  const first: string[] = [];
  const url = await new Promise<string | undefined>((resolve) => {
    const read = (line: string): void => {
      if (options.secrets.some((secret) => line.includes(secret))) leaks.push(line);
      if (/"level":[456]0/.test(line) && warnings.push(line) > keptWarnings) warnings.shift();
      if (first.length < keptWarnings) first.push(line);
      const found = /splwright listens on (http:\/\/[^\s,]+)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    };
    for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', read);
    void ended.then(() => resolve(undefined));
  });
  if (url === undefined) return { status: await ended, output: first.join('\n') };
  const { pid } = child;
  const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  return {
    url,
    metricsUrl,
    apiKey,
    leaks,
    warnings,
    residentBytes() {
      const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      return Number(kibibytes) * 1024;
    },
    async usedHeapBytes() {
      const metrics = await (await fetch(metricsUrl)).text();
      return Number(/^nodejs_heap_size_used_bytes (\d+)$/m.exec(metrics)?.[1]);
    },
    openHandles: () => readdirSync(`/proc/${pid}/fd`).length,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  };
}

async function createKey(databaseUrl: string): Promise<string> {
  const store = await openKeyStore(databaseUrl);
  const { key } = await store.create({ name: 'chaos', expiresAt: null });
  await store.close();
  return key;
}
