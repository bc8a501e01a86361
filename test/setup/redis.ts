import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import type { Cleanup } from './service.ts';

/** A real Redis or Valkey on a port of its own, with nothing on disk. */
export interface TestRedis {
  url: string;
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

const password = 'RedisPassword7e1c';

/**
 * Starts a Redis for a test, with options of its command line, and ends it with the test. Throws when none is installed.
 *
 * Debian: `apt-get install redis-server`; Valkey serves as well.
 */
export async function startRedis(t: Cleanup, options: readonly string[] = []): Promise<TestRedis> {
  const program = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);
  if (program === undefined) throw new Error('redis-server is missing: apt-get install redis-server');
  const folder = mkdtempSync(join(tmpdir(), 'splwright-redis-'));
  const port = await freePort();
  let child = await start(program, port, folder, options);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  t.after(async () => {
    await kill();
    rmSync(folder, { recursive: true });
  });
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    password,
    kill,
    restart: async () => {
      child = await start(program, port, folder, options);
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

async function start(program: string, port: number, folder: string, options: readonly string[]): Promise<ChildProcess> {
  const fixed = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder, '--requirepass', password];
  const child = spawn(program, ['--port', String(port), ...fixed, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8');
  for await (const text of child.stdout) {
    output += text;
    if (output.includes('Ready to accept connections')) break;
  }
  if (!output.includes('Ready to accept connections')) throw new Error(`${program} ended:\n${output}`);
  return child;
}
