import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Service } from './service.ts';

const run = promisify(execFile);

/** Runs a program in a folder of `interop`, and returns the lines that it printed. Throws with its errors when it fails. */
export async function runProgram(
  service: Service,
  folder: string,
  command: string,
  ...words: string[]
): Promise<string[]> {
  const { stdout } = await run(command, words, {
    cwd: fileURLToPath(new URL(`../${folder}`, import.meta.url)),
    env: { ...process.env, SERVICE_URL: service.url, PYTHONPATH: '.', PYTHONDONTWRITEBYTECODE: '1' },
  });
  return stdout.trim().split('\n');
}
