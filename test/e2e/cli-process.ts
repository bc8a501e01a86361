import { type ChildProcess, spawn } from 'node:child_process';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../keys/temporary-folder.ts';

/** How a process ended, and everything that it wrote. */
export interface ProcessResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** A `splwright` process that runs. */
export interface CliProcess {
  kill(signal: NodeJS.Signals): void;
  /** Everything on standard output so far. */
  stdout(): string;
  /** Waits until standard output matches; rejects when the process ends before. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<ProcessResult>;
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Starts `splwright` as its users do, with only these variables, in an empty folder if none is named; ends with the test. */
export function startCli(
  t: TestContext,
  commandLine: readonly string[],
  environment: Record<string, string> = {},
  folder = temporaryFolder(t),
): CliProcess {
  const env = { PATH: process.env.PATH, ...environment };
  const child = spawn(process.execPath, [main, ...commandLine], { cwd: folder, env });
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
): Promise<{ server: CliProcess; url: string }> {
  const freePorts = { PORT: '0', SANDBOX_RPC_PORT: '0', METRICS_PORT: '0' };
  // Tests make more requests than people do; those of the limit set their own.
  const server = startCli(t, ['serve'], { ...freePorts, RATE_LIMIT_PER_MINUTE: '1000000', ...environment });
  const [, url = ''] = await server.waitFor(/splwright listens on (http:\/\/[^\s,]+)[\s\S]*\n/);
  return { server, url };
}

function watch(child: ChildProcess): CliProcess {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise<ProcessResult>((resolve) => {
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
  const waitFor = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(stdout);
        if (match) resolve(match);
      };
      child.stdout?.on('data', look);
      void ended.then((result) => reject(new Error(`ended: ${JSON.stringify(result)}`)));
      look();
    });
  return { kill: (signal) => void child.kill(signal), stdout: () => stdout, waitFor, ended };
}
