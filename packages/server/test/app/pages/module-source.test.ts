import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../../../../../test/setup/temporary-folder.ts';
import { readModule, stripTypes } from '../../../src/app/pages/module-source.ts';

/** Reads a module that stands with others in a folder; what becomes of it, and the files that it imports. */
function read(t: TestContext, files: Readonly<Record<string, string>>): { text: string; imported: string[] } {
  const folder = temporaryFolder(t);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const imported: string[] = [];
  const text = readModule(pathToFileURL(join(folder, Object.keys(files)[0] ?? '')), (file) => {
    const name = file.pathname.slice(file.pathname.lastIndexOf('/') + 1);
    imported.push(name);
    return `hashed-${name}`;
  });
  return { text, imported };
}

describe('a module that a page loads', () => {
  it('names the files that it imports, now or later, and no types', (t) => {
    const { text, imported } = read(t, {
      'a.ts': `import type { T } from './t.ts';\nimport {\n  b,\n} from './b.ts';\nimport('./c.js');\nnew URL('./d.css', import.meta.url);\n`,
      'b.ts': '',
      'c.js': '',
      'd.css': '',
    });
    assert.deepEqual(imported, ['b.ts', 'c.js', 'd.css']);
    assert.equal(
      text.trim(),
      `import {\nb,\n} from './hashed-b.ts';\nimport('./hashed-c.js');\nnew URL('./hashed-d.css', import.meta.url);`,
    );
  });

  it('imports the files of the core that have the members which it takes', (t) => {
    const { text, imported } = read(t, {
      'a.ts': `import { type Address, encodeBase58, readU64 } from 'splwright-core';\n`,
    });
    assert.deepEqual(imported, ['base58.ts', 'little-endian.ts']);
    assert.match(text, /^import \{ encodeBase58 \} from '\.\/hashed-base58\.ts';$/m);
    assert.throws(
      () => read(t, { 'a.ts': `import { absent } from 'splwright-core';\n` }),
      /splwright-core has no absent/,
    );
  });

  it('takes addresses of the core from a file without compiled code', (t) => {
    assert.deepEqual(read(t, { 'a.ts': `import { toAddress } from 'splwright-core';\n` }).imported, [
      'core-address.js',
    ]);
  });

  it('imports a library as it is published, license and all, and the files of the client; other packages are texts', async (t) => {
    const text = `import papa from 'papaparse/papaparse.min.js';\nimport { a } from 'splwright-client/payments-file';\n`;
    const others = `import { c } from 'splwright-client/verify';\nimport { b } from 'splwright-client';\n`;
    const module = read(t, { 'a.js': `${text}${others}` });
    assert.deepEqual(module.imported, ['papaparse.min.js', 'payments-file.ts', 'index.ts']);
    assert.equal(
      module.text,
      `import papa from './hashed-papaparse.min.js';\nimport { a } from './hashed-payments-file.ts';\n` +
        `import { c } from './hashed-index.ts';\nimport { b } from 'splwright-client';\n`,
    );
    const library = readModule(new URL(import.meta.resolve('papaparse/papaparse.min.js')), () => assert.fail('alone'));
    assert.match(library, /@license/);
    const { default: papa } = await import(`data:text/javascript,${encodeURIComponent(library)}`);
    assert.deepEqual(papa.parse('a,b').data, [['a', 'b']]);
  });

  it('is read as it is published, too: built, with other quotes', (t) => {
    const { text, imported } = read(t, { 'a.js': 'import { b } from "./b.ts";\n', 'b.js': '' });
    assert.deepEqual(imported, ['b.js']);
    assert.equal(text.trim(), `import { b } from './hashed-b.js';`);
  });

  it('loses its types without a warning of Node in the log', (t) => {
    const warn = t.mock.method(process, 'emitWarning', () => undefined);
    assert.equal(
      stripTypes(`const a: number = 1;\nexport function f(b: string): string {\nreturn '  ' + b;\n}\n`).replaceAll(
        / +([;)={])/g,
        '$1',
      ),
      `const a= 1;\nexport function f(b){\nreturn '  ' + b;\n}\n`,
    );
    assert.equal(warn.mock.callCount(), 0);
    assert.equal(process.emitWarning, warn);
  });
});
