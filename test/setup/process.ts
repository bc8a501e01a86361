import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The root of the repository, where every command of the documents is run. */
export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** What a command that has ended left behind. */
export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a shell command to its end, in the repository or another folder, with these variables in addition to the test's own. */
export async function runCommand(
  command: string,
  environment: Record<string, string> = {},
  folder = repository,
): Promise<Ended> {
  const child = spawn('bash', ['-c', command], { cwd: folder, env: { ...process.env, ...environment } });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const [status] = await once(child, 'close');
  return { status, ...output };
}

/** A server that a command started. */
export interface StartedServer {
  url: string;
  /** Its output up to the line that says where it listens. */
  output: string;
  /** Sends SIGTERM to it and everything it started, and resolves once all have ended. */
  stop(): Promise<void>;
}

/** Runs a shell command that serves, and resolves once it says where it listens. Throws when it ends before. */
export async function startServer(
  command: string,
  environment: Record<string, string>,
  folder = repository,
): Promise<StartedServer> {
  const child = spawn('bash', ['-c', command], {
    cwd: folder,
    env: { ...process.env, DRAIN_MS: '0', ...environment },
    // A process group of its own: npm does not pass signals on to what it runs.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (text: string): void => {
      output += text;
      const found = /splwright listens on (http:\/\/[^\s,]+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.once('exit', (status) => reject(new Error(`${command} ended with ${status}:\n${output}`)));
  });
  return { url, output, stop: () => stopGroup(child) };
}

async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const closed = once(child, 'close');
  process.kill(-child.pid, 'SIGTERM');
  await closed;
}
