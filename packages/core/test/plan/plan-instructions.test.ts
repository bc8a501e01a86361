import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoInstruction } from '@solana/spl-memo';
import { createAssociatedTokenAccountIdempotentInstruction, createTransferCheckedInstruction } from '@solana/spl-token';
import { ComputeBudgetProgram, PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { planInstructions } from '../../src/plan/plan-message.ts';
import type { Payment, TransferPlan } from '../../src/plan/transfer-plan.ts';
import { role } from '../../src/transaction/instruction.ts';
import { nonceOf } from '../random-option-plans.ts';
import { freshAddress, memoOf, paymentOf, planWith } from '../random-plans.ts';

const key = (address: string): PublicKey => new PublicKey(address);
const memo = memoOf('Rechnung 4711');
const [mint, reference, hookAccount, writableHookAccount] = Array.from({ length: 4 }, freshAddress);
assert.ok(mint && reference && hookAccount && writableHookAccount);

const plan = planWith({ mint, memo, feePayer: freshAddress(), computeUnitLimit: 123_456, computeUnitPrice: 2n ** 40n });
const split = paymentOf(plan, { recipient: freshAddress(), amount: 2n ** 63n + 7n });

// What the reference libraries make of the parts of a plan.
const advance = (nonce: NonNullable<TransferPlan['nonce']>): TransactionInstruction =>
  SystemProgram.nonceAdvance({ noncePubkey: key(nonce.account), authorizedPubkey: key(nonce.authority) });
const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 123_456 });
const price = (microLamports: bigint): TransactionInstruction =>
  ComputeBudgetProgram.setComputeUnitPrice({ microLamports });
const text = createMemoInstruction(memo.text, [key(plan.sender)]);
const create = ({ recipient, recipientTokenAccount }: Payment): TransactionInstruction =>
  createAssociatedTokenAccountIdempotentInstruction(
    key(plan.feePayer),
    key(recipientTokenAccount),
    key(recipient),
    key(mint),
    key(plan.tokenProgram),
  );
function transfer({ recipientTokenAccount, amount }: Payment, ...others: { address: string; writable: boolean }[]) {
  const [source, destination, owner] = [plan.senderTokenAccount, recipientTokenAccount, plan.sender].map(key);
  assert.ok(source && destination && owner);
  const program = key(plan.tokenProgram);
  const made = createTransferCheckedInstruction(source, key(mint ?? ''), destination, owner, amount, 6, [], program);
  for (const { address, writable } of others) {
    made.keys.push({ pubkey: key(address), isSigner: false, isWritable: writable });
  }
  return made;
}

function assertInstructions(of: TransferPlan, expected: readonly TransactionInstruction[]): void {
  assert.deepEqual(
    planInstructions(of).map(({ program, accounts, data }) => ({ program, accounts, data: [...data] })),
    expected.map(({ programId, keys, data }) => ({
      program: programId.toBase58(),
      accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({
        address: pubkey.toBase58(),
        signer: isSigner,
        writable: isWritable,
      })),
      data: [...data],
    })),
  );
}

test('a bare transfer is one instruction', () => {
  const bare = { ...plan, memo: undefined, computeUnitLimit: undefined, computeUnitPrice: 0n };
  assertInstructions(bare, [transfer(bare)]);
});

test('a nonce is advanced first, the compute budget follows, and the memo stands directly before the transfer', () => {
  const nonce = nonceOf(freshAddress());
  assertInstructions({ ...plan, nonce }, [advance(nonce), limit, price(2n ** 40n), text, transfer(plan)]);
  assertInstructions({ ...plan, computeUnitPrice: 1n }, [limit, price(1n), text, transfer(plan)]);
  assertInstructions({ ...plan, computeUnitPrice: 0n }, [limit, text, transfer(plan)]);
});

test('in version 1 no instruction sets the compute budget', () => {
  assertInstructions({ ...plan, version: 1 }, [text, transfer(plan)]);
  assertInstructions({ ...plan, version: 0 }, [limit, price(2n ** 40n), text, transfer(plan)]);
});

test('splits come before the payment itself, each after the token account that it creates', () => {
  const budget = [limit, price(2n ** 40n)];
  const created = { ...split, createsRecipientTokenAccount: true };
  assertInstructions({ ...plan, splits: [split] }, [...budget, transfer(split), text, transfer(plan)]);
  assertInstructions({ ...plan, createsRecipientTokenAccount: true, splits: [created, split] }, [
    ...budget,
    create(created),
    transfer(created),
    transfer(split),
    create(plan),
    text,
    transfer(plan),
  ]);
});

test('a split may have a memo of its own, directly before its transfer, and references of its own', () => {
  const bare = { ...plan, memo: undefined, computeUnitLimit: undefined, computeUnitPrice: 0n };
  assertInstructions({ ...bare, splits: [{ ...split, memo, references: [reference] }, split] }, [
    text,
    transfer(split, { address: reference, writable: false }),
    transfer(split),
    transfer(bare),
  ]);
});

test('references follow the accounts of their transfer, and what a hook needs follows them', () => {
  const hookAccounts = [role.readonly(hookAccount), role.writable(writableHookAccount)];
  const own = [
    { address: hookAccount, writable: false },
    { address: writableHookAccount, writable: true },
  ];
  const others = [{ address: reference, writable: false }, ...own];
  const bare = { ...plan, memo: undefined, computeUnitLimit: undefined, computeUnitPrice: 0n };
  assertInstructions({ ...bare, references: [reference], hookAccounts, splits: [{ ...split, hookAccounts }] }, [
    transfer(split, ...own),
    transfer(bare, ...others),
  ]);
});

test('the x402 layout sets a price even of 0, and has the memo last', () => {
  const x402 = { ...plan, layout: 'x402' } as const;
  assertInstructions(x402, [limit, price(2n ** 40n), transfer(plan), text]);
  assertInstructions({ ...x402, computeUnitPrice: 0n, memo: undefined }, [limit, price(0n), transfer(plan)]);
});
