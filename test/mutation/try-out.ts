import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Mutant } from './mutants.ts';

/** The repository's folder. Paths of source files are relative to it. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const runner = fileURLToPath(new URL('./run-mutant.ts', import.meta.url));

// Most of the time of a mutant goes into compiling the same tests again. Not where coverage is measured, which the cache blurs.
const compileCache = join(tmpdir(), 'splwright-mutants');

// A loop that does not end must not take the machine's memory before its time is over: it fails, which is noticed.
const maxHeap = '--max-old-space-size=1024';

/** A piece of a source file, and how often it ran. */
export interface Range {
  startOffset: number;
  endOffset: number;
  count: number;
}

/** What test files run of each source file, by its URL, and the processor time that they take. */
export interface Measurement {
  ranges: Readonly<Record<string, readonly Range[]>>;
  cpuMs: number;
}

/** What became of test files. `measurement` is there when it was asked for and all tests passed. */
export type Result =
  | { outcome: 'passed'; measurement?: Measurement }
  | { outcome: 'failed' | 'timed out'; failed: string };

/** The URL by which a source file is loaded. */
export function urlOf(path: string): string {
  return pathToFileURL(join(root, path)).href;
}

/** Runs test files in a process of their own, with the source file at `path` changed. */
export function tryMutant(path: string, mutant: Mutant, files: readonly string[], timeoutMs: number): Promise<Result> {
  const { start, end, replacement } = mutant;
  return runTests({ url: urlOf(path), start, end, replacement, files }, timeoutMs);
}

/** Runs a test file in a process of its own, with no source file changed, and measures it. */
export function measure(file: string): Promise<Result> {
  return runTests({ measure: true, files: [file] }, 600_000);
}

/** Test files to run, with a source file changed or to be measured. */
interface Task {
  files: readonly string[];
  url?: string;
  start?: number;
  end?: number;
  replacement?: string;
  measure?: boolean;
}

async function runTests(task: Task, timeoutMs: number): Promise<Result> {
  const child = spawn(
    process.execPath,
    [maxHeap, '--disable-warning=ExperimentalWarning', runner, JSON.stringify(task)],
    {
      cwd: root,
      env: task.measure ? process.env : { ...process.env, NODE_COMPILE_CACHE: compileCache },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    },
  );
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((done, fail) => {
    child.on('error', fail);
    child.on('exit', (code, signal) => done({ code, signal }));
  });
  const report = child.stdio[3];
  if (!report || !('read' in report)) throw new Error('the process has no pipe for its report');
  const [{ code, signal }, found] = await Promise.all([ended, text(report)]);
  if (signal === 'SIGKILL') return { outcome: 'timed out', failed: `not done after ${timeoutMs} ms` };
  const { failed = `exit code ${code}`, ...measurement } = found === '' ? {} : JSON.parse(found);
  return code === 0 ? { outcome: 'passed', measurement } : { outcome: 'failed', failed };
}
