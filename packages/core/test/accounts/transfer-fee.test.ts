import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  calculateTransferFee,
  decodeTransferFeeConfig,
  isPossibleTransferFee,
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

test('the smallest part of a base unit is rounded up to a whole one', () => {
  const smallest = { ...older, basisPoints: 1 };
  for (const [amount, fee] of [
    [1n, 1n],
    [10_000n, 1n],
    [10_001n, 2n],
  ] as const) {
    assert.equal(calculateTransferFee({ older: smallest, newer }, amount, 19n), fee, `${amount}`);
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
