import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assetPath, fileAt, readAsset } from '../../../src/app/pages/assets.ts';
import { withImports } from '../../pages/loaded-assets.ts';

/** The text that is served at a path below `/pay-assets/`. */
function textAt(path: string): string {
  const file = fileAt(path);
  assert.ok(file, path);
  return readAsset(file).text;
}

describe('the files that pages load', () => {
  it('are found with all that they import, and are no part of the core that has compiled code', () => {
    const loaded = withImports([assetPath('console.ts'), assetPath('pay.ts')], { later: true });
    assert.ok(loaded.size > 60, `${loaded.size} files`);
    for (const [path, text] of loaded) {
      assert.doesNotMatch(path, /core\/(?:index|addresses\/wasm)/);
      assert.doesNotMatch(text, /^(?:export )?(?:interface|type) |: (?:string|number|boolean)\b(?!\.)/m, path);
    }
  });

  it('are theirs alone, and no other of the machine', () => {
    for (const path of ['server/main.ts', 'server/config/config.ts', 'server/pages/browser/tsconfig.json', 'core/x.ts'])
      assert.equal(fileAt(path), undefined, path);
    for (const path of [
      'core/../server/main.ts',
      'core//etc/passwd',
      'core/%2e%2e/index.ts',
      '',
      'server/pages/browser/',
    ])
      assert.equal(fileAt(path), undefined, path);
  });

  it('name packages by the paths at which their files are', () => {
    assert.match(textAt('server/pages/browser/names.ts'), / from '\/pay-assets\/core\/request\/format-amount\.ts';/);
    assert.match(textAt('server/pages/browser/form.ts'), /import\('\/pay-assets\/client\/payments-file\.ts'\)/);
  });

  it('are of the type that their ending says', () => {
    for (const [path, type] of [
      ['server/pages/browser/pay.ts', 'text/javascript; charset=utf-8'],
      ['server/pages/browser/pay.css', 'text/css; charset=utf-8'],
      ['server/pages/browser/icon.svg', 'image/svg+xml'],
    ] as const) {
      const file = fileAt(path);
      assert.equal(file && readAsset(file).headers['content-type'], type);
    }
  });

  it('lose their types without a warning of Node in the log', (t) => {
    const warn = t.mock.method(process, 'emitWarning', () => undefined);
    textAt('server/pages/browser/pay.ts');
    assert.equal(warn.mock.callCount(), 0);
    assert.equal(process.emitWarning, warn);
  });

  it('weigh, where they verify transactions, less than 95 kB', () => {
    const texts = withImports([assetPath('verification.ts')]).values();
    const bytes = [...texts].reduce((sum, text) => sum + text.length, 0);
    assert.ok(bytes > 30_000 && bytes < 95_000, `${bytes} bytes`);
  });
});
