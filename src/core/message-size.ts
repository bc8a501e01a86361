import type { Address } from './address.ts';
import { transactionSizeLimit } from './encode-transaction.ts';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  recentBlockhashesSysvar,
  systemProgram,
} from './programs.ts';
import type { Operation, TransferOptions } from './transfer-plan.ts';

/** What the size of a transaction with a memo depends on, all of it known before the chain is asked. */
export interface MessageShape {
  operation: Operation;
  from: Address;
  to: Address;
  mint: Address;
  options: Pick<TransferOptions, 'feePayer' | 'version' | 'priorityFee' | 'nonceAccount' | 'references'>;
  setsComputeUnitLimit: boolean;
}

// Not addresses, so that they count beside every real one: what is known only once the mint has been read.
const placeholders = ['token program', 'sender token account', 'recipient token account'];

/** The bytes of UTF-8 that a memo can have in any transaction of at most ten references, whatever its shape. */
export const leastMemoByteLimit = 200;

/**
 * The most bytes of UTF-8 that a memo can have in a transaction of this shape, without a transfer hook. May be negative.
 *
 * Counts what the encoder writes; a test holds the two together.
 */
export function memoByteLimit(shape: MessageShape): number {
  const { options } = shape;
  const addresses = new Set<string>([shape.from, options.feePayer, shape.mint, memoProgram, ...placeholders]);
  for (const reference of options.references) addresses.add(reference);
  // Accounts and data of each instruction: the transfer, then the memo without its own bytes.
  const instructions = [
    { accounts: 4 + options.references.length, data: 10 },
    { accounts: 1, data: 0 },
  ];
  if (shape.operation === 'create_transfer') {
    for (const address of [shape.to, systemProgram, associatedTokenProgram]) addresses.add(address);
    instructions.push({ accounts: 6, data: 1 });
  }
  if (options.nonceAccount !== undefined) {
    for (const address of [options.nonceAccount, systemProgram, recentBlockhashesSysvar]) addresses.add(address);
    instructions.push({ accounts: 3, data: 4 });
  }
  const setsPrice = options.priorityFee !== undefined;
  if (options.version !== 1 && (shape.setsComputeUnitLimit || setsPrice)) {
    addresses.add(computeBudgetProgram);
    instructions.push({ accounts: 0, data: 5 });
    if (setsPrice) instructions.push({ accounts: 0, data: 9 });
  }

  const signers = options.feePayer === shape.from ? 1 : 2;
  const payload = instructions.reduce((total, { accounts, data }) => total + accounts + data, 0);
  const bytes = 64 * signers + 3 + 32 * addresses.size + 32 + payload;
  const room = transactionSizeLimit(options.version) - bytes;
  if (options.version === 1) {
    // Version byte, mask, two counts, limits, and a header of four bytes for each instruction.
    return room - 1 - 4 - 2 - 8 - (setsPrice ? 8 : 0) - 4 * instructions.length;
  }
  // Counts of signatures, addresses and instructions; program index, account count and data length of each instruction.
  const left = room - 3 - 3 * instructions.length - (options.version === 0 ? 2 : 0);
  // A memo of 128 bytes or more takes a second byte for its length.
  return left < 128 ? left : left - 1;
}
