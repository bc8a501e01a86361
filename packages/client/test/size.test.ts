import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const budgets = [
  { name: 'The whole client, which verifies what it builds,', file: 'index.ts', maxBytes: 13_400 },
  { name: 'What verifies a transaction', file: 'verify/index.ts', maxBytes: 11_000 },
];

for (const { name, file, maxBytes } of budgets) {
  test(`${name} minified and compressed, is smaller than ${maxBytes} bytes, and imports nothing`, async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: [fileURLToPath(new URL(`../src/${file}`, import.meta.url))],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'neutral',
      target: 'es2022',
      write: false,
      metafile: true,
    });
    const bytes = outputFiles[0]?.contents ?? new Uint8Array();
    assert.ok(bytes.length > 1_000);
    assert.ok(gzipSync(bytes).length < maxBytes, `${gzipSync(bytes).length} bytes`);
    const foreign = Object.keys(metafile.inputs).filter((path) => !path.includes('packages/client/src/'));
    assert.deepEqual(foreign, []);
  });
}
