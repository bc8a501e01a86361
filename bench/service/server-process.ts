import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { workFolder } from './pool.ts';

/** The root of the repository. */
export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** A server in a process of its own. */
export interface ServerProcess {
  name: string;
  pid: number;
  /** What it says it listens on; the upstream says two. */
  urls: readonly string[];
  /** How long it took until it said so. */
  startSeconds: number;
  /** Tells it to stop and resolves once it has. */
  stop(): Promise<void>;
}

/** How a server is started. */
export interface ServerCommand {
  name: string;
  /** The root of the repository by default. */
  root?: string;
  /** Arguments of Node, from the root. */
  arguments: readonly string[];
  environment?: Readonly<Record<string, string | undefined>>;
}

const startLimitMilliseconds = 60_000;

/**
 * Starts a server on this very Node, its output in a file as a real deployment's is, and resolves once it listens.
 *
 * Throws with what it said when it ends before that.
 */
export async function startServer(command: ServerCommand): Promise<ServerProcess> {
  mkdirSync(workFolder, { recursive: true });
  const logPath = join(workFolder, `${command.name}-${process.pid}.log`);
  const log = openSync(logPath, 'w');
  const child = spawn(process.execPath, command.arguments, {
    cwd: command.root ?? repository,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...command.environment },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const startedAt = performance.now();
  for (;;) {
    const said = readFileSync(logPath, 'utf8');
    const urls = /listens on (http.*)/.exec(said)?.[1]?.match(/http:\/\/[^\s,]+/g);
    const elapsedMilliseconds = performance.now() - startedAt;
    if (urls && child.pid !== undefined) {
      const startSeconds = elapsedMilliseconds / 1_000;
      return { name: command.name, pid: child.pid, urls, startSeconds, stop: () => stop(child, logPath) };
    }
    if (child.exitCode !== null) throw new Error(`${command.name} ended with ${child.exitCode}:\n${said}`);
    if (elapsedMilliseconds > startLimitMilliseconds) throw new Error(`${command.name} does not listen:\n${said}`);
    await wait(20);
  }
}

async function stop(child: ChildProcess, logPath: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }
  rmSync(logPath, { force: true });
}
