import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { checkApiKeyFormat, generateApiKey, hashApiKey, shownPrefixOf } from '../../src/app/api-key.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The pattern documented for secret scanners. */
const scannerPattern = /swk_[0-9A-Za-z]{39}/g;
/** Made by hand: 33 zeros, and the CRC-32 of their text (0x72a8ff67, from Python's zlib) in base62. */
const knownKey = `swk_${'0'.repeat(33)}26BYXP`;

const anyKey = fc.constant(undefined).map(generateApiKey);

function replaceAt(text: string, index: number, character: string): string {
  return text.slice(0, index) + character + text.slice(index + 1);
}

describe('an API key', () => {
  it('passes its own check, and is found by a secret scanner in the middle of a text', () => {
    const key = generateApiKey();
    assert.equal(checkApiKeyFormat(key), 'ok');
    assert.deepEqual(`API_KEY="${key}" # acme`.match(scannerPattern), [key]);
  });

  it('holds a CRC-32 that another implementation computes alike', () => {
    assert.equal(checkApiKeyFormat(knownKey), 'ok');
  });

  it('carries 160 bits or more that no shown prefix tells', () => {
    const hidden = generateApiKey().length - shownPrefixOf(generateApiKey()).length - 6;
    assert.ok(hidden * Math.log2(62) >= 160);
  });

  it('is never the same twice, and uses every digit at every position but the first', () => {
    const keys = Array.from({ length: 2000 }, generateApiKey);
    assert.equal(new Set(keys).size, keys.length);
    for (let index = 5; index < 37; index += 1) {
      // By chance, a digit is missing somewhere in one of 6 * 10^10 runs: 32 * 62 * (61/62)^2000.
      assert.equal(new Set(keys.map((key) => key[index])).size, 62, `index ${index}`);
    }
  });

  it('is not valid with any one character mistyped', () => {
    fc.assert(
      fc.property(anyKey, fc.nat(42), fc.constantFrom(...base62, '-', ' ', '_'), (key, index, character) => {
        fc.pre(key[index] !== character);
        assert.equal(
          checkApiKeyFormat(replaceAt(key, index, character)),
          index < 4 ? 'not_a_key' : 'checksum_mismatch',
        );
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it('is not valid with any two adjacent characters swapped', () => {
    fc.assert(
      fc.property(anyKey, fc.nat(41), (key, index) => {
        const [left = '', right = ''] = key.slice(index, index + 2);
        fc.pre(left !== right);
        assert.notEqual(checkApiKeyFormat(replaceAt(replaceAt(key, index, right), index + 1, left)), 'ok');
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it('is not valid when cut short, doubled or followed by a line break', () => {
    const key = generateApiKey();
    for (const text of [key.slice(0, -1), key + key, `${key}\n`, 'swk_']) {
      assert.equal(checkApiKeyFormat(text), 'checksum_mismatch', JSON.stringify(text));
    }
  });

  it('differs from other texts', () => {
    for (const text of ['', ' ', 'Bearer x', `sk_${'0'.repeat(39)}`, generateApiKey().toUpperCase()]) {
      assert.equal(checkApiKeyFormat(text), 'not_a_key', JSON.stringify(text));
    }
  });

  it('is hashed with SHA-256, in lower-case hex', () => {
    // FIPS 180-2, appendix B.1.
    assert.equal(hashApiKey('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
