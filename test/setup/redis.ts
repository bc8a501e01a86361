import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificates } from './certificates.ts';
import { freePort } from './free-port.ts';
import { notInstalled } from './not-installed.ts';
import type { Cleanup } from './service.ts';

/** A real Redis or Valkey on a port of its own, with nothing on disk. */
export interface TestRedis {
  /** `redis://`, or `rediss://` where it has certificates, without its authority. */
  url: string;
  port: number;
  /** The password in the URL, which must show up nowhere. */
  password: string;
  /** Kills it at once, and with it all that it holds. */
  kill(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  restart(): Promise<void>;
  /** Stops it where it is: it keeps its connections and answers nothing. */
  freeze(): void;
  /** Lets it go on after `freeze`. */
  thaw(): void;
}

/** The password of every server. */
const redisPassword = 'RedisPassword7e1c';

/**
 * Starts a Redis for a test, with options of its command line, and ends it with the test. Throws when none is installed.
 *
 * With certificates its port takes TLS alone. Debian: `apt-get install redis-server`; Valkey serves as well.
 */
export async function startRedis(
  t: Cleanup,
  options: readonly string[] = [],
  certificates?: Certificates,
): Promise<TestRedis> {
  const program = redisProgram();
  const folder = mkdtempSync(join(tmpdir(), 'splwright-redis-'));
  const port = await freePort();
  const fixed = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const all = [...portOptions(port, certificates), ...fixed, '--requirepass', redisPassword, ...options];
  let child = await startRedisProcess(program, all);
  const kill = (): Promise<void> => killProcess(child);
  t.after(async () => {
    await kill();
    rmSync(folder, { recursive: true });
  });
  return {
    url: `${certificates ? 'rediss' : 'redis'}://:${redisPassword}@127.0.0.1:${port}`,
    port,
    password: redisPassword,
    kill,
    restart: async () => {
      child = await startRedisProcess(program, all);
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

/** The program of Redis or Valkey. Throws when neither is installed. */
function redisProgram(): string {
  const program = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);
  if (program === undefined) throw notInstalled('Redis', 'redis-server');
  return program;
}

/** The options by which a server takes TLS alone on a port, from clients with and without a certificate, or plain connections. */
function portOptions(port: number, certificates: Certificates | undefined): readonly string[] {
  if (!certificates) return ['--port', String(port)];
  const { ca, server } = certificates;
  const files = ['--tls-ca-cert-file', ca, '--tls-cert-file', server.cert, '--tls-key-file', server.key];
  return ['--port', '0', '--tls-port', String(port), ...files, '--tls-auth-clients', 'optional'];
}

/** Starts a server, and resolves once it takes connections. */
async function startRedisProcess(program: string, options: readonly string[]): Promise<ChildProcess> {
  const words = 'Ready to accept connections';
  const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8');
  for await (const text of child.stdout) {
    output += text;
    if (output.includes(words)) break;
  }
  if (!output.includes(words)) throw new Error(`${program} ended:\n${output}`);
  return child;
}

/** Kills a process that may have ended already, and resolves once it is gone. */
async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
