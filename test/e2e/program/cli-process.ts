import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

/** How a process ended, and everything that it wrote. */
export interface ProcessResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** A `splwright` process that runs. */
export interface CliProcess {
  pid: number;
  /** Its standard output, to stop reading from. */
  output: Readable;
  kill(signal: NodeJS.Signals): void;
  /** Everything on standard output so far. */
  stdout(): string;
  /** Waits until standard output matches; rejects when the process ends before. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<ProcessResult>;
  /** Its exit status, whether or not its output was read to the end. */
  exited: Promise<number | null>;
}

const main = fileURLToPath(new URL('../../../packages/server/bin/splwright.js', import.meta.url));

/** Starts `splwright` as its users do, with only these variables, in an empty folder if none is named; ends with the test. */
export function startCli(
  t: TestContext,
  commandLine: readonly string[],
  environment: Record<string, string> = {},
  folder = temporaryFolder(t),
  maxFileDescriptors?: number,
): CliProcess {
  const env = { PATH: process.env.PATH, ...environment };
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  const node = [process.execPath, main, ...commandLine];
  // Only a shell can lower the limit of what it starts.
  const lowerLimit = ['sh', '-c', 'ulimit -n "$0" && exec "$@"', String(maxFileDescriptors)];
  const [command = '', ...rest] = maxFileDescriptors === undefined ? node : [...lowerLimit, ...node];
  const child = spawn(command, rest, { cwd: folder, env, stdio });
  t.after(() => child.kill('SIGKILL'));
  return watch(child);
}

/** Runs `splwright` to its end. */
export function runCli(
  t: TestContext,
  commandLine: readonly string[],
  environment?: Record<string, string>,
  folder?: string,
): Promise<ProcessResult> {
  return startCli(t, commandLine, environment, folder).ended;
}

/** Runs `serve` on free ports until it listens; resolves with the process and its URL. */
export async function startServer(
  t: TestContext,
  environment: Record<string, string>,
  { maxFileDescriptors }: { maxFileDescriptors?: number } = {},
): Promise<{ server: CliProcess; url: string }> {
  const freePorts = { PORT: '0', SANDBOX_RPC_PORT: '0', METRICS_PORT: '0', DRAIN_MS: '0' };
  // Tests make more requests than people do; those of the limit set their own.
  const all = { ...freePorts, RATE_LIMIT_PER_MINUTE: '1000000', ...environment };
  const server = startCli(t, ['serve'], all, temporaryFolder(t), maxFileDescriptors);
  const [, url = ''] = await server.waitFor(/splwright listens on (http:\/\/[^\s,]+)[\s\S]*\n/);
  return { server, url };
}

/** Sends a signal, if one is given, and asserts that the server ends with success and without an error; returns its output. */
export async function assertEndsWell(server: CliProcess, signal?: NodeJS.Signals): Promise<string> {
  if (signal !== undefined) server.kill(signal);
  const { status, stdout, stderr } = await server.ended;
  assert.deepEqual([status, stderr], [0, '']);
  return stdout;
}

function watch(child: ChildProcessByStdio<null, Readable, Readable>): CliProcess {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise<ProcessResult>((resolve) => {
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const waitFor = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(stdout);
        if (match) resolve(match);
      };
      child.stdout.on('data', look);
      void ended.then((result) => reject(new Error(`ended: ${JSON.stringify(result)}`)));
      look();
    });
  return {
    pid: child.pid ?? 0,
    output: child.stdout,
    kill: (signal) => void child.kill(signal),
    stdout: () => stdout,
    waitFor,
    ended,
    exited,
  };
}
