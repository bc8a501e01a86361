import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeBase58 } from '../../../core/src/addresses/base58.ts';

type Sign = (signer: string, message: Uint8Array) => Promise<Uint8Array>;
interface TransactionBytes {
  bytesOf(transaction: unknown, encoding?: unknown): Uint8Array;
  toBase64(bytes: Uint8Array): string;
  signersOf(bytes: Uint8Array): readonly string[];
  signedBytes(bytes: Uint8Array, sign: Sign): Promise<Uint8Array>;
}

const scriptOf = (name: string): Promise<unknown> =>
  import(new URL(`../../src/pages/browser/${name}.js`, import.meta.url).href);
const { bytesOf, toBase64, signersOf, signedBytes } = (await scriptOf('transaction-bytes')) as TransactionBytes;
const { fromBase58 } = (await scriptOf('base58')) as { fromBase58: (text: string) => Uint8Array };
const { sol, tokens } = (await scriptOf('amounts')) as Record<
  'sol' | 'tokens',
  (units: bigint, decimals?: number) => string
>;

const addressOf = (index: number): Uint8Array => new Uint8Array(32).fill(index + 1);

/** A transaction that two wallets sign, as each version writes it, and where its message is. */
const transactions: Readonly<Record<string, { bytes: Uint8Array; message: Uint8Array; signaturesAt: number }>> =
  (() => {
    const addresses = [0, 1, 2].flatMap((index) => [...addressOf(index)]);
    const rest = new Array(40).fill(9);
    const [legacy, version0] = [
      [2, 0, 1, 3, ...addresses, ...rest],
      [0x80, 2, 0, 1, 3, ...addresses, ...rest],
    ].map((message) => ({
      bytes: Uint8Array.from([2, ...new Array(128).fill(0), ...message]),
      message: Uint8Array.from(message),
      signaturesAt: 1,
    }));
    assert.ok(legacy && version0);
    const message = [0x81, 2, 0, 1, 12, 0, 0, 0, ...new Array(32).fill(7), 1, 3, ...addresses, ...rest];
    const version1 = {
      bytes: Uint8Array.from([...message, ...new Array(128).fill(0)]),
      message: Uint8Array.from(message),
      signaturesAt: message.length,
    };
    return { legacy, version0, version1 };
  })();

describe('the bytes of a transaction in the page', () => {
  for (const [version, { bytes, message, signaturesAt }] of Object.entries(transactions)) {
    it(`are signed by each signer, in their order: ${version}`, async () => {
      const signers = [0, 1].map((index) => encodeBase58(addressOf(index)));
      assert.deepEqual(signersOf(bytes), signers);
      const signed = await signedBytes(bytes, async (signer, text) => {
        assert.deepEqual(text, message);
        return new Uint8Array(64).fill(100 + signers.indexOf(signer));
      });
      const expected = Uint8Array.from(bytes);
      expected.fill(100, signaturesAt, signaturesAt + 64).fill(101, signaturesAt + 64, signaturesAt + 128);
      assert.deepEqual(signed, expected);
    });
  }

  it('are read from every encoding of a reply', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), (bytes) => {
        assert.deepEqual(bytesOf([...bytes]), bytes);
        assert.equal(toBase64(bytes), Buffer.from(bytes).toString('base64'));
        assert.deepEqual(bytesOf(toBase64(bytes)), bytes);
        assert.deepEqual(bytesOf(encodeBase58(bytes), 'base58'), bytes);
        assert.deepEqual(fromBase58(encodeBase58(bytes)), bytes);
      }),
    );
    assert.throws(() => fromBase58('0OIl'));
  });
});

describe('amounts in the page', () => {
  it('are exact', () => {
    assert.deepEqual(
      [0n, 5_000n, 1_000_000_000n, 2_039_280n].map((each) => sol(each)),
      ['0 SOL', '0.000005 SOL', '1 SOL', '0.00203928 SOL'],
    );
    assert.equal(tokens(2n ** 64n - 1n, 6), '18446744073709.551615');
    assert.deepEqual([tokens(1_500_000n, 6), tokens(7n, 0), tokens(7n, 9)], ['1.5', '7', '0.000000007']);
  });
});
