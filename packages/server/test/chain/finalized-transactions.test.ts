import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoProgram, systemProgram } from 'splwright-core';
import type { LandedTransaction } from '../../src/chain/chain-history.ts';
import { keepTransactions } from '../../src/chain/rpc-node-history.ts';

function transactionWith(parts: Partial<LandedTransaction>): LandedTransaction {
  return {
    slot: 1n,
    blockTime: null,
    bytes: new Uint8Array(),
    loadedAddresses: { writable: [], readonly: [] },
    error: null,
    fee: 5_000n,
    content: undefined,
    balances: undefined,
    ...parts,
  };
}

/** Which of four equal transactions are still kept after the last one. */
function keptOf(parts: Partial<LandedTransaction>): string {
  const finalized = keepTransactions();
  for (const signature of 'abcd') finalized.set(signature, transactionWith(parts));
  return [...'abcd'].filter((signature) => finalized.get(signature)).join('');
}

// A fourth of 16 MiB without the 2,000 bytes of an entry.
const share = 4 * 1024 * 1024 - 2_000;

test('16 MiB of them are kept: three times the bytes of each, its error in UTF-16, its token accounts and what an entry takes', () => {
  const error = { InstructionError: [0, { Custom: 2n ** 60n }] };
  const errorBytes = 2 * JSON.stringify({ InstructionError: [0, { Custom: String(2n ** 60n) }] }).length;
  const balance = { mint: memoProgram, before: 1n, after: 2n, owner: undefined };
  const balances = new Map([
    [memoProgram, balance],
    [systemProgram, balance],
  ]);
  for (const [parts, taken] of [
    [{}, 8],
    [{ error }, errorBytes],
    [{ balances }, 8 + 2 * 400],
  ] as const) {
    const most = Math.floor((share - taken) / 3);
    assert.equal(keptOf({ ...parts, bytes: new Uint8Array(most) }), 'abcd');
    assert.equal(keptOf({ ...parts, bytes: new Uint8Array(most + 1) }), 'bcd');
  }
});
