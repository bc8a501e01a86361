import assert from 'node:assert/strict';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { repository, runCommand, startServer } from '../../setup/process.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

/** The fenced blocks of a document in this language, in their order. */
export function blocksOf(path: string, language: string): string[] {
  const text = readFileSync(join(repository, path), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, body = '']) => body);
}

/** How the commands of a document are run elsewhere than on the reader's machine. */
export interface DocumentShell {
  /** Where its commands are run: what they write is here, and all else is the repository. */
  folder: string;
  /** Runs a block, which must end with success, and each request in it with a 2xx: what it printed. */
  run(block: string): Promise<string>;
}

/**
 * A shell for the blocks of one document.
 *
 * @param environment - besides free ports, and SQLite in the shell's folder.
 * @param places - what stands in for places of the document's: `http://127.0.0.1:3000`. `LINK_ID`, `ENDPOINT_ID` and `KEY_ID` are the id that the last reply had.
 */
export function openShell(
  t: TestContext,
  environment: Record<string, string>,
  places: Readonly<Record<string, string>> = {},
): DocumentShell {
  const folder = temporaryFolder(t);
  for (const name of readdirSync(repository).filter((each) => !each.startsWith('.'))) {
    symlinkSync(join(repository, name), join(folder, name));
  }
  const ports = { PORT: '0', SANDBOX_RPC_PORT: '0', METRICS_PORT: '0' };
  const all = { ...ports, SOLANA_RPC_URLS: '', DATABASE_URL: '', NODE_TEST_CONTEXT: '', ...environment };
  let lastId = '';
  const run = async (block: string): Promise<string> => {
    let here = block.replaceAll(/LINK_ID|ENDPOINT_ID|KEY_ID/g, lastId).replace(/^npm ci\n/m, '');
    for (const [place, standIn] of Object.entries(places)) here = here.replaceAll(place, standIn);
    const [, serve] = /^((?:\S+ )?npm start)\n/m.exec(here) ?? [];
    const script = serve === undefined ? here : here.replace(`${serve}\n`, '');
    const requests = 'curl() { command curl --fail-with-body --silent --show-error "$@"; }';
    const { status, stdout, stderr } = await runCommand(`set -e\n${requests}\n${script}`, all, folder);
    assert.equal(status, 0, `${block}\n${stdout}\n${stderr}`);
    lastId = /"id":"(\w+)"/.exec(stdout)?.[1] ?? lastId;
    if (serve !== undefined) await (await startServer(serve, all, folder)).stop();
    return stdout;
  };
  return { folder, run };
}

/** Runs every block of commands of a document: what each printed. */
export async function runDocument(shell: DocumentShell, path: string): Promise<string[]> {
  const outputs: string[] = [];
  for (const block of blocksOf(path, 'sh')) outputs.push(await shell.run(block));
  return outputs;
}
