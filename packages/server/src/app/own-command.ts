import { existsSync } from 'node:fs';

// Neither a published package nor the image has the lock file, and a published package has no TypeScript.
const isClone =
  import.meta.url.endsWith('.ts') && existsSync(new URL('../../../../package-lock.json', import.meta.url));

/**
 * Returns a command of this program that can be pasted: `npm run keys -- list` in a clone, `splwright keys list` where the package
 * or the image is installed.
 *
 * In a clone, a command with `--json` is silent, so that npm adds no lines of its own.
 */
export function ownCommand(name: string, words = '', inClone = isClone): string {
  if (!inClone) return `splwright ${name} ${words}`.trimEnd();
  if (name === 'serve') return `npm start ${words === '' ? '' : `-- ${words}`}`.trimEnd();
  if (words === '') return `npm run ${name}`;
  return `npm run ${/--json\b(?!\])/.test(words) ? '--silent ' : ''}${name} -- ${words}`;
}
