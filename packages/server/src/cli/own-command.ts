import { existsSync } from 'node:fs';

// Neither a published package nor the image has the lock file, and a published package has no TypeScript.
const isClone =
  import.meta.url.endsWith('.ts') && existsSync(new URL('../../../../package-lock.json', import.meta.url));

/**
 * Writes a command of this program so that whoever reads it can paste it: `npm run keys -- list` in a clone, `splwright keys list`
 * where the package or the image is installed.
 *
 * In a clone, npm's own lines are left out of what a program reads (`--json`).
 */
export function ownCommand(name: string, words = '', inClone = isClone): string {
  if (!inClone) return `splwright ${name} ${words}`.trimEnd();
  if (words === '') return `npm run ${name}`;
  return `npm run ${/--json\b(?!\])/.test(words) ? '--silent ' : ''}${name} -- ${words}`;
}
