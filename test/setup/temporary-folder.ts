import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './service.ts';

/** Makes an empty folder that is removed when the test ends. */
export function temporaryFolder(test: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'splwright-keys-'));
  test.after(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
