import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty folder that is removed when the test ends. */
export function temporaryFolder(test: { after(finish: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'splwright-keys-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
