import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { buildSync, transformSync } from 'esbuild';
import { publint } from 'publint';
import { readManifest } from './manifest.ts';
import { packages, repository } from './packages.ts';

const tarballs = join(repository, 'build/release');
const { version } = readManifest(readFileSync(join(repository, 'build/stage/core/package.json'), 'utf8'));
const tarballOf = (name: string): string => join(tarballs, `${name}-${version}.tgz`);

describe('the tarballs of a release', () => {
  for (const { name } of packages) {
    it(`of ${name} have nothing that publint objects to`, async () => {
      const { messages } = await publint({ pack: { tarball: readBuffer(tarballOf(name)) }, strict: true });
      assert.deepEqual(messages, []);
    });
  }

  for (const { name } of packages.filter((each) => each.name !== 'splwright')) {
    it(`of ${name} have types that fit its code, for whoever imports it`, async () => {
      const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarballOf(name)))));
      assert.ok(analysis.types, 'it has types');
      // The packages are ECMAScript modules alone: a CommonJS caller imports them with import(), or require() of Node 24.
      const findings = analysis.problems.filter((problem) => !isOfOldResolution(problem));
      assert.deepEqual(findings, []);
    });
  }
});

describe('installed into an empty folder, on Node alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'splwright-installed-'));
  after(() => rmSync(folder, { recursive: true }));
  const use = join(repository, 'release/use');
  const run = (command: string, ...values: string[]): string =>
    execFileSync(command, values, { cwd: folder, encoding: 'utf8', env: plainEnvironment });

  before(() => {
    // What the release has installed from its tarballs, for its bill of materials, where no Node modules are above it.
    cpSync(join(repository, 'build/splwright'), folder, { recursive: true, verbatimSymlinks: true });
    for (const file of readdirSync(use)) cpSync(join(use, file), join(folder, file));
  });

  it('hold JavaScript, types, source maps with the sources, the readme and the licence', () => {
    for (const { name } of packages) {
      const root = join(folder, 'node_modules', name);
      const files = readdirSync(root, { recursive: true }).map(String);
      assert.deepEqual(
        files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts')),
        [],
        name,
      );
      for (const file of ['README.md', 'LICENSE', 'package.json']) assert.ok(files.includes(file), `${name}: ${file}`);
      const scripts = files.filter(
        (file) => file.startsWith('dist') && file.endsWith('.js') && !file.includes('browser'),
      );
      assert.ok(scripts.length > 0);
      for (const script of scripts) {
        const map: unknown = JSON.parse(readFileSync(join(root, `${script}.map`), 'utf8'));
        assert.ok(typeof map === 'object' && map !== null && 'sourcesContent' in map, script);
      }
      assert.equal('private' in readManifest(readFileSync(join(root, 'package.json'), 'utf8')), false);
    }
  });

  it('the server starts by npx, and a transfer that it builds lands', async () => {
    const server = spawn(join(folder, 'node_modules/.bin/splwright'), ['serve'], {
      cwd: folder,
      env: {
        ...plainEnvironment,
        PORT: '0',
        SANDBOX_RPC_PORT: '0',
        METRICS_PORT: '0',
        DRAIN_MS: '0',
        DATABASE_URL: 'sqlite::memory:',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => server.once('exit', resolve));
    try {
      const url = await listeningUrl(server.stdout);
      assert.equal(run(process.execPath, 'land.mjs', url).trim(), 'landed');
      const scripts = await loadedScripts(`${url}/`);
      assert.ok(scripts.length > 20, 'the console and what it loads, parts of the core among it');
      assert.equal((await fetch(`${url}/docs`, { headers: { accept: 'text/html' } })).status, 200);
      const bundle = bundleClient(folder);
      assert.equal(await runInBrowserLike(bundle, url), 'api_key_invalid');
    } finally {
      server.kill('SIGTERM');
      assert.equal(await ended, 0);
    }
  });

  it('the server names its commands as they are called there', () => {
    assert.match(run('node_modules/.bin/splwright', 'keys', '--help'), /^Usage: splwright keys /m);
  });

  it('the core makes the same bytes as its source', () => {
    const source = pathToFileURL(join(repository, 'packages/core/src/index.ts')).href;
    const published = run(process.execPath, 'core-bytes.mjs');
    assert.equal(published.trim().split('\n').length, 50);
    assert.equal(published, run(process.execPath, 'core-bytes.mjs', source));
  });

  it('the sandbox is the node of a test of another project', () => {
    assert.match(run(process.execPath, '--test', 'sandbox.test.mjs'), /pass 2\b/);
  });

  it('the declarations fit together in another project', () => {
    const compiler = join(repository, 'node_modules/typescript/bin/tsc');
    const options = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom,dom.iterable',
    ];
    const types = ['--types', 'node', '--typeRoots', join(repository, 'node_modules/@types')];
    run(process.execPath, compiler, ...options, ...types, '--skipLibCheck', 'types.ts');
    // The example of the client's own readme.
    const readme = readFileSync(join(folder, 'node_modules/splwright-client/README.md'), 'utf8');
    writeFileSync(join(folder, 'example.ts'), /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? 'not there');
    run(process.execPath, compiler, ...options, ...types, '--skipLibCheck', 'example.ts');
  });
});

// Nothing of this repository's environment, and no Node but this one.
const plainEnvironment = {
  PATH: `${join(process.execPath, '..')}:${process.env.PATH ?? ''}`,
  HOME: process.env.HOME ?? '',
};

function readBuffer(file: string): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = readFileSync(file);
  const copy = new ArrayBuffer(byteLength);
  new Uint8Array(copy).set(new Uint8Array(buffer, byteOffset, byteLength));
  return copy;
}

function isOfOldResolution(problem: { kind: string; resolutionKind?: string }): boolean {
  return problem.kind === 'CJSResolvesToESM' || problem.resolutionKind === 'node10';
}

async function listeningUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const url = /splwright listens on (http:\/\/[^\s,]+)/.exec(line)?.[1];
    if (url) {
      output.resume();
      return url;
    }
  }
  throw new Error('the server ended before it listened');
}

/** The scripts of a page and all that they import, each of which must be there and be JavaScript that parses. */
async function loadedScripts(page: string): Promise<string[]> {
  const html = await (await fetch(page, { headers: { accept: 'text/html' } })).text();
  const waiting = [...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, path = '']) => new URL(path, page).href);
  const found = new Set(waiting);
  for (const script of found) {
    const response = await fetch(script);
    assert.equal(response.status, 200, script);
    const source = await response.text();
    transformSync(source, { loader: 'js' });
    for (const [, path = ''] of source.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)) {
      found.add(new URL(path, script).href);
    }
  }
  return [...found];
}

function bundleClient(folder: string): Uint8Array {
  const { outputFiles } = buildSync({
    stdin: { contents: "export * from 'splwright-client';", resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: 'splwright',
    platform: 'browser',
    write: false,
  });
  const [file] = outputFiles;
  assert.ok(file);
  return file.contents;
}

// What a page has, and nothing of Node.
async function runInBrowserLike(bundle: Uint8Array, url: string): Promise<unknown> {
  const page = {
    fetch,
    crypto,
    AbortController,
    AbortSignal,
    TextDecoder,
    TextEncoder,
    Uint8Array,
    URL,
    setTimeout,
    clearTimeout,
    atob,
    btoa,
    url,
  };
  const script = `${new TextDecoder().decode(bundle)};
    new splwright.SplwrightClient({ url, apiKey: 'none', maxRetries: 0 }).buildTransfer({}).then(() => 'built', (error) => error.problem.code)`;
  return runInNewContext(script, page);
}
