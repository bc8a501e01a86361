import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findingCodes } from '../packages/core/src/findings/finding-codes.ts';
import { linkBody } from '../packages/server/src/links/link-body.ts';
import { summarySchema } from '../packages/server/src/transfers/reply-schema.ts';
import { batchBody, tokenTransferBody, transferBody } from '../packages/server/src/transfers/transfer-schema.ts';
import { warningMeanings } from '../packages/server/src/transfers/words/warning-words.ts';

const packagesFolder = fileURLToPath(new URL('../packages', import.meta.url));

/** The packages by the name of their folder, and what each may depend on among the others. */
const packages: Readonly<Record<string, { name: string; dependsOn: readonly string[] }>> = {
  client: { name: 'splwright-client', dependsOn: [] },
  core: { name: 'splwright-core', dependsOn: [] },
  sandbox: { name: 'splwright-sandbox', dependsOn: [] },
  server: { name: 'splwright', dependsOn: ['client', 'core', 'sandbox'] },
};

interface SourceFile {
  /** From the packages' folder, without `src`: `core/addresses/address.ts`. */
  path: string;
  package: string;
  room: string;
  text: string;
  /** What it imports: files and rooms as paths like its own, packages as written. */
  imports: readonly string[];
}

const files: readonly SourceFile[] = Object.keys(packages).flatMap((name) => {
  const folder = join(packagesFolder, name, 'src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readSource(name, path, readFileSync(join(folder, path), 'utf8')));
});

function readSource(packageName: string, file: string, text: string): SourceFile {
  const path = posix.join(packageName, file);
  const specifiers = [...text.matchAll(/\b(?:from\s+|import\s+|import(?:\.meta\.resolve)?\s*\(\s*)'([^']+)'/g)].map(
    (match) => match[1] ?? '',
  );
  const imports = specifiers.map((specifier) =>
    specifier.startsWith('.') ? posix.join(dirname(path), specifier) : packageFolderOf(specifier),
  );
  return { path, package: packageName, room: roomOf(path), text, imports };
}

function packageFolderOf(specifier: string): string {
  const [name, ...path] = specifier.split('/');
  const folder = Object.keys(packages).find((each) => packages[each]?.name === name);
  return folder === undefined ? specifier : posix.join(folder, ...path, 'index.ts');
}

function roomOf(path: string): string {
  const folder = dirname(path);
  return folder === 'server' ? path.replace(/\.ts$/, '') : folder;
}

/** The rooms of the server: each may import those after it. First what starts and shows, then the capabilities, then the platform. */
const serverRooms: readonly string[] = [
  ...['main', 'cli', 'serve', 'pages', 'agents', 'incoming'],
  ...['links', 'transfers', 'idempotency', 'outcomes', 'webhooks', 'sponsor', 'keys'],
  ...['app', 'chain', 'store', 'config', 'operation', 'problems', 'similar-name'],
];

/** Whether a package is imported for its types alone: these are no part of what runs. */
const isTypeOnly = (text: string, target: string): boolean =>
  !text.replaceAll(/^import type [^;]*;$/gm, '').includes(`'${target}'`);

const isOutside = (file: SourceFile, target: string): boolean =>
  !target.endsWith('.ts') || roomOf(target) !== file.room;

describe('the architecture', () => {
  it('lets a package import only those below it', () => {
    const breaches = files.flatMap((file) =>
      file.imports
        .filter((target) => target.endsWith('.ts'))
        .map((target) => target.split('/')[0] ?? target)
        .filter((target) => target !== file.package && !packages[file.package]?.dependsOn.includes(target))
        .map((target) => `${file.path} imports ${target}`),
    );
    assert.deepEqual(breaches, []);
  });

  it('has a check in the client that shares nothing, not even with the client', () => {
    const breaches = files
      .filter((file) => file.room === 'client/verify')
      .flatMap((file) => file.imports.filter((target) => isOutside(file, target)));
    assert.deepEqual(breaches, []);
  });

  it('has rooms in one direction only', () => {
    const graph = new Map<string, Set<string>>();
    for (const file of files.filter((each) => each.package !== 'server')) {
      const targets = graph.get(file.room) ?? new Set<string>();
      for (const target of file.imports) {
        if (target.endsWith('.ts') && isOutside(file, target)) targets.add(roomOf(target));
      }
      graph.set(file.room, targets);
    }
    assertNoCycle(graph, 'rooms');
  });

  it('has capabilities of the server that import the platform and, downwards, one another', () => {
    const level = (path: string): number => serverRooms.indexOf(path.split('/')[1]?.replace('.ts', '') ?? '');
    const upward = files
      .filter((file) => file.package === 'server')
      .flatMap((file) =>
        file.imports
          .filter((target) => target.startsWith('server/') && level(target) < level(file.path))
          .map((target) => `${file.path} imports ${target}`),
      );
    assert.deepEqual(upward, []);
  });

  it('has no import cycle', () => {
    assertNoCycle(
      new Map(files.map((file) => [file.path, file.imports.filter((target) => target.endsWith('.ts'))])),
      'files',
    );
  });

  it('has packages that depend downwards, and name in their manifests what they import', () => {
    for (const [folder, { name, dependsOn }] of Object.entries(packages)) {
      const manifest: Manifest = JSON.parse(readFileSync(join(packagesFolder, folder, 'package.json'), 'utf8'));
      assert.equal(manifest.name, name);
      const named = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
      const allowed = new Set(dependsOn.map((other) => packages[other]?.name));
      const own = named.filter((dependency) => dependency.startsWith('splwright'));
      assert.deepEqual(new Set(own), allowed, `${name} depends on other packages of ours`);
      const imported = new Set(
        files
          .filter((file) => file.package === folder)
          .flatMap(({ imports, text }) =>
            imports.filter((target) => named.includes(target) || !isTypeOnly(text, target)),
          )
          .filter((target) => !target.endsWith('.ts') && !isBuiltin(target))
          .map((target) => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target),
      );
      const external = named.filter((dependency) => !dependency.startsWith('splwright'));
      assert.deepEqual([...imported].sort(), external.sort(), `${name} imports`);
    }
  });

  it('keeps the core pure: no clock, no randomness, no environment, no input or output', () => {
    const impure =
      /\b(?:Date|performance|process|console|fetch|setTimeout|setInterval|require)\b|Math\.random|crypto\.random/;
    const code = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|`[^`]*`|'[^'\n]*'/g, '');
    const breaches = files.filter((file) => file.package === 'core' && impure.test(code(file.text)));
    assert.deepEqual(
      breaches.map((file) => file.path),
      [],
    );
  });

  it('keeps the words and names of the HTTP API out of the core', () => {
    const codes = new Set<string>([...Object.keys(findingCodes), ...Object.keys(warningMeanings)]);
    const schemas = [tokenTransferBody, transferBody, batchBody, linkBody, summarySchema];
    const apiNames = schemas
      .flatMap(({ properties }) => Object.keys(properties))
      .filter((name) => name.includes('_') && !codes.has(name));
    // In the base64 of the compiled code anything may stand.
    const compiled = 'core/addresses/wasm-code.ts';
    const breaches = files
      .filter((file) => file.package === 'core' && file.path !== compiled)
      .flatMap((file) => {
        const text = file.text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
        // Codes of findings, and the kinds that data are told apart by, are quoted; only the tables of codes have them as
        // keys. A name in snake_case that is not quoted would be a member of the API's JSON.
        const unquoted =
          text.replaceAll(/'[^'\n]*'/g, '').match(/(?<![\w$])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?!\w)/g) ?? [];
        return [
          ...(text.match(/['"`]\/[a-z_]+/g) ?? []),
          ...(text.match(/\/v1\b|\bnpm run\b/g) ?? []),
          ...(text.match(/[a-z]+(?:_[a-z]+)+/g) ?? []).filter((name) => apiNames.includes(name)),
          ...unquoted.filter((name) => file.room !== 'core/findings' || !codes.has(name)),
        ].map((found) => `${file.path}: ${found}`);
      });
    assert.deepEqual(breaches, []);
  });

  it('reads the environment, the arguments and the signals in main alone', () => {
    const reads = /process\.(?:env|argv|on|once|exit)\b/;
    const breaches = files.filter((file) => file.room !== 'server/main' && reads.test(file.text));
    assert.deepEqual(
      breaches.map((file) => file.path),
      [],
    );
  });

  it('keeps files small, but for the one table of problems and what is generated from tables', () => {
    const exempt = ['server/problems.ts', 'client/api-types.ts'];
    const long = files.filter((file) => !exempt.includes(file.path) && file.text.split('\n').length > 400);
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

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

function assertNoCycle(graph: ReadonlyMap<string, Iterable<string>>, what: string): void {
  const done = new Set<string>();
  const visit = (node: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(node), `a circle of ${what}: ${[...trail, node].join(' -> ')}`);
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
}
