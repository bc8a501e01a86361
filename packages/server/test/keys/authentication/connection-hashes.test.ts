import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { generateApiKey, hashApiKey } from '../../../src/app/api-key.ts';
import { ConnectionHashes } from '../../../src/keys/authentication/authenticator.ts';

// Texts that are one another's beginnings, or differ in one character at any place.
const likeTexts = fc
  .tuple(fc.constant(generateApiKey()), fc.nat(60), fc.constantFrom('', 'a', 'b', 'é', '\u{1f511}'))
  .map(([key, at, put]) => key.slice(0, at) + put + key.slice(at + put.length));

describe('the hashes of connections', () => {
  it('are those of the keys, whatever came before on this connection or another', () => {
    const connections = [{}, {}, {}];
    const step = fc.tuple(fc.constantFrom(...connections), likeTexts);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const hashes = new ConnectionHashes();
        for (const [connection, key] of steps) assert.equal(hashes.of(key, connection), hashApiKey(key));
      }),
    );
  });

  it('are those of each of two keys that come by turns', () => {
    const hashes = new ConnectionHashes();
    const keys = [generateApiKey(), generateApiKey()];
    const connection = {};
    for (let turn = 0; turn < 6; turn++) {
      const key = keys[turn % 2] ?? '';
      assert.equal(hashes.of(key, connection), hashApiKey(key));
    }
  });
});
