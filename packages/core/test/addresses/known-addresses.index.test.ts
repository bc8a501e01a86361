import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressToBytes } from '../../src/addresses/address.ts';
import { indexOfAddress } from '../../src/addresses/known-addresses.ts';
import { freshAddress } from '../random-plans.ts';

const addresses = Array.from({ length: 4 }, freshAddress);
const bytes = Uint8Array.from([7, 7, 7, ...addresses.flatMap((address) => [...addressToBytes(address)])]);
const view = new DataView(bytes.buffer);

test('an address is found at its index among those that stand one after another', () => {
  for (const [index, address] of addresses.entries()) assert.equal(indexOfAddress(view, 3, 4, address), index);
});

test('an address is found neither behind the last one, nor anywhere else', () => {
  const [first, , third = '', last = ''] = addresses;
  assert.equal(indexOfAddress(view, 3, 3, last), -1);
  assert.equal(indexOfAddress(view, 3, 3, third), 2);
  assert.equal(indexOfAddress(view, 3, 0, first ?? ''), -1);
  assert.equal(indexOfAddress(view, 4, 3, third), -1);
  assert.equal(indexOfAddress(view, 3, 4, freshAddress()), -1);
  assert.throws(() => indexOfAddress(view, 3, 4, 'not an address'), TypeError);
});
