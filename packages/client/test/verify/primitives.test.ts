import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { address, getAddressDecoder, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import {
  accountUnder,
  addressBytes,
  classicTokenProgram,
  token2022Program,
  tokenAccountOf,
} from '../../src/verify/addresses.ts';
import { isOnCurve } from '../../src/verify/curve.ts';
import { sha256 } from '../../src/verify/sha256.ts';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('what verification stands on', () => {
  it('digests as Node does, of every length of some blocks', () => {
    for (let length = 0; length < 200; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 0xff);
      assert.deepEqual(Buffer.from(sha256(bytes)), createHash('sha256').update(bytes).digest());
    }
  });

  it('knows points of the curve as an independent library does', () => {
    const isPoint = (bytes: Uint8Array): boolean => {
      try {
        ed25519.Point.fromBytes(bytes, true);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(bytes32, (bytes) => assert.equal(isOnCurve(bytes), isPoint(bytes))),
      { numRuns: propertyRuns(300) },
    );
    // The identity, and a number that is no square.
    assert.equal(isOnCurve(Uint8Array.of(1, ...new Uint8Array(31))), true);
    assert.equal(isOnCurve(Uint8Array.of(2, ...new Uint8Array(31))), false);
  });

  it('reads no address from text of other lengths or characters', () => {
    for (const text of ['', '1'.repeat(31), '1'.repeat(33), 'z'.repeat(44), `${'1'.repeat(31)}0`, 7, null, undefined]) {
      assert.throws(() => addressBytes(text, 'to_address'), { code: 'invalid_request', part: 'to_address' });
    }
  });

  it('derives token accounts and lists of hooks as independent libraries do', async () => {
    const draws = fc.sample(fc.tuple(bytes32, bytes32), 40);
    for (const [one, other] of draws) {
      const [owner, mint] = [getAddressDecoder().decode(one), getAddressDecoder().decode(other)];
      for (const tokenProgram of [address(classicTokenProgram), TOKEN_2022_PROGRAM_ADDRESS]) {
        const [expected] = await findAssociatedTokenPda({ owner, mint, tokenProgram });
        assert.equal(tokenAccountOf({ wallet: owner, mint, tokenProgram }), expected);
      }
      const seeds = ['extra-account-metas', getAddressEncoder().encode(mint)];
      const [list] = await getProgramDerivedAddress({ programAddress: owner, seeds });
      assert.equal(accountUnder(owner, 'extra-account-metas', mint), list);
    }
    assert.equal(token2022Program, TOKEN_2022_PROGRAM_ADDRESS);
  });
});
