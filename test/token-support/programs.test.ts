import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, address, getAddressDecoder } from '@solana/kit';
import { Ledger } from '../../packages/sandbox/src/ledger/ledger.ts';
import { programs } from './programs.ts';

/** Bytes before the code in the account that an upgradeable program points to. */
const headerLength = 45;

const ledger = new Ledger();

/** The length of a program's code, wherever its loader keeps it. */
function codeLengthOf(program: Address): number {
  const { data } = ledger.getAccount(program) ?? assert.fail(program);
  if (data.length !== 36) return data.length;
  return (ledger.getAccount(getAddressDecoder().decode(data, 4))?.data.length ?? 0) - headerLength;
}

for (const { name, address: program, byteLength } of programs) {
  test(`the ledger has ${name}, as docs/token-support.md says`, () => {
    assert.equal(codeLengthOf(address(program)), byteLength);
  });
}
