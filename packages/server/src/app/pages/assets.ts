import { createHash } from 'node:crypto';
import { readModule, stripTypes } from './module-source.ts';

/** A file that pages load. */
export interface Asset {
  /** Has a hash of the content, so that other content has another name. */
  name: string;
  mediaType: string;
  bytes: Buffer;
}

const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  ts: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

const browserFolder = new URL('../../pages/browser/', import.meta.url);

/** The files that have been read, by the URLs of their sources. */
const read = new Map<string, Asset>();

/** The files that pages begin with, read once with everything that they import. */
export const assets = {
  base: readAsset('base.css'),
  icon: readAsset('icon.svg'),
  /** The checkout page of a payment link. */
  style: readAsset('pay.css'),
  script: readAsset('pay.js'),
  consoleStyle: readAsset('console.css'),
  /** What the console shows beside its form. */
  recordsStyle: readAsset('records.css'),
  consoleScript: readAsset('console.js'),
  /** The pages of problems. */
  problemStyle: readAsset('problem.css'),
  /** The bytes of a transaction in words and colors; loaded when a page shows bytes. */
  bytesView: readAsset('bytes-view.js'),
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
function readAsset(path: string, importers: readonly string[] = []): Asset {
  const file = new URL(path, browserFolder);
  const known = read.get(file.href);
  if (known) return known;
  if (importers.includes(file.href)) throw new Error(`${path} imports itself, by ${importers.join(', ')}`);
  const text = readModule(file, (imported) => readAsset(imported.href, [...importers, file.href]).name);
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  const name = file.pathname.slice(file.pathname.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const [stem, ending] = [name.slice(0, dot).replaceAll('.', '-'), name.slice(dot + 1)];
  const isTypeScript = ending === 'ts';
  let bytes: Buffer | undefined;
  const asset = {
    name: `${stem}.${hash}.${isTypeScript ? 'js' : ending}`,
    mediaType: mediaTypes[ending] ?? '',
    get bytes() {
      // Made at the first request: stripping types is slow, and few pages show bytes.
      bytes ??= Buffer.from(isTypeScript ? stripTypes(text) : text);
      return bytes;
    },
  };
  read.set(file.href, asset);
  return asset;
}
