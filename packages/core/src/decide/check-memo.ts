import { type Address, addressFromBytes, sol } from '../addresses/address.ts';
import { systemProgram } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import {
  computeLimitOfMemos,
  type InstructionCounts,
  maxComputeUnits,
  maxComputeUnitsWithoutMemo,
} from '../plan/compute-budget.ts';
import { planSize } from '../plan/plan-message.ts';
import { createsTokenAccount, mayCreateTokenAccount, type PaymentParts } from '../plan/transfer-plan.ts';
import { type Memo, parseMemo } from '../request/memo.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { transactionSizeLimit } from '../transaction/encode-transaction.ts';

/** What the size of a transaction with a memo depends on, all of it known before the chain is asked. */
export type MemoSurroundings = Pick<
  TransferRequest,
  | 'layout'
  | 'createTokenAccount'
  | 'from'
  | 'to'
  | 'mint'
  | 'feePayer'
  | 'version'
  | 'priorityFee'
  | 'nonceAccount'
  | 'references'
  | 'splits'
  | 'tip'
>;

/** Returns the finding when a memo has too many bytes or costs too much for the transaction of its request, otherwise undefined. */
export function checkMemo(memo: Memo, request: MemoSurroundings): Finding | undefined {
  const counts = countInstructions(request);
  const computeUnitLimit = computeLimitOfMemos(memo.computeUnits, counts);
  const tooLong =
    memo.bytes.length > minMemoRoom || request.splits.length > 0 || request.tip !== undefined
      ? checkLength(memo, request, computeUnitLimit)
      : undefined;
  // With less than the maximum there is enough for it.
  if (tooLong || computeUnitLimit !== maxComputeUnits) return tooLong;

  const computeUnits = memo.computeUnits;
  const maxMemoUnits = maxComputeUnits - maxComputeUnitsWithoutMemo(counts);
  if (computeUnits <= maxMemoUnits) return undefined;
  const context = { computeUnits, maxOfTransaction: maxComputeUnits, maxOfMemo: maxMemoUnits };
  return { code: 'memo_too_costly', field: 'memo', context };
}

function checkLength(memo: Memo, request: MemoSurroundings, computeUnitLimit: number | undefined): Finding | undefined {
  // Most memos fit as they are.
  if (memo.bytes.length <= memoRoom(request, computeUnitLimit !== undefined)) return undefined;
  const plainRoom = memoRoom(request, false);
  const isTooLongAnyway = memo.bytes.length > plainRoom;
  const needsLimit = isTooLongAnyway ? startNeedsLimit(memo, plainRoom, request) : computeUnitLimit !== undefined;
  const room = Math.max(needsLimit ? memoRoom(request, true) : plainRoom, 0);
  return { code: 'memo_too_long', field: 'memo', context: { byteLength: memo.bytes.length, maxByteLength: room } };
}

// A memo that is too long anyway is measured by the start of it that has room.
function startNeedsLimit({ text }: Memo, room: number, request: MemoSurroundings): boolean {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(room, 0)));
  const start = parseMemo(text.slice(0, read));
  return 'memo' in start && computeLimitOfMemos(start.memo.computeUnits, countInstructions(request)) !== undefined;
}

// Before the chain is asked: the accounts that are created for certain.
function countInstructions(request: MemoSurroundings): InstructionCounts {
  const { createTokenAccount, to, mint, splits } = request;
  const transfers = mint === sol ? 0 : 1 + splits.length;
  if (createTokenAccount !== 'always') return { transfers, creates: 0, memos: 1 };
  const created = new Set(splits.map((split) => split.to));
  if (mayCreateTokenAccount(request, 'to')) created.add(to);
  return { transfers, creates: created.size, memos: 1 };
}

/** The bytes of UTF-8 for which any transaction of at most ten references has room. */
export const minMemoRoom = 200;

/**
 * The most bytes of UTF-8 that a memo can have in the transaction of a request, without a transfer hook. May be negative.
 *
 * Where it depends on the chain whether token accounts are created, none are.
 *
 * `setsComputeUnitLimit`: whether the memo makes a compute limit necessary, which takes bytes of its own.
 */
export function memoRoom(request: MemoSurroundings, setsComputeUnitLimit: boolean): number {
  const { layout, version, from, nonceAccount } = request;
  const paysPriorityFee = request.priorityFee !== undefined;
  const setsLimit = setsComputeUnitLimit || paysPriorityFee || version === 1 || layout !== 'default';
  const nextStandIn = standInsFor(request);
  const [tokenProgram, senderTokenAccount, recipientTokenAccount] =
    request.mint === sol ? [systemProgram, from, request.to] : [nextStandIn(), nextStandIn(), nextStandIn()];
  const splits = standInSplits(request, recipientTokenAccount, nextStandIn);
  const size = planSize({
    layout,
    version,
    feePayer: request.feePayer,
    sender: from,
    mint: request.mint,
    tokenProgram,
    decimals: 0,
    senderTokenAccount,
    payments: [
      ...splits,
      {
        recipient: request.to,
        recipientTokenAccount,
        createsRecipientTokenAccount:
          mayCreateTokenAccount(request, 'to') && createsTokenAccount(request, request.to, true, splits),
        amount: 0n,
        memo: { text: '', bytes: new Uint8Array(), computeUnits: 0 },
        references: request.references,
        hookAccounts: [],
      },
    ],
    computeUnitLimit: setsLimit ? maxComputeUnits : undefined,
    computeUnitPrice: paysPriorityFee ? 1n : 0n,
    priorityFee: paysPriorityFee ? 1n : 0n,
    ...(request.tip && { tip: request.tip }),
    nonce: nonceAccount && { account: nonceAccount, authority: from, nonce: systemProgram },
  });
  const room = transactionSizeLimit(version) - size;
  // A length of 128 or more takes a second byte, except in version 1.
  return version === 1 || room < 128 ? room : room - 1;
}

function standInSplits(
  request: MemoSurroundings,
  recipientTokenAccount: Address,
  nextStandIn: () => Address,
): readonly PaymentParts[] {
  const tokenAccounts = new Map([[request.to, recipientTokenAccount]]);
  const splits: PaymentParts[] = [];
  for (const { to } of request.splits) {
    const tokenAccount = tokenAccounts.get(to) ?? (request.mint === sol ? to : nextStandIn());
    tokenAccounts.set(to, tokenAccount);
    splits.push({
      recipient: to,
      recipientTokenAccount: tokenAccount,
      createsRecipientTokenAccount: createsTokenAccount(request, to, true, splits),
      amount: 0n,
      memo: undefined,
      references: [],
      hookAccounts: [],
    });
  }
  return splits;
}

// For what is known only once the mint has been read: addresses that nothing in the request names, one at each call.
function standInsFor(request: MemoSurroundings): () => Address {
  const taken = [request.from, request.to, request.mint, request.feePayer, request.nonceAccount, ...request.references];
  for (const { to } of request.splits) taken.push(to);
  if (request.tip) taken.push(request.tip.account);
  let index = 0;
  const next = (): Address => {
    const address = standInAt(index++);
    return taken.includes(address) ? next() : address;
  };
  return next;
}

// Made once: to write an address takes longer than all the rest.
const madeStandIns: Address[] = [];

function standInAt(index: number): Address {
  const made = madeStandIns[index] ?? addressFromBytes(new Uint8Array(32).fill(index + 1));
  madeStandIns[index] = made;
  return made;
}
