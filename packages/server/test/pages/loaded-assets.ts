import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { fileAt, readAsset } from '../../src/app/pages/assets.ts';

const origin = 'http://pages';

/** The files that a browser loads with some, by their paths: those, and those that they import, `later` too. */
export function withImports(paths: Iterable<string>, { later = false } = {}): ReadonlyMap<string, string> {
  const loaded = new Map<string, string>();
  const imports = later ? /(?:\bfrom |\bimport\()['"]([^'"]+)['"]/g : /\bfrom ['"]([^'"]+)['"]/g;
  const add = (path: string): void => {
    if (loaded.has(path)) return;
    const file = fileAt(path.replace('/pay-assets/', ''));
    assert.ok(file, path);
    const { text } = readAsset(file);
    loaded.set(path, text);
    for (const [, specifier = ''] of text.matchAll(imports)) add(new URL(specifier, origin + path).pathname);
  };
  for (const path of paths) add(path);
  return loaded;
}

/** How many bytes a page and everything that it loads have, each file compressed by gzip. */
export function pageWeight(markup: string): number {
  const named = Array.from(markup.matchAll(/"(\/pay-assets\/[^"]+)"/g), ([, path = '']) => path);
  return [markup, ...withImports(named).values()].reduce((sum, text) => sum + gzipSync(text).length, 0);
}
