import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Keypair, PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { addressFromBytes, addressToBytes, parseAddress, toAddress } from '../../src/addresses/address.ts';
import { encodeBase58 } from '../../src/addresses/base58.ts';

const wallet = 'DtZTTnYZjWEiJSkCHLPb4Uv3mfgRJYbUUGypU46c2wKF';

function faultOf(text: string): object {
  const parsed = parseAddress(text);
  assert.ok('fault' in parsed, `${JSON.stringify(text)} is taken for an address`);
  return parsed.fault;
}

test('every public key is an address, and its bytes are those of the key', () => {
  const property = fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
    const key = new PublicKey(bytes);
    assert.deepEqual(parseAddress(key.toBase58()), { address: key.toBase58() });
    assert.deepEqual(addressToBytes(toAddress(key.toBase58())), Uint8Array.from(bytes));
    assert.equal(addressFromBytes(bytes), key.toBase58());
  });
  fc.assert(property);
});

test('a text is an address exactly when PublicKey takes it, for texts near an address', () => {
  const near = fc
    .tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(44), fc.string({ maxLength: 2 }))
    .map(([bytes, at, insert]) => {
      const text = encodeBase58(bytes);
      return text.slice(0, at) + insert + text.slice(at + 1);
    });
  const isPublicKey = (text: string): boolean => {
    try {
      return new PublicKey(text).toBase58() === text;
    } catch {
      return false;
    }
  };
  const property = fc.property(near, (text) => {
    assert.equal('address' in parseAddress(text), isPublicKey(text));
  });
  fc.assert(property, { numRuns: propertyRuns(1000) });
});

describe('a text that is not an address is refused with the reason', () => {
  test('31 and 33 bytes, with zeros in front or not', () => {
    for (const length of [1, 31, 33, 46]) {
      for (const byte of [0, 200]) {
        const text = encodeBase58(new Uint8Array(length).fill(byte));
        assert.deepEqual(faultOf(text), { kind: 'wrong_length', byteLength: length });
      }
    }
  });

  test('a secret key of 64 bytes, as wallets export it, and a signature', () => {
    for (const bytes of [Keypair.generate().secretKey, new Uint8Array(64), new Uint8Array(64).fill(255)]) {
      assert.deepEqual(faultOf(encodeBase58(bytes)), { kind: 'signature_or_secret_key' });
    }
    const longer = encodeBase58(new Uint8Array(65).fill(9));
    assert.deepEqual(faultOf(longer), { kind: 'too_long', characterCount: longer.length });
  });

  test('the symbol of a token, the name of a wallet and a domain name, whatever letters they have', () => {
    for (const text of ['USDC', '$WIF', 'SOL', 'mSOL', 'JitoSOL', 'alice', 'Il']) {
      assert.deepEqual(faultOf(text), { kind: 'name', text });
    }
    for (const text of ['name.sol', 'a.b-c.bonk', 'ALICE.SOL', '0_0.skr']) {
      assert.deepEqual(faultOf(text), { kind: 'domain_name', text });
    }
  });

  test('white space before, within and after, of any kind', () => {
    for (const space of [' ', '\t', '\n', '\r', '\u00a0', '\u2003', '\u3000', '\ufeff']) {
      for (const index of [0, 7, wallet.length]) {
        assert.deepEqual(faultOf(wallet.slice(0, index) + space + wallet.slice(index)), { kind: 'white_space', index });
      }
    }
  });

  test('the look-alikes that base58 leaves out, full-width letters, and characters that cannot be seen', () => {
    for (const character of ['0', 'O', 'I', 'l', 'Ｄ', '１', '\u200b', '\u0000', '\u007f', '😀']) {
      for (const index of [5, wallet.length]) {
        const text = wallet.slice(0, index) + character + wallet.slice(index + character.length);
        // An emoji is named whole and not by half.
        assert.deepEqual(faultOf(text), { kind: 'invalid_character', character, index });
      }
    }
  });

  const others: readonly (readonly [text: string, fault: object])[] = [
    ['', { kind: 'empty' }],
    ['   ', { kind: 'white_space', index: 0 }],
    ['.sol.', { kind: 'invalid_character', character: '.', index: 0 }],
    [`${'a'.repeat(62)}.sol`, { kind: 'too_long', characterCount: 66 }],
    ['0x52908400098527886E0F7030069857D2E4169EE7', { kind: 'evm_address' }],
    ['0xde709f2102306220921060314715629080e2fb77', { kind: 'evm_address' }],
    ['0xde709f', { kind: 'invalid_character', character: '0', index: 0 }],
    ['z'.repeat(1_000_000), { kind: 'too_long', characterCount: 1_000_000 }],
    ['z'.repeat(65), { kind: 'too_long', characterCount: 65 }],
    ['1'.repeat(63), { kind: 'wrong_length', byteLength: 63 }],
  ];
  for (const [text, fault] of others) {
    test(JSON.stringify(text.slice(0, 50)), () => assert.deepEqual(faultOf(text), fault));
  }
});

test('a constant that is not an address throws a TypeError that names it', () => {
  assert.throws(() => toAddress('O0Il'), { name: 'TypeError', message: /invalid_character.*O0Il/ });
});

test('only 32 bytes become an address', () => {
  for (const length of [0, 31, 33]) {
    assert.throws(() => addressFromBytes(new Uint8Array(length)), {
      name: 'RangeError',
      message: new RegExp(`${length}$`),
    });
  }
});
