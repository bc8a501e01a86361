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

test('the shortest and the longest address are addresses', () => {
  assert.ok('address' in parseAddress('1'.repeat(32)));
  assert.ok('address' in parseAddress(encodeBase58(new Uint8Array(32).fill(255))));
});

describe('a text that is not an address is refused with the reason', () => {
  test('an empty text', () => {
    assert.deepEqual(faultOf(''), { kind: 'empty' });
  });

  test('31 and 33 bytes, with zeros in front or not', () => {
    for (const length of [1, 31, 33, 46]) {
      assert.deepEqual(faultOf(encodeBase58(new Uint8Array(length))), { kind: 'wrong_length', byteLength: length });
      const bytes = new Uint8Array(length).fill(200);
      assert.deepEqual(faultOf(encodeBase58(bytes)), { kind: 'wrong_length', byteLength: length });
    }
  });

  test('a secret key of 64 bytes, as wallets export it, and a signature', () => {
    for (const bytes of [Keypair.generate().secretKey, new Uint8Array(64), new Uint8Array(64).fill(255)]) {
      assert.deepEqual(faultOf(encodeBase58(bytes)), { kind: 'signature_or_secret_key' });
    }
    const longer = encodeBase58(new Uint8Array(65).fill(9));
    assert.deepEqual(faultOf(longer), { kind: 'too_long', characterCount: longer.length });
  });

  test('the symbol of a token and the name of a wallet, whatever letters they have', () => {
    for (const text of ['USDC', '$WIF', 'SOL', 'mSOL', 'JitoSOL', 'alice', 'Il']) {
      assert.deepEqual(faultOf(text), { kind: 'name', text });
    }
  });

  test('a domain name', () => {
    for (const text of ['name.sol', 'a.b-c.bonk', 'ALICE.SOL', '0_0.skr']) {
      assert.deepEqual(faultOf(text), { kind: 'domain_name', text });
    }
    assert.deepEqual(faultOf('.sol.'), { kind: 'invalid_character', character: '.', index: 0 });
    assert.deepEqual(faultOf(`${'a'.repeat(62)}.sol`), { kind: 'too_long', characterCount: 66 });
  });

  test('an EVM address, in any case of its letters', () => {
    assert.deepEqual(faultOf('0x52908400098527886E0F7030069857D2E4169EE7'), { kind: 'evm_address' });
    assert.deepEqual(faultOf('0xde709f2102306220921060314715629080e2fb77'), { kind: 'evm_address' });
  });

  test('a text that only begins as an EVM address does', () => {
    assert.deepEqual(faultOf('0xde709f'), { kind: 'invalid_character', character: '0', index: 0 });
  });

  test('white space before, within and after, of any kind', () => {
    for (const space of [' ', '\t', '\n', '\r', '\u00a0', '\u2003', '\u3000', '\ufeff']) {
      assert.deepEqual(faultOf(`${space}${wallet}`), { kind: 'white_space', index: 0 });
      assert.deepEqual(faultOf(`${wallet}${space}`), { kind: 'white_space', index: wallet.length });
      assert.deepEqual(faultOf(`${wallet.slice(0, 7)}${space}${wallet.slice(7)}`), { kind: 'white_space', index: 7 });
    }
    assert.deepEqual(faultOf('   '), { kind: 'white_space', index: 0 });
  });

  test('the four look-alikes that base58 leaves out', () => {
    for (const character of ['0', 'O', 'I', 'l']) {
      const text = wallet.slice(0, 5) + character + wallet.slice(6);
      assert.deepEqual(faultOf(text), { kind: 'invalid_character', character, index: 5 });
    }
  });

  test('full-width letters, an invisible character and a control character', () => {
    for (const character of ['Ｄ', '１', '\u200b', '\u0000', '\u007f']) {
      assert.deepEqual(faultOf(`${wallet}${character}`), {
        kind: 'invalid_character',
        character,
        index: wallet.length,
      });
    }
  });

  test('an emoji, named whole and not by half', () => {
    assert.deepEqual(faultOf(`${wallet.slice(0, 3)}😀${wallet.slice(5)}`), {
      kind: 'invalid_character',
      character: '😀',
      index: 3,
    });
  });

  test('a very long text, without decoding it', () => {
    const text = 'z'.repeat(1_000_000);
    assert.deepEqual(faultOf(text), { kind: 'too_long', characterCount: 1_000_000 });
    assert.deepEqual(faultOf('z'.repeat(65)), { kind: 'too_long', characterCount: 65 });
    assert.deepEqual(faultOf('1'.repeat(63)), { kind: 'wrong_length', byteLength: 63 });
  });
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
