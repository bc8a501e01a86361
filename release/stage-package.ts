import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { buildSync } from 'esbuild';
import { publishedManifest, readManifest } from './manifest.ts';
import { type PublishedPackage, repository } from './packages.ts';

const browserFolder = 'src/pages/browser';

/**
 * Builds a package below `stage` as it is published, and returns its folder: JavaScript with its types and source maps, which
 * hold the sources, beside the readme and the licence.
 *
 * The packages that it depends on must be staged before: its types are checked against theirs, as they are for others. With `noCheck`
 * they are only read, which takes a third of the time.
 */
export function stagePackage(
  { folder, name, inlines = [] }: PublishedPackage,
  stage: string,
  version: string,
  options: { noCheck?: boolean } = {},
): string {
  const source = join(repository, 'packages', folder);
  const target = join(stage, folder);
  mkdirSync(join(stage, 'node_modules'), { recursive: true });
  cpSync(join(source, 'src'), join(target, 'src'), { recursive: true });
  for (const file of ['README.md', '../../LICENSE']) {
    cpSync(join(source, file), join(target, file.replace('../../', '')));
  }
  const manifest = readManifest(readFileSync(join(source, 'package.json'), 'utf8'));
  const published = publishedManifest(
    manifest,
    version,
    inlines.map(({ dependency }) => dependency),
  );
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  if (manifest.bin) stageCommands(join(source, 'bin'), join(target, 'bin'));
  // A command is run, not imported.
  compile(source, target, { ...options, declaration: manifest.exports !== undefined });
  copyAssets(target);
  const kept = Object.keys(published.dependencies ?? {});
  for (const { module } of inlines)
    inline(join(target, 'dist', `${module}.js`), join(source, 'src', `${module}.ts`), kept);
  symlinkSync(target, join(stage, 'node_modules', name));
  return target;
}

// The commands import the built files.
function stageCommands(source: string, target: string): void {
  mkdirSync(target);
  for (const file of readdirSync(source)) {
    const text = readFileSync(join(source, file), 'utf8').replaceAll(/'\.\.\/src\/([\w/-]+)\.ts'/g, "'../dist/$1.js'");
    writeFileSync(join(target, file), text, { mode: 0o755 });
  }
}

function compile(source: string, target: string, options: { noCheck?: boolean; declaration: boolean }): void {
  const ownConfig = join(source, 'tsconfig.json');
  const base = readdirSync(source).includes('tsconfig.json') ? ownConfig : join(repository, 'tsconfig.json');
  const config = {
    extends: relative(target, base),
    compilerOptions: {
      noEmit: false,
      rewriteRelativeImportExtensions: true,
      ...options,
      sourceMap: true,
      inlineSources: true,
      rootDir: 'src',
      outDir: 'dist',
    },
    include: ['src/**/*.ts'],
    exclude: [browserFolder],
  };
  runCompiler(target, 'tsconfig.json', config);
  if (existsSync(join(target, browserFolder))) {
    // What runs in browsers knows their types, and not those of Node.
    const browserConfig = JSON.parse(readFileSync(join(source, browserFolder, 'tsconfig.json'), 'utf8'));
    const compilerOptions = { ...browserConfig.compilerOptions, ...config.compilerOptions };
    runCompiler(target, 'tsconfig.browser.json', { ...config, compilerOptions, include: [browserFolder], exclude: [] });
  }
  for (const file of filesBelow(join(target, 'dist'))) {
    if (!file.endsWith('.d.ts')) continue;
    // The compiler rewrites the imports of what it emits, but not those of declarations.
    const text = readFileSync(file, 'utf8').replaceAll(/((?:from|import\()\s*['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js');
    writeFileSync(file, text);
  }
}

function runCompiler(target: string, name: string, config: object): void {
  const file = join(target, name);
  writeFileSync(file, JSON.stringify(config));
  execFileSync(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-p', file], {
    stdio: 'inherit',
  });
}

// The parts of the dependency that the module uses, in its own place; what the package still depends on stays an import.
function inline(file: string, source: string, external: readonly string[]): void {
  buildSync({
    entryPoints: [source],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    legalComments: 'inline',
    sourcemap: 'linked',
    external: [...external],
  });
}

// What is read at run time beside the code: pages, styles and pictures.
function copyAssets(target: string): void {
  for (const file of filesBelow(join(target, 'src'))) {
    if (file.endsWith('.ts') || file.endsWith('tsconfig.json')) continue;
    const copy = join(target, 'dist', relative(join(target, 'src'), file));
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(file, copy);
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
