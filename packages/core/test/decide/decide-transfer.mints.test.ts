import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxComputeUnits, measuredComputeUnits } from '../../src/plan/compute-budget.ts';
import { hookValidationAddress } from '../../src/plan/resolve-hook-accounts.ts';
import {
  contextIn,
  decidedIn,
  decideIn,
  demandingMemos,
  feeMint,
  foundIn,
  freshWallet,
  memoOf,
  mintAccount,
  requestOf,
  tokenAccount,
} from '../fixtures.ts';
import { hookEntry, hookedMint, hookScene, literalEntry } from '../hooks.ts';

const request = requestOf({ memo: memoOf('hello') });
const hookProgram = freshWallet();
const validation = hookValidationAddress(request.mint, hookProgram);
const listed = (entries: readonly number[][]) => hookScene(request.mint, hookProgram, entries);
/** Extra accounts derived from one seed each, of which a hook runs with one more where no memo is demanded. */
const derivedEntries = (count: number) => Array.from({ length: count }, (_, index) => hookEntry([1, 1, 1, index]));

test('a hook of which nothing was read is needed with its list, and then what its list points to', () => {
  assert.deepEqual(decideIn(request, { mint: hookedMint(hookProgram) }), { needs: [hookProgram, validation] });
  const pointed = freshWallet();
  // The second account's address stands in the data of the first.
  const list = listed([literalEntry(pointed), hookEntry([2, 2, 5, 0])]);
  assert.deepEqual(decideIn(request, list), { needs: [pointed] });
});

test('a memo counts against the memory of a hook only where the recipient demands it', () => {
  assert.equal(decidedIn(request, listed(derivedEntries(15))).plan.hookAccounts.length, 17);
  assert.deepEqual(contextIn(request, listed(derivedEntries(16))), {
    mint: request.mint,
    fault: { kind: 'too_many_accounts', count: 16, max: 15, demandedMemoBytes: 0 },
  });
  const demanding = tokenAccount(request.mint, request.to, demandingMemos);
  const scene = { ...listed(derivedEntries(15)), recipientTokenAccount: demanding };
  assert.deepEqual(contextIn(request, scene), {
    mint: request.mint,
    fault: { kind: 'too_many_accounts', count: 15, max: 14, demandedMemoBytes: 5 },
  });
  const fewer = decidedIn(request, { ...listed(derivedEntries(14)), recipientTokenAccount: demanding });
  assert.ok(fewer.payments[0].tokenAccount.state?.requiresMemo);
});

test('a memo may take what the transfer leaves of the most compute units, with a hook and without one', () => {
  const scene = listed([]);
  const withoutMemo = decidedIn({ ...request, memo: undefined }, scene);
  const most = maxComputeUnits - measuredComputeUnits(withoutMemo.plan);
  const costing = (computeUnits: number) => ({ ...request, memo: { ...memoOf('hello'), computeUnits } });
  assert.ok('plan' in decideIn(costing(most), scene));
  assert.deepEqual(contextIn(costing(most + 1), scene), {
    mint: request.mint,
    fault: { kind: 'too_much_computation', computeUnits: 1_400_001, maxComputeUnits: 1_400_000 },
  });
  assert.deepEqual(contextIn(costing(2_000_000), {}), {
    computeUnits: 2_000_000 + 4 * 150 + 6_300,
    max: 1_400_000,
    hasMemo: true,
  });
});

test('the transfer fee is that of the epoch of the clock', () => {
  const feeFrom = (epoch: bigint): bigint => {
    const mint = feeMint(100, 200, { epoch, maximumFee: 1_000_000n });
    return decidedIn(request, { mint }).plan.transferFee;
  };
  // The clock of a scene is of epoch 700.
  assert.deepEqual([feeFrom(700n), feeFrom(701n)], [30_000n, 15_000n]);
});

test('a token account that is yet to be made demands no memo', () => {
  const missing = decidedIn(requestOf({ createTokenAccount: 'always' }), { recipientTokenAccount: null });
  assert.equal(missing.payments[0].tokenAccount.state, undefined);
  assert.equal(missing.plan.recipientTokenAccountExists, false);
  assert.equal(decidedIn(request).plan.recipientTokenAccountExists, true);
});

test('a mint of which a part was not read may have rules that nobody knows', () => {
  const scene = { mint: { ...mintAccount(), space: 600_000 } };
  assert.deepEqual(foundIn(request, scene), ['mint_too_large mint']);
  assert.deepEqual(contextIn(request, scene), { mint: request.mint, byteLength: 600_000, readByteLength: 82 });
});
