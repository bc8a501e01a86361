import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type Asset, allAssets, assetPath, assets, findAsset } from '../../../src/app/pages/assets.ts';
import { readModule } from '../../../src/app/pages/module-source.ts';
import { weightWithImports } from '../../pages/loaded-assets.ts';

const fileOf = (name: string): URL => new URL(`../../../src/pages/browser/${name}`, import.meta.url);
const isText = ({ mediaType }: Asset): boolean => mediaType !== 'image/svg+xml';

describe('a file that pages load', () => {
  it('is named by itself and the beginning of a hash of what it holds, and found by that name only', () => {
    for (const [asset, stem, ending] of [
      [assets.style, 'pay', 'css'],
      [assets.icon, 'icon', 'svg'],
    ] as const) {
      const source = readModule(fileOf(`${stem}.${ending}`), () => assert.fail('it imports nothing'));
      const hash = createHash('sha256').update(source).digest('base64url').slice(0, 12);
      assert.equal(asset.name, `${stem}.${hash}.${ending}`);
      assert.equal(String(asset.bytes), source);
      assert.equal(assetPath(asset), `/pay-assets/${stem}.${hash}.${ending}`);
      assert.equal(findAsset(asset.name), asset);
      assert.equal(findAsset(`${stem}.${ending}`), undefined);
    }
  });

  it('is found by its name where a page begins with it', () => {
    for (const asset of Object.values(assets)) assert.equal(findAsset(asset.name), asset);
  });

  it('is what its ending says', () => {
    for (const asset of allAssets) {
      const ending = asset.name.split('.').at(-1);
      const type = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' }[ending ?? ''];
      assert.equal(asset.mediaType, isText(asset) ? `${type}; charset=utf-8` : type, asset.name);
      assert.match(asset.name, /^[a-z\d-]+\.[\w-]{12}\.(?:css|js|svg)$/);
    }
  });

  it('imports others by the names under which they are found', () => {
    const imported = allAssets.flatMap(({ bytes }) =>
      [...String(bytes).matchAll(/(?:from|import\() ?'\.\/([^']+)'/g)].map(([, name = '']) => name),
    );
    assert.ok(imported.length > 10);
    for (const name of imported) assert.ok(findAsset(name), name);
  });

  it('is there once, however many import it', () => {
    assert.equal(new Set(allAssets.map(({ name }) => name)).size, allAssets.length);
  });

  it('weighs, where it verifies transactions, less than 53 kB with everything that it imports', () => {
    const verification = allAssets.find(({ name }) => name.startsWith('verification.'));
    const bytes = weightWithImports(verification?.name ?? '');
    assert.ok(bytes > 30_000 && bytes < 53_000, `${bytes} bytes`);
  });

  it('is JavaScript where its source is TypeScript', () => {
    const typed = allAssets.filter((asset) => asset.mediaType.startsWith('text/javascript') && !isOfBrowser(asset));
    assert.ok(typed.length > 1);
    for (const { name, bytes } of typed) {
      assert.doesNotMatch(String(bytes), /^(?:export )?(?:interface|type) |: (?:string|number|boolean)\b(?!\.)/m, name);
    }
    const [first] = typed;
    assert.equal(first?.bytes, first?.bytes, 'made once');
  });
});

/** Whether the source is JavaScript that is written for browsers. */
function isOfBrowser({ name }: Asset): boolean {
  return existsSync(fileOf(`${name.split('.')[0]}.js`));
}
