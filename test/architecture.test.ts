import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findingCodes } from '../packages/core/src/findings/finding-codes.ts';
import { fieldNames } from '../packages/server/src/wire/fields.ts';
import { summarySchema } from '../packages/server/src/wire/schemas/summary-schema.ts';
import { warningMeanings } from '../packages/server/src/wire/words/warning-words.ts';

const packagesFolder = fileURLToPath(new URL('../packages', import.meta.url));

/**
 * Every room and what it may import, in addition to itself: rooms, single files, packages, and `node:` modules.
 *
 * A room is a folder of a package, named `package/folder`; files directly in a package's `src` are rooms of their own in the
 * server, and one room in the libraries.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [
    'core/accounts',
    'core/batch',
    'core/bytes',
    'core/decide',
    'core/outcome',
    'core/packing',
    'core/plan',
    'core/request',
    'core/transaction',
    'core/addresses',
    'core/findings',
  ],
  'core/accounts': ['core/bytes', 'core/addresses', 'core/findings'],
  'core/batch': [
    'core/accounts',
    'core/decide',
    'core/packing',
    'core/packing/weights',
    'core/plan',
    'core/request',
    'core/transaction',
    'core/addresses',
    'core/findings',
  ],
  'core/bytes': ['core/addresses'],
  'core/decide': ['core/accounts', 'core/plan', 'core/request', 'core/transaction', 'core/addresses', 'core/findings'],
  'core/outcome': ['core/bytes', 'core/transaction', 'core/addresses'],
  'core/packing': ['core/packing/weights'],
  'core/packing/weights': ['core/bytes', 'core/plan', 'core/transaction', 'core/addresses'],
  'core/plan': ['core/accounts', 'core/bytes', 'core/request', 'core/transaction', 'core/addresses', 'core/findings'],
  'core/request': ['core/transaction', 'core/addresses', 'core/findings'],
  'core/transaction': ['core/bytes', 'core/addresses'],
  sandbox: [
    'sandbox/ledger',
    'sandbox/rpc',
    'sandbox/rpc/wire',
    '@solana-program/system',
    '@solana-program/token',
    '@solana/kit',
    'node:http',
    'node:net',
  ],
  'sandbox/ledger': [
    '@solana-program/system',
    '@solana-program/token',
    '@solana-program/token-2022',
    '@solana/kit',
    'litesvm',
    'node:crypto',
    'node:events',
  ],
  'sandbox/rpc': [
    'sandbox/ledger',
    'sandbox/rpc/methods',
    'sandbox/rpc/subscriptions',
    'sandbox/rpc/wire',
    'ws',
    'node:http',
  ],
  'sandbox/rpc/methods': ['sandbox/ledger', 'sandbox/rpc/wire', '@solana-program/token', '@solana/kit'],
  'sandbox/rpc/parsed': ['sandbox/ledger', '@solana-program/system', '@solana/kit'],
  'sandbox/rpc/subscriptions': ['sandbox/ledger', 'sandbox/rpc/wire', '@solana/kit'],
  'sandbox/rpc/wire': ['sandbox/ledger', 'sandbox/rpc/parsed', '@solana/kit', 'node:zlib'],
  client: ['client/verify'],
  // It must agree with the service by itself: it shares nothing, not even with the client.
  'client/verify': [],
  'core/addresses': [],
  'core/findings': ['core/addresses'],
  'server/build': ['core', 'server/chain', 'server/errors', 'server/work', 'lru-cache'],
  'server/chain': ['core', 'server/errors'],
  'server/chain/history': [
    'core',
    'server/chain',
    'server/chain/reads',
    'server/chain/rpc',
    'server/chain/upstreams',
    'lru-cache',
  ],
  'server/chain/reader': [
    'core',
    'server/chain',
    'server/chain/history',
    'server/chain/reads',
    'server/chain/upstreams',
  ],
  'server/chain/reads': ['core', 'server/chain', 'server/chain/rpc', 'lru-cache'],
  'server/chain/rpc': ['server/chain', 'undici'],
  'server/chain/upstreams': ['server/chain', 'server/chain/reads', 'server/chain/rpc', 'node:timers/promises'],
  'server/cli': [
    'core',
    'client/verify',
    'server/config',
    'server/similar-name',
    'server/wire/words',
    'node:fs',
    'node:util',
  ],
  'server/cli/demo': ['core', 'server/cli', 'server/config', 'server/serve', 'server/wire/routes', 'node:crypto'],
  'server/cli/doctor': [
    'core',
    'server/chain',
    'server/chain/history',
    'server/chain/reads',
    'server/chain/rpc',
    'server/cli',
    'server/config',
    'server/limits',
    'server/store',
    'server/store/postgres',
    'server/store/sql',
    'node:fs',
    'node:path',
    'node:timers/promises',
  ],
  'server/cli/keys': [
    'core',
    'server/cli',
    'server/keys',
    'server/keys/usage',
    'server/operation',
    'server/store',
    'server/store/keys',
    'server/store/sql',
    'node:os',
  ],
  'server/cli/links': ['core', 'server/cli', 'server/config', 'server/keys', 'server/pages', 'server/wire/words'],
  'server/config': ['server/similar-name'],
  'server/errors': ['core'],
  'server/http': [
    'core',
    'server/chain',
    'server/errors',
    'server/http/connections',
    'server/http/load',
    'server/idempotency',
    'server/keys',
    'server/keys/authentication',
    'server/keys/usage',
    'server/limits',
    'server/links',
    'server/operation',
    'server/pages',
    'server/similar-name',
    'server/store/sql',
    'server/wire',
    'server/wire/openapi',
    'server/wire/routes',
    'server/wire/schemas',
    'server/wire/words',
    '@fastify/cors',
    '@scalar/fastify-api-reference',
    'fastify',
    'node:crypto',
    'node:http',
    'node:net',
    'node:timers/promises',
    'node:util',
    'node:zlib',
  ],
  'server/http/batches': [
    'core',
    'server/build',
    'server/errors',
    'server/http',
    'server/http/load',
    'server/idempotency',
    'server/keys',
    'server/keys/usage',
    'server/limits',
    'server/wire',
    'server/wire/routes',
    'server/work',
    'fastify',
  ],
  'server/http/connections': ['fastify', 'node:fs', 'node:http', 'node:net'],
  'server/http/links': [
    'core',
    'server/build',
    'server/chain',
    'server/errors',
    'server/http',
    'server/http/load',
    'server/http/transfers',
    'server/idempotency',
    'server/keys',
    'server/keys/authentication',
    'server/keys/usage',
    'server/limits',
    'server/links',
    'server/links/records',
    'server/pages',
    'server/wire',
    'server/wire/links',
    'server/wire/routes',
    'server/wire/words',
    'server/work',
    'fastify',
  ],
  'server/http/load': ['server/errors', 'server/keys/authentication', 'server/work', 'fastify'],
  'server/http/transfers': [
    'core',
    'server/build',
    'server/chain',
    'server/errors',
    'server/http',
    'server/http/load',
    'server/idempotency',
    'server/keys',
    'server/keys/usage',
    'server/limits',
    'server/operation',
    'server/outcomes',
    'server/wire',
    'server/wire/outcome',
    'server/wire/routes',
    'server/wire/words',
    'server/work',
    'fastify',
    'node:crypto',
  ],
  'server/idempotency': [
    'core',
    'server/chain',
    'server/errors',
    'server/keys',
    'server/outcomes',
    'server/store/ledgers',
    'server/store/sql',
    'server/work',
    'node:crypto',
  ],
  'server/keys': ['server/operation', 'node:crypto', 'node:zlib'],
  'server/keys/authentication': ['server/keys', 'lru-cache', 'node:net'],
  'server/keys/usage': [
    'server/errors',
    'server/keys',
    'server/store/ledgers',
    'server/store/sql',
    'node:crypto',
    'node:timers/promises',
  ],
  'server/limits': ['iovalkey', 'rate-limiter-flexible', 'node:net'],
  'server/links': [
    'core',
    'server/build',
    'server/chain',
    'server/errors',
    'server/keys',
    'server/keys/usage',
    'server/links/check',
    'server/links/records',
    'server/work',
    'lru-cache',
    'node:crypto',
  ],
  'server/links/check': [
    'core',
    'server/chain',
    'server/errors',
    'server/links/records',
    'server/outcomes',
    'server/work',
    'lru-cache',
    'node:timers/promises',
  ],
  'server/links/records': ['core', 'server/keys'],
  'server/main': [
    'server/cli',
    'server/cli/demo',
    'server/cli/doctor',
    'server/cli/keys',
    'server/cli/links',
    'server/config',
    'server/serve',
    'node:fs',
    'node:stream/consumers',
  ],
  'server/metrics': [
    'server/build',
    'server/chain',
    'server/chain/upstreams',
    'server/http',
    '@prometheus-io/client',
    'node:http',
  ],
  'server/operation': [],
  'server/outcomes': ['core', 'server/chain', 'server/work'],
  'server/pages': [
    'server/errors',
    'server/links',
    'server/links/records',
    'server/operation',
    'server/wire',
    'server/wire/routes',
    'server/wire/schemas',
    'server/wire/words',
    'qr',
    'node:crypto',
    'node:fs',
    'node:http',
    'node:module',
  ],
  'server/serve': [
    'sandbox',
    'server/build',
    'server/chain',
    'server/chain/reader',
    'server/chain/upstreams',
    'server/cli',
    'server/config',
    'server/errors',
    'server/http',
    'server/http/batches',
    'server/http/connections',
    'server/http/links',
    'server/http/load',
    'server/http/transfers',
    'server/idempotency',
    'server/keys',
    'server/keys/authentication',
    'server/keys/usage',
    'server/limits',
    'server/links',
    'server/links/records',
    'server/metrics',
    'server/outcomes',
    'server/store',
    'server/store/ledgers',
    'server/store/sql',
    'server/traces',
    'server/wire',
    'server/wire/routes',
    'server/wire/schemas',
    'server/wire/words',
    'fastify',
    'pino',
    'rate-limiter-flexible',
    'node:cluster',
    'node:crypto',
    'node:events',
    'node:http',
    'node:os',
    'node:stream',
    'node:timers/promises',
  ],
  'server/similar-name': [],
  'server/store': [
    'server/idempotency',
    'server/keys',
    'server/links/records',
    'server/store/idempotency',
    'server/store/keys',
    'server/store/ledgers',
    'server/store/links',
    'server/store/postgres',
    'server/store/schema',
    'server/store/sql',
    'server/store/sqlite',
    'kysely',
    'node:sqlite',
  ],
  'server/store/idempotency': [
    'server/idempotency',
    'server/store/schema',
    'server/store/sql',
    'kysely',
    'node:util',
    'node:zlib',
  ],
  'server/store/keys': [
    'core',
    'server/keys',
    'server/operation',
    'server/store/schema',
    'server/store/sql',
    'kysely',
    'node:crypto',
  ],
  'server/store/ledgers': ['server/keys', 'server/store/schema', 'server/store/sql', 'kysely'],
  'server/store/links': [
    'core',
    'server/keys',
    'server/links/records',
    'server/store/keys',
    'server/store/ledgers',
    'server/store/schema',
    'server/store/sql',
    'kysely',
  ],
  'server/store/postgres': [
    'server/store/schema',
    'server/store/sql',
    'kysely',
    'pg',
    'pg-connection-string',
    'node:crypto',
    'node:net',
  ],
  'server/store/schema': ['server/store/schema/migrations', 'kysely', 'kysely/migration'],
  'server/store/schema/migrations': ['kysely', 'kysely/migration'],
  'server/store/sql': ['server/store/schema', 'kysely'],
  'server/store/sqlite': ['server/store/schema', 'server/store/sql', 'kysely', 'node:fs', 'node:path', 'node:sqlite'],
  'server/traces': [
    'server/chain',
    'server/keys',
    'server/store/sql',
    '@opentelemetry/api',
    '@opentelemetry/core',
    '@opentelemetry/exporter-trace-otlp-proto',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace',
    'fastify',
    'node:async_hooks',
    'node:crypto',
    'node:timers/promises',
  ],
  'server/wire': [
    'core',
    'server/errors',
    'server/operation',
    'server/similar-name',
    'server/wire/routes',
    'server/wire/schemas',
    'server/wire/words',
    'typebox',
  ],
  'server/wire/links': [
    'core',
    'server/errors',
    'server/links',
    'server/links/records',
    'server/wire',
    'server/wire/routes',
    'server/wire/schemas',
    'server/wire/words',
  ],
  'server/wire/openapi': [
    'core',
    'server/errors',
    'server/operation',
    'server/outcomes',
    'server/wire',
    'server/wire/outcome',
    'server/wire/routes',
    'server/wire/schemas',
    'typebox',
  ],
  'server/wire/outcome': [
    'core',
    'server/errors',
    'server/outcomes',
    'server/wire',
    'server/wire/schemas',
    'server/wire/words',
    'typebox',
  ],
  'server/wire/routes': ['server/errors', 'server/operation', 'server/wire/schemas'],
  'server/wire/schemas': ['server/operation', 'server/wire/words', 'typebox'],
  'server/wire/words': ['core', 'server/errors', 'server/links', 'server/links/records', 'server/outcomes'],
  'server/work': ['server/errors'],
};

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
  const specifiers = [...text.matchAll(/\b(?:from\s+|import\s+|import\s*\(\s*)'([^']+)'/g)].map(
    (match) => match[1] ?? '',
  );
  const imports = specifiers.map((specifier) =>
    specifier.startsWith('.') ? posix.join(dirname(path), specifier) : packageFolderOf(specifier),
  );
  return { path, package: packageName, room: roomOf(path), text, imports };
}

/** The packages that pages load, which are imported by JavaScript that browsers get as it is. */
const browserFolder = join(packagesFolder, 'server/src/pages/browser');
const importedByPages: readonly string[] = readdirSync(browserFolder)
  .filter((name) => name.endsWith('.js'))
  .flatMap((name) => [
    ...readFileSync(join(browserFolder, name), 'utf8').matchAll(/^import [^'"]* from '([^.'][^']*)';$/gm),
  ])
  .map(([, specifier = '']) => specifier)
  .filter((specifier) => !specifier.startsWith('splwright'));

function packageFolderOf(specifier: string): string {
  const [name, ...path] = specifier.split('/');
  const folder = Object.keys(packages).find((each) => packages[each]?.name === name);
  return folder === undefined ? specifier : posix.join(folder, ...path, 'index.ts');
}

function roomOf(path: string): string {
  const folder = dirname(path);
  return folder === 'server' ? path.replace(/\.ts$/, '') : folder;
}

/** The grant by which a room imports a target; `undefined` when it has none. */
function grantOf(room: string, target: string): string | undefined {
  const isOwnCode = target.endsWith('.ts');
  return mayImport[room]?.find((grant) => {
    if (grant === target) return true;
    return isOwnCode ? roomOf(target) === grant : grant.endsWith('/') && target.startsWith(grant);
  });
}

const isOutside = (file: SourceFile, target: string): boolean =>
  !target.endsWith('.ts') || roomOf(target) !== file.room;

describe('the architecture', () => {
  it('has a rule for every room, and for nothing else', () => {
    assert.deepEqual(new Set(files.map((file) => file.room)), new Set(Object.keys(mayImport)));
  });

  it('lets each room import only what its rule allows', () => {
    const breaches = files.flatMap((file) =>
      file.imports
        .filter((target) => isOutside(file, target) && grantOf(file.room, target) === undefined)
        .map((target) => `${file.path} imports ${target}`),
    );
    assert.deepEqual(breaches, []);
  });

  it('grants nothing that no file uses', () => {
    const used = new Set(
      files.flatMap((file) => file.imports.map((target) => `${file.room} <- ${grantOf(file.room, target)}`)),
    );
    const unused = Object.entries(mayImport).flatMap(([room, grants]) =>
      grants.filter((grant) => !used.has(`${room} <- ${grant}`)).map((grant) => `${room} <- ${grant}`),
    );
    assert.deepEqual(unused, []);
  });

  it('has rooms in one direction only', () => {
    const graph = new Map(
      Object.keys(mayImport).map((room) => [
        room,
        new Set(
          files
            .filter((file) => file.room === room)
            .flatMap((file) => file.imports.filter((target) => target.endsWith('.ts') && isOutside(file, target)))
            .map(roomOf),
        ),
      ]),
    );
    assertNoCycle(graph, 'rooms');
  });

  it('has no import cycle', () => {
    assertNoCycle(
      new Map(files.map((file) => [file.path, file.imports.filter((target) => target.endsWith('.ts'))])),
      'files',
    );
  });

  it('loads OpenTelemetry only when there is a collector: elsewhere it is a type, or imported when it is needed', () => {
    const statics = /^(?:import|export) (?!type )[^;]*?from '(?:@opentelemetry|[^']*\/traces\/)/m;
    const loading = files.filter(({ room, text }) => room !== 'server/traces' && statics.test(text));
    assert.deepEqual(
      loading.map(({ path }) => path),
      [],
    );
    const users = files.filter(({ text }) => /import\('[^']*\/traces\//.test(text));
    assert.deepEqual(
      users.map(({ path }) => path),
      ['server/serve/start-service.ts'],
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
          .flatMap((file) => file.imports)
          .concat(folder === 'server' ? importedByPages : [])
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
    const apiNames = [...fieldNames, ...Object.keys(summarySchema.properties)].filter(
      (name) => name.includes('_') && !codes.has(name),
    );
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
    const exempt = ['server/errors.ts', 'client/api-types.ts'];
    const long = files.filter((file) => !exempt.includes(file.path) && file.text.split('\n').length > 400);
    assert.deepEqual(
      long.map((file) => file.path),
      [],
    );
  });

  it('keeps rooms small: one of more than 24 files has rooms of its own', () => {
    const counts = new Map<string, number>();
    for (const { room } of files) counts.set(room, (counts.get(room) ?? 0) + 1);
    assert.deepEqual(
      [...counts].filter(([, count]) => count > 24),
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
