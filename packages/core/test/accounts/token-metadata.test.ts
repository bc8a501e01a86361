import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import { PublicKey } from '@solana/web3.js';
import { type ExtensionArgs, extension, getMintDecoder } from '@solana-program/token-2022';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import type { Account } from '../../src/accounts/account.ts';
import { metaplexMetadataAddress, readTokenMetadata, type TokenMetadata } from '../../src/accounts/token-metadata.ts';
import { type Address, addressToBytes, toAddress } from '../../src/addresses/address.ts';
import { metaplexMetadataProgram, systemProgram, tokenProgram } from '../../src/addresses/programs.ts';
import { accountOf, freshWallet, mintAccount, tokenAccount } from '../fixtures.ts';

const mint = freshWallet();

const pointerTo = (metadataAddress: Address | null): ExtensionArgs =>
  extension('MetadataPointer', { authority: null, metadataAddress: metadataAddress && address(metadataAddress) });

function metadataWith(parts: { name?: string; symbol?: string; uri?: string; of?: Address } = {}): ExtensionArgs {
  const { name = 'USD Coin', symbol = 'USDC', uri = 'https://example.org/usdc.json', of = mint } = parts;
  const additionalMetadata = new Map([['issuer', 'somebody']]);
  return extension('TokenMetadata', {
    updateAuthority: null,
    mint: address(of),
    name,
    symbol,
    uri,
    additionalMetadata,
  });
}

/** What is read of a mint where there is no other account, or this one of Metaplex. */
const readFrom = (
  of: Address,
  account: Account | null,
  metaplex: Account | null = null,
  at = metaplexMetadataAddress(of),
): TokenMetadata | undefined =>
  readTokenMetadata(
    of,
    new Map([
      [of, account],
      [at, metaplex],
    ]),
  );

const mintWith = (...extensions: ExtensionArgs[]) => mintAccount({ extensions });

describe('the metadata of a token', () => {
  test('is what its mint carries, among other extensions', () => {
    const account = mintWith({ __kind: 'NonTransferable' }, pointerTo(mint), metadataWith());
    assert.deepEqual(readFrom(mint, account), { name: 'USD Coin', symbol: 'USDC' });
  });

  test('is nothing where the mint names another account, or none', () => {
    assert.equal(readFrom(mint, mintWith(pointerTo(freshWallet()), metadataWith())), undefined);
    assert.equal(readFrom(mint, mintWith(metadataWith())), undefined);
    assert.equal(readFrom(mint, mintWith(pointerTo(mint))), undefined);
  });

  test('is nothing where it is that of another mint', () => {
    const other = freshWallet();
    assert.equal(readFrom(mint, mintWith(pointerTo(mint), metadataWith({ of: other }))), undefined);
    assert.equal(readFrom(other, mintWith(pointerTo(mint), metadataWith())), undefined);
  });

  test('is nothing in an account that is no mint of Token-2022', () => {
    const { data } = mintWith(pointerTo(mint), metadataWith());
    assert.equal(readFrom(mint, accountOf(freshWallet(), data)), undefined);
    assert.equal(readFrom(mint, accountOf(tokenProgram, data)), undefined);
    assert.equal(readFrom(mint, mintAccount()), undefined);
    assert.equal(readFrom(mint, tokenAccount(mint, freshWallet())), undefined);
  });

  test('has no text that is empty, padded or too long to be shown', () => {
    const read = (name: string, symbol: string) =>
      readFrom(mint, mintWith(pointerTo(mint), metadataWith({ name, symbol })));
    assert.deepEqual(read('', ' \0'), { name: undefined, symbol: undefined });
    assert.deepEqual(read(' USD Coin\0\0', 'US\0DC\0'), { name: 'USD Coin', symbol: 'USDC' });
    assert.deepEqual(read('n'.repeat(64), '💶'.repeat(16)), { name: 'n'.repeat(64), symbol: '💶'.repeat(16) });
    assert.deepEqual(read('n'.repeat(65), 's'.repeat(17)), { name: undefined, symbol: undefined });
  });

  test('of bytes that were changed or cut off is as the codec reads it, or nothing, and never throws', () => {
    const { data } = mintWith(pointerTo(mint), metadataWith());
    const change = fc.record({ index: fc.nat(data.length - 1), value: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3 }), fc.nat(data.length), fc.boolean(), (changes, length, isCut) => {
        const bytes = Uint8Array.from(data);
        for (const { index, value } of changes) bytes[index] = value;
        const account = { ...mintAccount({ extensions: [] }), data: isCut ? bytes.subarray(0, length) : bytes };
        const read = readFrom(mint, account);
        const theirs = read && codecReads(account.data);
        // A changed length may make a text too long to be shown.
        const shown = (text: string, maxLength: number) => ([...text.trim()].length > maxLength ? '' : text.trim());
        const expected = theirs && [shown(theirs.name, 64), shown(theirs.symbol, 16)];
        if (theirs) assert.deepEqual([read.name ?? '', read.symbol ?? ''], expected);
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  test('is nothing where a text is longer than its extension, or no UTF-8', () => {
    const account = mintWith(pointerTo(mint), metadataWith({ name: 'abcd' }));
    const nameAt = Buffer.from(account.data).indexOf('abcd');
    assert.deepEqual(readFrom(mint, account), { name: 'abcd', symbol: 'USDC' });
    for (const [index, value] of [
      [nameAt - 4, 255],
      [nameAt - 1, 255],
      [nameAt, 0xc0],
      [nameAt + 4, 255],
      [nameAt + 8, 0xff],
    ] as const) {
      assert.equal(readFrom(mint, { ...account, data: account.data.with(index, value) }), undefined);
    }
  });
});

function codecReads(data: Uint8Array): { name: string; symbol: string } | undefined {
  try {
    const { extensions } = getMintDecoder().decode(data);
    const all = extensions.__option === 'Some' ? extensions.value : [];
    return all.find((each) => each.__kind === 'TokenMetadata');
  } catch {
    return undefined;
  }
}

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
      readFrom(mint, mintAccount({ extensions: [pointerTo(metadataAddress)] }), metadataAccount());
    assert.equal(read(metaplexMetadataAddress(mint))?.symbol, 'USDC');
    assert.equal(read(null)?.symbol, 'USDC');
    assert.equal(read(freshWallet()), undefined);
    assert.equal(read(mint), undefined);
  });

  test('gives way to the name in the mint', () => {
    const texts = { name: 'Its own', symbol: 'OWN', uri: '', additionalMetadata: new Map() };
    const own = extension('TokenMetadata', { updateAuthority: null, mint: address(mint), ...texts });
    const account = mintAccount({ extensions: [pointerTo(mint), own] });
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
      { numRuns: propertyRuns(1_000) },
    );
  });
});
