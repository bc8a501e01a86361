import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

test('The whole client, minified and compressed, is smaller than 4 kB, and imports nothing', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
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
  assert.ok(gzipSync(bytes).length < 4_000, `${gzipSync(bytes).length} bytes`);
  const foreign = Object.keys(metafile.inputs).filter((path) => !path.includes('packages/client/src/'));
  assert.deepEqual(foreign, []);
});
