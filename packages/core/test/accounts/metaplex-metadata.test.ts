import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import { PublicKey } from '@solana/web3.js';
import { extension } from '@solana-program/token-2022';
import fc from 'fast-check';
import type { Account } from '../../src/accounts/account.ts';
import { metaplexMetadataAddress, readTokenMetadata } from '../../src/accounts/token-metadata.ts';
import { type Address, addressToBytes, toAddress } from '../../src/addresses/address.ts';
import { metaplexMetadataProgram, systemProgram } from '../../src/addresses/programs.ts';
import { accountOf, freshWallet, mintAccount } from '../chain-accounts.ts';

const mint = freshWallet();

/** As the program of Metaplex lays it out: its key, the update authority, the mint, and texts behind their lengths. */
function metadataAccount(parts: { of?: Address; name?: string; symbol?: string } = {}): Account {
  const { of = mint, name = 'USD Coin'.padEnd(32, '\0'), symbol = 'USDC'.padEnd(10, '\0') } = parts;
  const text = (value: string): number[] => {
    const bytes = Buffer.from(value);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return [...length, ...bytes];
  };
  const data = [
    4,
    ...addressToBytes(freshWallet()),
    ...addressToBytes(of),
    ...text(name),
    ...text(symbol),
    ...text(''),
  ];
  return accountOf(metaplexMetadataProgram, [...data, 0, 0, 0, 1, 1]);
}

const readFrom = (of: Address, mintOf: Account | null, metaplex: Account | null, at = metaplexMetadataAddress(of)) =>
  readTokenMetadata(
    of,
    new Map([
      [of, mintOf],
      [at, metaplex],
    ]),
  );

const pointingTo = (metadataAddress: Address | null) =>
  extension('MetadataPointer', { authority: null, metadataAddress: metadataAddress && address(metadataAddress) });

describe('the name of a token in an account of Metaplex', () => {
  test('is read at the address that other libraries derive', () => {
    const of = (text: Address) => new PublicKey(text);
    for (const each of [mint, freshWallet(), toAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')]) {
      const seeds = [Buffer.from('metadata'), of(metaplexMetadataProgram).toBytes(), of(each).toBytes()];
      const [expected] = PublicKey.findProgramAddressSync(seeds, of(metaplexMetadataProgram));
      assert.equal(metaplexMetadataAddress(each), expected.toBase58());
    }
    assert.equal(
      metaplexMetadataAddress(toAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')),
      '5x38Kp4hvdomTCnCrAny4UtMUt5rQBdB6px2K1Ui45Wq',
    );
  });

  test('is that of a mint of either token program, without its padding', () => {
    const expected = { name: 'USD Coin', symbol: 'USDC' };
    assert.deepEqual(readFrom(mint, mintAccount(), metadataAccount()), expected);
    assert.deepEqual(readFrom(mint, mintAccount({ extensions: [] }), metadataAccount()), expected);
  });

  test('is nothing in an account of another program, at another address, of another mint or of another kind', () => {
    const account = metadataAccount();
    assert.equal(readFrom(mint, mintAccount(), { ...account, owner: freshWallet() }), undefined);
    assert.equal(readFrom(mint, mintAccount(), account, freshWallet()), undefined);
    assert.equal(readFrom(mint, mintAccount(), metadataAccount({ of: freshWallet() })), undefined);
    for (let key = 0; key < 256; key++) {
      const read = readFrom(mint, mintAccount(), { ...account, data: account.data.with(0, key) });
      assert.equal(read !== undefined, key === 4, `key ${key}`);
    }
    assert.equal(readFrom(mint, null, account), undefined);
    assert.equal(readFrom(mint, accountOf(systemProgram), account), undefined);
  });

  test('counts where the mint points to it, or nowhere, and not where the mint points to itself or to another account', () => {
    const read = (metadataAddress: Address | null) =>
      readFrom(mint, mintAccount({ extensions: [pointingTo(metadataAddress)] }), metadataAccount());
    assert.equal(read(metaplexMetadataAddress(mint))?.symbol, 'USDC');
    assert.equal(read(null)?.symbol, 'USDC');
    assert.equal(read(freshWallet()), undefined);
    assert.equal(read(mint), undefined);
  });

  test('gives way to the name in the mint', () => {
    const texts = { name: 'Its own', symbol: 'OWN', uri: '', additionalMetadata: new Map() };
    const own = extension('TokenMetadata', { updateAuthority: null, mint: address(mint), ...texts });
    const account = mintAccount({ extensions: [pointingTo(mint), own] });
    assert.deepEqual(readFrom(mint, account, metadataAccount()), { name: 'Its own', symbol: 'OWN' });
  });

  test('of wrapped SOL is not "SOL", whatever the account says', () => {
    for (const [native, account] of [
      ['So11111111111111111111111111111111111111112', mintAccount({ decimals: 9 })],
      ['9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP', mintAccount({ decimals: 9, extensions: [] })],
    ] as const) {
      const of = toAddress(native);
      for (const metaplex of [null, metadataAccount({ of, name: 'Wrapped SOL', symbol: 'SOL' })]) {
        assert.deepEqual(readFrom(of, account, metaplex), { name: 'Wrapped SOL', symbol: 'wrapped SOL' });
      }
    }
  });

  test('is whatever texts were written, without padding and spaces around, where they are not too long', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (name, symbol) => {
        const read = readFrom(mint, mintAccount(), metadataAccount({ name, symbol }));
        const shown = (text: string, maxLength: number) => {
          const plain = text.replaceAll('\0', '').trim();
          return plain === '' || [...plain].length > maxLength ? undefined : plain;
        };
        assert.deepEqual(read, { name: shown(name, 64), symbol: shown(symbol, 16) });
      }),
    );
  });

  test('is no reason to throw, whatever bytes the account has', () => {
    const { data } = metadataAccount();
    const change = fc.record({ index: fc.nat(data.length - 1), value: fc.nat(255) });
    const changed = fc.array(change, { maxLength: 4 }).map((changes) => {
      const bytes = Uint8Array.from(data);
      for (const { index, value } of changes) bytes[index] = value;
      return bytes;
    });
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 800 }), changed);
    fc.assert(
      fc.property(bytes, fc.nat(800), (all, length) => {
        const account = accountOf(metaplexMetadataProgram, all.subarray(0, length));
        const read = readFrom(mint, mintAccount(), account);
        // Only what names this mint says anything.
        if (read) assert.deepEqual(account.data.slice(33, 65), Uint8Array.from(addressToBytes(mint)));
      }),
      { numRuns: 3_000 },
    );
  });
});
