import { type Address, addressFromBytes } from '../addresses/address.ts';
import { systemProgram } from '../addresses/programs.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { compileAccounts } from '../transaction/compile-accounts.ts';
import { transactionSize, transactionSizeLimit } from '../transaction/encode-transaction.ts';
import { maxComputeUnits } from './compute-cost.ts';
import { toMessage } from './to-message.ts';
import { createsTokenAccount } from './token-account-creation.ts';
import type { MessageParts, PaymentParts } from './transfer-plan.ts';

/** The bytes of the transaction that is built from a plan. */
export function planSize(plan: MessageParts): number {
  // Any lifetime token is as long as another.
  return transactionSize(toMessage(plan, systemProgram));
}

/** How many accounts the transaction has that is built from a plan. */
export function planAccountCount(plan: MessageParts): number {
  const { feePayer, instructions } = toMessage(plan, systemProgram);
  return compileAccounts(feePayer, instructions).addresses.length;
}

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
>;

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
  const setsLimit = setsComputeUnitLimit || paysPriorityFee || version === 1 || layout === 'x402';
  const nextStandIn = standInsFor(request);
  const [tokenProgram, senderTokenAccount, recipientTokenAccount] = [nextStandIn(), nextStandIn(), nextStandIn()];
  const splits = standInSplits(request, recipientTokenAccount, nextStandIn);
  const size = planSize({
    layout,
    version,
    feePayer: request.feePayer,
    sender: from,
    recipient: request.to,
    mint: request.mint,
    tokenProgram,
    decimals: 0,
    amount: 0n,
    senderTokenAccount,
    recipientTokenAccount,
    createsRecipientTokenAccount: createsTokenAccount(request, request.to, true, splits),
    splits,
    memo: { text: '', bytes: new Uint8Array(), computeUnits: 0 },
    computeUnitLimit: setsLimit ? maxComputeUnits : undefined,
    computeUnitPrice: paysPriorityFee ? 1n : 0n,
    priorityFee: paysPriorityFee ? 1n : 0n,
    nonce: nonceAccount && { account: nonceAccount, authority: from, nonce: systemProgram },
    references: request.references,
    hookAccounts: [],
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
  if (request.splits.length === 0) return noSplits;
  const tokenAccounts = new Map([[request.to, recipientTokenAccount]]);
  const splits: PaymentParts[] = [];
  for (const { to } of request.splits) {
    const tokenAccount = tokenAccounts.get(to) ?? nextStandIn();
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

const noSplits: readonly PaymentParts[] = [];

// For what is known only once the mint has been read: addresses that nothing in the request names, one at each call.
function standInsFor(request: MemoSurroundings): () => Address {
  const taken = [request.from, request.to, request.mint, request.feePayer, request.nonceAccount, ...request.references];
  for (const { to } of request.splits) taken.push(to);
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
