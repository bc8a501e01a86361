import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../src', import.meta.url));

/** What each room may import, beside itself: rooms by name, packages and `node:` modules as written. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  config: [],
  wire: ['errors', 'typebox'],
  core: ['errors'],
  chain: ['core', 'errors', 'cockatiel', 'node:timers/promises', 'undici'],
  keys: [
    'core',
    'errors',
    'kysely',
    'kysely/migration',
    'node:crypto',
    'node:fs',
    'node:net',
    'node:path',
    'node:sqlite',
    'node:timers/promises',
    'node:zlib',
    'pg',
  ],
  limits: ['errors', 'iovalkey', 'node:crypto'],
  service: ['core', 'chain/chain-reader.ts', 'errors'],
  // The other rooms report to callbacks of their own, and know nothing of it.
  metrics: ['chain', 'http/http-observer.ts', 'service/transfer-builder.ts', 'node:http', 'prom-client'],
  http: [
    'service',
    'wire',
    'keys/authenticated-key.ts',
    'keys/authenticator.ts',
    'keys/mask-api-keys.ts',
    'limits/rate-limiter.ts',
    'core',
    'errors',
    'fastify',
    'node:crypto',
    'node:http',
    'node:net',
  ],
  // An independent witness: of the product it imports nothing.
  sandbox: ['litesvm', '@solana/kit', '@solana-program/', 'ws', 'node:'],
  cli: [
    'chain',
    'config',
    'core',
    'errors',
    'http',
    'keys',
    'limits',
    'metrics',
    'sandbox',
    'service',
    'wire',
    '@solana/kit',
    'pino',
    'node:',
  ],
  main: ['cli', 'config', 'node:'],
};

interface SourceFile {
  path: string;
  room: string;
  text: string;
  imports: readonly string[];
}

const files: readonly SourceFile[] = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join(source, path), 'utf8');
    const imports = [...text.matchAll(/\b(?:from\s+|import\s+|import\s*\(\s*)'([^']+)'/g)].map(
      (match) => match[1] ?? '',
    );
    return { path, room: roomOf(path), text, imports };
  });

function roomOf(path: string): string {
  return path.split('/')[0]?.replace(/\.ts$/, '') ?? '';
}

/** An import as the table names it: a path from `src`, or the package as it is written. */
function resolve(file: SourceFile, specifier: string): string {
  return specifier.startsWith('.') ? relative(source, join(source, dirname(file.path), specifier)) : specifier;
}

function isAllowed(room: string, target: string, isOwn: boolean): boolean {
  if (!isOwn)
    return (mayImport[room] ?? []).some(
      (entry) => target === entry || (/[/:]$/.test(entry) && target.startsWith(entry)),
    );
  const targetRoom = roomOf(target);
  return targetRoom === room || (mayImport[room] ?? []).some((entry) => entry === targetRoom || entry === target);
}

describe('the architecture', () => {
  it('has a rule for every room', () => {
    assert.deepEqual(new Set(files.map((file) => file.room)), new Set(Object.keys(mayImport)));
  });

  it('lets each room import only what its rule allows', () => {
    const breaches = files.flatMap((file) =>
      file.imports
        .filter((specifier) => !(file.path === 'core/sha256.ts' && specifier === 'node:crypto'))
        .filter((specifier) => !isAllowed(file.room, resolve(file, specifier), specifier.startsWith('.')))
        .map((specifier) => `${file.path} imports ${specifier}`),
    );
    assert.deepEqual(breaches, []);
  });

  it('has no import cycle', () => {
    const graph = new Map(
      files.map((file) => [
        file.path,
        file.imports.filter((specifier) => specifier.startsWith('.')).map((specifier) => resolve(file, specifier)),
      ]),
    );
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): void => {
      assert.ok(!trail.includes(path), `import cycle: ${[...trail, path].join(' -> ')}`);
      if (done.has(path)) return;
      for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const path of graph.keys()) visit(path, []);
  });

  it('keeps the core pure: no clock, no randomness, no environment, no input or output', () => {
    const impure =
      /\b(?:Date|performance|process|console|fetch|setTimeout|setInterval|require)\b|Math\.random|crypto\.random/;
    const code = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|`[^`]*`|'[^'\n]*'/g, '');
    const breaches = files.filter((file) => file.room === 'core' && impure.test(code(file.text)));
    assert.deepEqual(
      breaches.map((file) => file.path),
      [],
    );
  });

  it('reads the environment, the arguments and the signals in main alone', () => {
    const reads = /process\.(?:env|argv|on|once|exit)\b/;
    const breaches = files.filter((file) => file.room !== 'main' && reads.test(file.text));
    assert.deepEqual(
      breaches.map((file) => file.path),
      [],
    );
  });

  it('keeps files small, but for the one table of problems', () => {
    const long = files.filter((file) => file.room !== 'errors' && file.text.split('\n').length > 260);
    assert.deepEqual(
      long.map((file) => file.path),
      [],
    );
  });

  it('names files by one concept in kebab-case, with no dumping ground among them', () => {
    const bad = files.filter(
      (file) => !/^(?:[a-z0-9-]+\/)*[a-z0-9-]+\.ts$/.test(file.path) || /util|helper|misc|common/.test(file.path),
    );
    assert.deepEqual(
      bad.map((file) => file.path),
      [],
    );
  });
});
