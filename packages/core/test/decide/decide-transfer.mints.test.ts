import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '@solana/kit';
import { extension } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import type { Address } from '../../src/addresses/address.ts';
import { systemProgram } from '../../src/addresses/programs.ts';
import { maxComputeUnits, measuredComputeUnits } from '../../src/plan/compute-budget.ts';
import { hookValidationAddress } from '../../src/plan/resolve-hook-accounts.ts';
import {
  accountOf,
  contextIn,
  decideIn,
  foundIn,
  freshWallet,
  mintAccount,
  requestOf,
  tokenAccount,
} from '../chain-accounts.ts';
import { hookEntry, hookListOf, literalEntry } from '../hook-lists.ts';
import { memoOf } from '../random-plans.ts';

const request = requestOf({ memo: memoOf('hello') });
const hookProgram = freshWallet();
const hooked = mintAccount({
  extensions: [extension('TransferHook', { authority: address(systemProgram), programId: address(hookProgram) })],
});
const validation = hookValidationAddress(request.mint, hookProgram);

const sceneOf = (list: Account, others: readonly (readonly [Address, Account | null])[] = []) => ({
  mint: hooked,
  others: [[hookProgram, accountOf(freshWallet(), [], true)], [validation, list], ...others] as const,
});
/** Extra accounts derived from one seed each, of which a hook runs with one more where no memo is demanded. */
const derivedEntries = (count: number) => Array.from({ length: count }, (_, index) => hookEntry([1, 1, 1, index]));
const listed = (entries: readonly number[][]) => accountOf(hookProgram, hookListOf(...entries));

test('a hook of which nothing was read is needed with its list, and then what its list points to', () => {
  assert.deepEqual(decideIn(request, { mint: hooked }), { needs: [hookProgram, validation] });
  const pointed = freshWallet();
  // The second account's address stands in the data of the first.
  const list = listed([literalEntry(pointed), hookEntry([2, 2, 5, 0])]);
  assert.deepEqual(decideIn(request, sceneOf(list)), { needs: [pointed] });
});

test('a memo counts against the memory of a hook only where the recipient demands it', () => {
  const most = decideIn(request, sceneOf(listed(derivedEntries(15))));
  assert.ok('plan' in most);
  assert.equal(most.plan.hookAccounts.length, 17);
  assert.deepEqual(contextIn(request, sceneOf(listed(derivedEntries(16)))), {
    mint: request.mint,
    fault: { kind: 'too_many_accounts', count: 16, max: 15, demandedMemoBytes: 0 },
  });
  const demanding = tokenAccount(request.mint, request.to, {
    extensions: [extension('MemoTransfer', { requireIncomingTransferMemos: true })],
  });
  const scene = { ...sceneOf(listed(derivedEntries(15))), recipientTokenAccount: demanding };
  assert.deepEqual(contextIn(request, scene), {
    mint: request.mint,
    fault: { kind: 'too_many_accounts', count: 15, max: 14, demandedMemoBytes: 5 },
  });
  const fewer = decideIn(request, { ...sceneOf(listed(derivedEntries(14))), recipientTokenAccount: demanding });
  assert.ok('plan' in fewer && fewer.payments[0].tokenAccount.state?.requiresMemo);
});

test('a memo may take what the transfer leaves of the most compute units, with a hook and without one', () => {
  const scene = sceneOf(listed([]));
  const withoutMemo = decideIn({ ...request, memo: undefined }, scene);
  assert.ok('plan' in withoutMemo);
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
    const fee = (basisPoints: number, from: bigint) => ({
      epoch: from,
      maximumFee: 1_000_000n,
      transferFeeBasisPoints: basisPoints,
    });
    const config = extension('TransferFeeConfig', {
      transferFeeConfigAuthority: address(systemProgram),
      withdrawWithheldAuthority: address(systemProgram),
      withheldAmount: 0n,
      olderTransferFee: fee(100, 1n),
      newerTransferFee: fee(200, epoch),
    });
    const decision = decideIn(request, { mint: mintAccount({ extensions: [config] }) });
    assert.ok('plan' in decision);
    return decision.plan.transferFee;
  };
  // The clock of a scene is of epoch 700.
  assert.deepEqual([feeFrom(700n), feeFrom(701n)], [30_000n, 15_000n]);
});

test('a token account that is yet to be made demands no memo', () => {
  const decision = decideIn(requestOf({ createTokenAccount: 'always' }), { recipientTokenAccount: null });
  assert.ok('plan' in decision);
  assert.deepEqual(
    [decision.payments[0].tokenAccount.state, decision.plan.recipientTokenAccountExists],
    [undefined, false],
  );
  const there = decideIn(request);
  assert.ok('plan' in there);
  assert.equal(there.plan.recipientTokenAccountExists, true);
});

test('a mint of which a part was not read may have rules that nobody knows', () => {
  const scene = { mint: { ...mintAccount(), space: 600_000 } };
  assert.deepEqual(foundIn(request, scene), ['mint_too_large mint']);
  assert.deepEqual(contextIn(request, scene), { mint: request.mint, byteLength: 600_000, readByteLength: 82 });
});
