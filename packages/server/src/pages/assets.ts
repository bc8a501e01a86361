import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that pages load. */
export interface Asset {
  /** With a hash of what it holds: it is another file as soon as it holds something else. */
  name: string;
  mediaType: string;
  bytes: Buffer;
}

const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

// What a module imports when it is loaded, and what it may import later.
const importPattern = /(?<=(?:from |import\()['"]\.\/)[^'"]+/g;

/** The files that have been read, by the names that their sources have. */
const read = new Map<string, Asset>();

/** The files that pages begin with, read once with everything that they import. */
export const assets = {
  base: readAsset('base.css'),
  icon: readAsset('icon.svg'),
  /** The checkout page of a payment link. */
  style: readAsset('pay.css'),
  script: readAsset('pay.js'),
  consoleStyle: readAsset('console.css'),
  consoleScript: readAsset('console.js'),
  referenceStyle: readAsset('reference.css'),
};

const byName = new Map([...read.values()].map((asset) => [asset.name, asset]));

/** Every file that pages load. */
export const allAssets: readonly Asset[] = [...read.values()];

/** The path under which an asset is served. */
export function assetPath({ name }: Asset): string {
  return `/pay-assets/${name}`;
}

/** The asset with a name, hash included. */
export function findAsset(name: string): Asset | undefined {
  return byName.get(name);
}

/** Reads a file, after those that it imports: their names have hashes, which are part of what it holds. */
function readAsset(file: string, importers: readonly string[] = []): Asset {
  const known = read.get(file);
  if (known) return known;
  if (importers.includes(file)) throw new Error(`${file} imports itself, by ${importers.join(', ')}`);
  const source = readFileSync(new URL(`./browser/${file}`, import.meta.url), 'utf8');
  const text = withoutComments(source).replaceAll(
    importPattern,
    (imported) => readAsset(imported, [...importers, file]).name,
  );
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  const mediaType = mediaTypes[file.slice(file.lastIndexOf('.') + 1)] ?? '';
  const asset = { name: file.replace('.', `.${hash}.`), mediaType, bytes: Buffer.from(text) };
  read.set(file, asset);
  return asset;
}

// A third of what people would load is for those who read the source.
function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').replaceAll(/^\s+/gm, '');
}
