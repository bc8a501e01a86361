import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { compileToSource, target } from './compile.ts';

test('the compiled code in the repository is what its source compiles to, byte for byte', async () => {
  assert.equal(await readFile(target, 'utf8'), await compileToSource(), 'run: npm run wasm');
});
