import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Service } from '../setup/service.ts';

/** Where the programs run: paths below are from here. */
const folder = fileURLToPath(new URL('.', import.meta.url));

const run = promisify(execFile);

/** Saves the OpenAPI document of the running service as `generated/NAME.json`, and returns that path. */
export async function saveDocument(service: Service, name: string): Promise<string> {
  mkdirSync(`${folder}generated`, { recursive: true });
  const path = `generated/${name}.json`;
  writeFileSync(folder + path, await (await fetch(`${service.url}/openapi.json`)).text());
  return path;
}

/** Runs a program that npm installed. Throws with all that it printed when it fails. */
export async function runTool(name: string, ...words: string[]): Promise<string> {
  return runCommand(`../node_modules/.bin/${name}`, ...words);
}

/** Runs a program. Throws with all that it printed when it fails. */
export async function runCommand(command: string, ...words: string[]): Promise<string> {
  const environment = { ...process.env, NO_COLOR: '1', REDOCLY_TELEMETRY: 'off' };
  try {
    const { stdout, stderr } = await run(command, words, { cwd: folder, env: environment, maxBuffer: 100_000_000 });
    return stdout + stderr;
  } catch (error) {
    const { stdout, stderr }: { stdout?: string; stderr?: string } = Object(error);
    throw new Error(`${command} ${words.join(' ')}\n${stdout}\n${stderr}`, { cause: error });
  }
}
