import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { snippet, snippetLanguages } from './snippet-module.ts';

const text = fc.string({ unit: 'binary', maxLength: 20 });

it('A snippet of any language never holds an API key, and no character in it hides or reorders others', () => {
  fc.assert(
    fc.property(text, text, fc.constantFrom(...snippetLanguages), fc.boolean(), (memo, path, { id }, hasKey) => {
      const request = { path: `/v1/${path}`, origin: 'https://transfers.example', body: { memo }, hasKey };
      const program = snippet(id, { method: 'POST', ...request });
      assert.equal(/SPLWRIGHT_API_KEY/.test(program), hasKey);
      assert.doesNotMatch(program.replaceAll(/[\n\t]/g, ''), /[\p{C}\p{Zl}\p{Zp}\u00a0\u3000]/u);
    }),
  );
});
