import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './service.ts';

const unused: string[] = [];

process.once('exit', () => {
  for (const folder of unused) rmSync(folder, { recursive: true, force: true });
});

/** Makes an empty folder for a test. It is removed when the process ends: a service that stops with the test still writes to it. */
export function temporaryFolder(test: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'splwright-keys-'));
  test.after(async () => {
    unused.push(folder);
  });
  return folder;
}
