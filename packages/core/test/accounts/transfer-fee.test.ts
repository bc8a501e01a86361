import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  amountToSend,
  calculateTransferFee,
  decodeTransferFeeConfig,
  isPossibleTransferFee,
  leastReceived,
  transferFeeTerms,
} from '../../src/accounts/transfer-fee.ts';

const older = { epoch: 10n, maximumFee: 1_000n, basisPoints: 100 };
const newer = { epoch: 20n, maximumFee: 500n, basisPoints: 250 };
const config = { older, newer };

test('a fee is rounded up to the base unit, and never more than its maximum', () => {
  for (const [amount, fee] of [
    [0n, 0n],
    [1n, 1n],
    [100n, 1n],
    [101n, 2n],
    [99_900n, 999n],
    [99_901n, 1_000n],
    [100_001n, 1_000n],
    [2n ** 64n - 1n, 1_000n],
  ] as const) {
    assert.equal(calculateTransferFee(config, amount, 19n), fee, `${amount}`);
  }
});

test('the newer fee counts from its epoch on', () => {
  for (const [epoch, fee] of [
    [0n, 10n],
    [19n, 10n],
    [20n, 25n],
    [21n, 25n],
  ] as const) {
    assert.equal(calculateTransferFee(config, 1_000n, epoch), fee, `${epoch}`);
  }
});

test('both fees are read from their offsets', () => {
  const value = new Uint8Array(108);
  const view = new DataView(value.buffer);
  for (const [offset, { epoch, maximumFee, basisPoints }] of [
    [72, older],
    [90, newer],
  ] as const) {
    view.setBigUint64(offset, epoch, true);
    view.setBigUint64(offset + 8, maximumFee, true);
    view.setUint16(offset + 16, basisPoints, true);
  }
  assert.deepEqual(decodeTransferFeeConfig(value), config);
});

test('a fee of 100 % is possible and a higher one is not, in either epoch', () => {
  for (const [basisPoints, isPossible] of [
    [10_000, true],
    [10_001, false],
  ] as const) {
    assert.equal(isPossibleTransferFee({ older: { ...older, basisPoints }, newer }), isPossible);
    assert.equal(isPossibleTransferFee({ older, newer: { ...newer, basisPoints } }), isPossible);
  }
});

const termsOf = ({ basisPoints, maximumFee }: typeof older) => ({ basisPoints, maximumFee });

test('the terms of a mint are the fee in force, and the next one until it is in force', () => {
  assert.deepEqual(transferFeeTerms(config, 19n), [termsOf(older), termsOf(newer)]);
  assert.deepEqual(transferFeeTerms(config, 20n), [termsOf(newer)]);
});

test('a fee that takes nothing is no term', () => {
  assert.deepEqual(transferFeeTerms({ older, newer: { ...newer, basisPoints: 0 } }, 19n), [termsOf(older)]);
  assert.deepEqual(transferFeeTerms({ older, newer: { ...newer, maximumFee: 0n } }, 20n), []);
});

const terms = fc.record({
  basisPoints: fc.integer({ min: 0, max: 10_000 }),
  maximumFee: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
});
const amounts = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });

test('the least is sent of which as much arrives as was asked for', () => {
  const always = (basisPoints: number, maximumFee: bigint) => {
    const fee = { epoch: 0n, basisPoints, maximumFee };
    return { older: fee, newer: fee };
  };
  assert.equal(amountToSend(always(100, 5_000n), 1_000_000n, 0n), 1_005_000n);
  assert.equal(amountToSend(always(100, 2n ** 64n - 1n), 1_000_000n, 0n), 1_010_102n);
  assert.equal(amountToSend(config, 1_000n, 20n), 1_026n);
  fc.assert(
    fc.property(terms, amounts, ({ basisPoints, maximumFee }, received) => {
      const alone = always(basisPoints, maximumFee);
      const arriving = (sent: bigint): bigint => sent - calculateTransferFee(alone, sent, 0n);
      const sent = amountToSend(alone, received, 0n);
      assert.equal(arriving(sent), received);
      assert.ok(arriving(sent - 1n) < received);
    }),
  );
});

test('what arrives at least is what arrives by the dearer of the fees, and never less of more', () => {
  fc.assert(
    fc.property(terms, terms, amounts, amounts, (one, other, amount, more) => {
      const least = leastReceived(amount, [one, other]);
      const received = [one, other].map((fee) => {
        const alone = { epoch: 0n, ...fee };
        return amount - calculateTransferFee({ older: alone, newer: alone }, amount, 0n);
      });
      assert.ok(received.includes(least) && received.every((each) => each >= least && least >= 0n));
      assert.ok(leastReceived(amount + more, [one, other]) >= least);
    }),
  );
  assert.equal(leastReceived(10n, []), 10n);
  assert.equal(leastReceived(10_000_000n, [{ basisPoints: 269, maximumFee: 2n ** 64n - 1n }]), 9_731_000n);
});
