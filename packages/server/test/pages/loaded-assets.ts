import { gzipSync } from 'node:zlib';
import { type Asset, findAsset } from '../../src/app/pages/assets.ts';

/** The files that a browser loads with some: those, and those that they import. */
function withImports(names: readonly string[]): readonly Asset[] {
  const loaded = new Map<string, Asset>();
  const add = (name: string): void => {
    const asset = findAsset(name);
    if (asset === undefined || loaded.has(name)) return;
    loaded.set(name, asset);
    for (const [, imported = ''] of String(asset.bytes).matchAll(/from '\.\/([^']+)'/g)) add(imported);
  };
  for (const name of names) add(name);
  return [...loaded.values()];
}

/** The files that a browser loads with a page: those that it names, and those that these import. */
function loadedAssets(markup: string): readonly Asset[] {
  return withImports([...markup.matchAll(/"\/pay-assets\/([^"]+)"/g)].map(([, name = '']) => name));
}

/** How many bytes a page and everything that it loads have, each file compressed by gzip. */
export function pageWeight(markup: string): number {
  return [markup, ...loadedAssets(markup).map(({ bytes }) => bytes)]
    .map((each) => gzipSync(each).length)
    .reduce((sum, length) => sum + length, 0);
}

/** How many bytes a file and everything that it imports have. */
export function weightWithImports(name: string): number {
  return withImports([name]).reduce((sum, { bytes }) => sum + bytes.length, 0);
}
