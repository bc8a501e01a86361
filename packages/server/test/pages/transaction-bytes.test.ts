import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeBase58 } from '../../../core/src/addresses/base58.ts';

const scriptOf = (name: string): Promise<unknown> =>
  import(new URL(`../../src/pages/browser/${name}.ts`, import.meta.url).href);
type Sign = (signer: string, message: Uint8Array) => Promise<Uint8Array>;
const { fromBase64, toBase64, signersOf, signedBytes } = (await scriptOf('transaction-bytes')) as {
  fromBase64(text: string): Uint8Array;
  toBase64(bytes: Uint8Array): string;
  signersOf(bytes: Uint8Array): readonly string[];
  signedBytes(bytes: Uint8Array, sign: Sign): Promise<Uint8Array>;
};

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
      expected.fill(0, signaturesAt + 64, signaturesAt + 128);
      assert.deepEqual(signersOf(expected), signers.slice(1), 'a sponsor has signed');
      assert.deepEqual(await signedBytes(expected, async () => new Uint8Array(64).fill(101)), signed);
    });
  }

  it('are read from base64 and written in it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        assert.equal(toBase64(bytes), Buffer.from(bytes).toString('base64'));
        assert.deepEqual(fromBase64(toBase64(bytes)), bytes);
      }),
    );
  });
});
