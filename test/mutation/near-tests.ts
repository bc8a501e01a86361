import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The test files that can find a mutant of a source file: first those next to it by name, then the rest of its room. */
export interface NearTests {
  nextDoor: readonly string[];
  room: readonly string[];
}

/**
 * Finds the tests of a source file in its own room: the tests of its package, and in the server of its room alone.
 *
 * A test that does not import the file, directly or through others, cannot find a mutant of it and is left out.
 */
export function nearTestsOf(root: string, sourcePath: string): NearTests {
  const [, packageName = '', , room = ''] = sourcePath.split('/');
  const folder = join(root, 'packages', packageName, 'test', packageName === 'server' ? room : '');
  const name = basename(sourcePath, '.ts');
  const all = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'))
    : [];
  const reaching = all.filter((file) => importsOf(join(folder, file)).has(join(root, sourcePath)));
  const isNextDoor = (file: string): boolean => new RegExp(`^${name}[.-]`).test(basename(file));
  return {
    nextDoor: reaching.filter(isNextDoor).map((file) => join(folder, file)),
    room: reaching.filter((file) => !isNextDoor(file)).map((file) => join(folder, file)),
  };
}

const known = new Map<string, Set<string>>();

// Everything of the project that a file imports, by way of whatever.
function importsOf(path: string): Set<string> {
  const found = known.get(path) ?? new Set<string>();
  if (known.has(path)) return found;
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [, specifier] of readFileSync(next, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+\.ts)'/g)) {
      const target = resolve(dirname(next), specifier ?? '');
      if (found.has(target) || !existsSync(target)) continue;
      found.add(target);
      waiting.push(target);
    }
  }
  known.set(path, found);
  return found;
}
