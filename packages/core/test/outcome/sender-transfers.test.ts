import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeBudgetProgram, memoProgram, systemProgram, tokenProgram } from '../../src/addresses/programs.ts';
import { transfersOfSender } from '../../src/outcome/compare-intents.ts';
import type { LandedContent } from '../../src/outcome/landed-content.ts';
import type { TokenTransfer } from '../../src/outcome/token-transfer.ts';

const [alice, bob, mint, otherMint] = [systemProgram, memoProgram, computeBudgetProgram, tokenProgram];

function transferOf(change: Partial<TokenTransfer>): TokenTransfer {
  const both = { tokenProgram, mint, decimals: 6, authority: alice, references: [] };
  return { ...both, source: alice, destination: bob, amount: 5n, ...change };
}

function contentWith(transfers: readonly TokenTransfer[]): LandedContent {
  const lifetime = { blockhash: alice };
  const rest = { message: new Uint8Array(), lifetime, feePayer: alice, instructions: [], memos: [], hasCalls: true };
  return { ...rest, transfers, named: new Set([alice, bob]) };
}

const sender = { source: alice, mint, decimals: 6, tokenProgram };

test('of each sender its own transfers are found, whoever was asked for before', () => {
  const there = transferOf({ amount: 5n });
  const back = transferOf({ source: bob, destination: alice, amount: 2n });
  const content = contentWith([there, back]);
  for (const _ of [1, 2]) {
    const { leaving, directTo, change } = transfersOfSender(sender, content);
    assert.deepEqual([leaving, directTo.get(bob), directTo.get(alice), change], [[there], [there], undefined, -3n]);
    const other = transfersOfSender({ ...sender, source: bob }, content);
    assert.deepEqual([other.leaving, other.change], [[back], 3n]);
    assert.deepEqual(transfersOfSender({ ...sender, mint: otherMint }, content).leaving, []);
    assert.deepEqual(transfersOfSender({ ...sender, decimals: 7 }, content).leaving, []);
    assert.deepEqual(transfersOfSender({ ...sender, tokenProgram: alice }, content).leaving, []);
  }
});

test('what an account sends to itself does not leave it, and one without a mint is of any', () => {
  const unchecked = transferOf({ mint: undefined, decimals: undefined });
  const content = contentWith([transferOf({ destination: alice }), unchecked]);
  const { leaving, change } = transfersOfSender(sender, content);
  assert.deepEqual([leaving, change], [[unchecked], -5n]);
});
