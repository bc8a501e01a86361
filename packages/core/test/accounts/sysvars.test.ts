import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lamports } from '@solana/kit';
import { getSysvarRentEncoder, SYSVAR_CLOCK_ADDRESS, SYSVAR_RENT_ADDRESS } from '@solana/sysvars';
import {
  clockSysvar,
  decodeClock,
  decodeRent,
  isPossibleRent,
  minimumBalance,
  rentSysvar,
} from '../../src/accounts/sysvars.ts';

const rent = { lamportsPerByteYear: 3480n, exemptionThreshold: 2 };
// 10 MiB, the longest account, and 128 bytes of overhead.
const maxBytes = 10_485_760 + 128;

test('the addresses are those of the runtime', () => {
  assert.deepEqual<string[]>([rentSysvar, clockSysvar], [SYSVAR_RENT_ADDRESS, SYSVAR_CLOCK_ADDRESS]);
});

test('rent, epoch and time are read from their sysvars, anywhere in a buffer', () => {
  const data = getSysvarRentEncoder().encode({
    lamportsPerByteYear: lamports(3480n),
    exemptionThreshold: 2,
    burnPercent: 50,
  });
  const buffer = new Uint8Array(data.length + 3);
  buffer.set(data, 3);
  assert.deepEqual(decodeRent(buffer.subarray(3)), rent);
  // Slot, start of the epoch, epoch, and two more of 8 bytes.
  const clock = BigInt64Array.of(1n, 2n, 700n, 4n, -5n);
  assert.deepEqual(decodeClock(new Uint8Array(clock.buffer)), { epoch: 700n, unixSeconds: -5n });
  assert.throws(() => decodeRent(new Uint8Array(15)), RangeError);
  assert.throws(() => decodeClock(new Uint8Array(39)), RangeError);
});

test('an account costs the rent of its bytes and of 128 more, in whole lamports', () => {
  assert.equal(minimumBalance(rent, 0), 890_880n);
  assert.equal(minimumBalance(rent, 165), 2_039_280n);
  assert.equal(minimumBalance({ lamportsPerByteYear: 1n, exemptionThreshold: 0.5 }, 1), 64n);
});

test('a rent is possible while the longest account costs between 0 and 2^64 lamports', () => {
  assert.equal(isPossibleRent(rent), true);
  assert.equal(isPossibleRent({ ...rent, exemptionThreshold: 0 }), true);
  for (const exemptionThreshold of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.equal(isPossibleRent({ ...rent, exemptionThreshold }), false);
  }
  // The bound in lamports for each byte and year at a threshold of 1.
  const bound = 2 ** 64 / maxBytes;
  assert.equal(isPossibleRent({ lamportsPerByteYear: 1n, exemptionThreshold: bound * 0.999_999_9 }), true);
  assert.equal(isPossibleRent({ lamportsPerByteYear: 1n, exemptionThreshold: bound }), false);
  assert.equal(isPossibleRent({ lamportsPerByteYear: 2n, exemptionThreshold: bound * 0.500_000_1 }), false);
});
