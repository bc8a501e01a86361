import { type Asset, findAsset } from '../../src/pages/assets.ts';

/** The files that a browser loads with a page: those that it names, and those that these import. */
export function loadedAssets(markup: string): readonly Asset[] {
  const loaded = new Map<string, Asset>();
  const add = (name: string): void => {
    const asset = findAsset(name);
    if (asset === undefined || loaded.has(name)) return;
    loaded.set(name, asset);
    for (const [, imported = ''] of String(asset.bytes).matchAll(/from '\.\/([^']+)'/g)) add(imported);
  };
  for (const [, name = ''] of markup.matchAll(/"\/pay-assets\/([^"]+)"/g)) add(name);
  return [...loaded.values()];
}

/** How many bytes a page and everything that it loads have. */
export function pageWeight(markup: string): number {
  return loadedAssets(markup).reduce((sum, { bytes }) => sum + bytes.length, Buffer.byteLength(markup));
}
