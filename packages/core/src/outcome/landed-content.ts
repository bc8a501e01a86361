import type { Address } from '../addresses/address.ts';
import type { DecodedTransaction } from '../transaction/decode-transaction.ts';
import type { Instruction } from '../transaction/instruction.ts';
import { messageIn } from './read-transaction.ts';
import { type TokenTransfer, tokenTransfersOf } from './token-transfer.ts';
import { lifetimeOf, memosOf, type TransferIntent } from './transfer-intent.ts';

/** What a landed transaction says that it does: its own instructions, and those that programs called in it. */
export interface LandedContent {
  /** The bytes that its signers signed. */
  message: Uint8Array;
  /** Its blockhash, or the account whose nonce it used. */
  lifetime: TransferIntent['lifetime'];
  feePayer: Address;
  /** Its own instructions. */
  instructions: readonly Instruction[];
  /** The token transfers of every depth, in the order of execution. */
  transfers: readonly TokenTransfer[];
  /** The memos of every depth, in the order of execution. */
  memos: readonly string[];
  /** Every address that it names, in the order in which its instructions do; those that none uses come last. */
  named: ReadonlySet<Address>;
  /** Whether the calls between programs are known: without them transfers and memos may be missing. */
  hasCalls: boolean;
}

/** What programs called in a transaction, by the index of its own instruction, in order. */
export type ProgramCalls = ReadonlyMap<number, readonly Instruction[]>;

/**
 * Returns what a landed transaction says that it does.
 *
 * `bytes` are those that were decoded; `calls` is `undefined` where a node did not keep them.
 */
export function landedContent(
  bytes: Uint8Array,
  decoded: DecodedTransaction,
  calls: ProgramCalls | undefined,
): LandedContent {
  const { instructions, accounts, signers } = decoded;
  const executed = instructions.flatMap((instruction, index) => [instruction, ...(calls?.get(index) ?? [])]);
  const named = [...executed.flatMap((instruction) => instruction.accounts), ...accounts];
  return {
    message: Uint8Array.from(messageIn(bytes, decoded)),
    lifetime: lifetimeOf(decoded),
    feePayer: signers[0],
    instructions,
    transfers: executed.flatMap(tokenTransfersOf),
    memos: memosOf(executed),
    named: new Set(named.map(({ address }) => address)),
    hasCalls: calls !== undefined,
  };
}
