import { type Asset, findAsset } from '../../src/pages/assets.ts';

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

/** How many bytes a page and everything that it loads have. */
export function pageWeight(markup: string): number {
  return weightOf(loadedAssets(markup)) + Buffer.byteLength(markup);
}

/** How many bytes a file and everything that it imports have. */
export function weightWithImports(name: string): number {
  return weightOf(withImports([name]));
}

function weightOf(assets: readonly Asset[]): number {
  return assets.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
