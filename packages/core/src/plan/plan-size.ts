import { type Address, addressFromBytes } from '../addresses/address.ts';
import { systemProgram } from '../addresses/programs.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { transactionSize, transactionSizeLimit } from '../transaction/encode-transaction.ts';
import { maximumComputeUnits } from './compute-cost.ts';
import { toMessage } from './to-message.ts';
import type { MessageParts } from './transfer-plan.ts';

/** The bytes of the transaction that is built from a plan. */
export function planSize(plan: MessageParts): number {
  // Any lifetime token is as long as another.
  return transactionSize(toMessage(plan, systemProgram));
}

/** What the size of a transaction with a memo depends on, all of it known before the chain is asked. */
export type MemoSurroundings = Pick<
  TransferRequest,
  'createTokenAccount' | 'from' | 'to' | 'mint' | 'feePayer' | 'version' | 'priorityFee' | 'nonceAccount' | 'references'
>;

/** The bytes of UTF-8 for which any transaction of at most ten references has room. */
export const minMemoRoom = 200;

/**
 * The most bytes of UTF-8 that a memo can have in the transaction of a request, without a transfer hook. May be negative.
 *
 * `setsComputeUnitLimit`: whether the memo makes a compute limit necessary, which takes bytes of its own.
 */
export function memoRoom(request: MemoSurroundings, setsComputeUnitLimit: boolean): number {
  const { version, from, nonceAccount } = request;
  const paysPriorityFee = request.priorityFee !== undefined;
  const setsLimit = setsComputeUnitLimit || paysPriorityFee || version === 1;
  const [tokenProgram, senderTokenAccount, recipientTokenAccount] = standIns(request);
  const size = planSize({
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
    createsRecipientTokenAccount: request.createTokenAccount !== 'never',
    memo: { text: '', bytes: new Uint8Array(), computeUnits: 0 },
    computeUnitLimit: setsLimit ? maximumComputeUnits : undefined,
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

// For what is known only once the mint has been read: three addresses that nothing in the request names.
function standIns(request: MemoSurroundings): [Address, Address, Address] {
  const taken = [request.from, request.to, request.mint, request.feePayer, request.nonceAccount, ...request.references];
  let index = 0;
  const next = (): Address => {
    const address = standInAt(index++);
    return taken.includes(address) ? next() : address;
  };
  return [next(), next(), next()];
}

// Made once: to write an address takes longer than all the rest.
const madeStandIns: Address[] = [];

function standInAt(index: number): Address {
  const made = madeStandIns[index] ?? addressFromBytes(new Uint8Array(32).fill(index + 1));
  madeStandIns[index] = made;
  return made;
}
