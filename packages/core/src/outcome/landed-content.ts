import type { Address } from '../addresses/address.ts';
import { transferPrograms } from '../addresses/programs.ts';
import type { DecodedTransaction } from '../transaction/decode-transaction.ts';
import type { Instruction } from '../transaction/instruction.ts';
import { lamportTransferOf, type TokenTransfer, tokenTransfersOf } from './token-transfer.ts';
import { lifetimeOf, memosOf, type TransferIntent } from './transfer-intent.ts';

/** A transfer of a landed transaction. */
export interface LandedTransfer extends TokenTransfer {
  /**
   * What the transaction's own instruction that made it was handed, and none of the `transferPrograms` was: a smart wallet may be handed the
   * references in the transfer's place. Signers are left out.
   */
  handed: readonly Address[];
}

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
  transfers: readonly LandedTransfer[];
  /** The transfers of SOL of every depth, as if token accounts were source and destination. */
  lamportTransfers: readonly LandedTransfer[];
  /** The memos of every depth, in the order of execution. */
  memos: readonly string[];
  /** Every address that it names, in the order in which its instructions do; those that none uses come last. */
  named: ReadonlySet<Address>;
  /** Whether the calls between programs are known: without them transfers and memos may be missing. */
  hasCalls: boolean;
}

/** Returns the content of a transaction of which the SOL that it moves is looked at, in place of its tokens. */
export function contentOfSol(content: LandedContent): LandedContent {
  return { ...content, transfers: content.lamportTransfers };
}

/** What programs called in a transaction, by the index of its own instruction, in order. */
export type ProgramCalls = ReadonlyMap<number, readonly Instruction[]>;

/** Returns what a landed transaction says that it does. `calls` is `undefined` where a node did not keep them. */
export function landedContent(decoded: DecodedTransaction, calls: ProgramCalls | undefined): LandedContent {
  const { instructions, accounts, signers } = decoded;
  const executed = instructions.flatMap((instruction, index) => [instruction, ...(calls?.get(index) ?? [])]);
  const made = (read: (instruction: Instruction) => readonly TokenTransfer[]): readonly LandedTransfer[] =>
    instructions.flatMap((own, index) => landedTransfers(own, calls?.get(index) ?? [], read));
  const named = [...executed.flatMap((instruction) => instruction.accounts), ...accounts];
  return {
    message: Uint8Array.from(decoded.message),
    lifetime: lifetimeOf(decoded),
    feePayer: signers[0],
    instructions,
    transfers: made(tokenTransfersOf),
    lamportTransfers: made(lamportTransferOf),
    memos: memosOf(executed),
    named: new Set(named.map(({ address }) => address)),
    hasCalls: calls !== undefined,
  };
}

function landedTransfers(
  own: Instruction,
  calls: readonly Instruction[],
  read: (instruction: Instruction) => readonly TokenTransfer[],
): readonly LandedTransfer[] {
  const transfers = [own, ...calls].flatMap(read);
  if (transfers.length === 0) return [];
  const used = new Set<Address>();
  for (const { source, mint, destination, authority, references } of transfers) {
    for (const each of [source, mint ?? source, destination, authority, ...references]) used.add(each);
  }
  for (const { program, accounts } of calls) {
    used.add(program);
    // Another program may hand on what it was handed.
    if (transferPrograms.has(program)) for (const { address } of accounts) used.add(address);
  }
  const handed = own.accounts.filter(({ address, signer }) => !signer && !used.has(address));
  return transfers.map((transfer) => ({ ...transfer, handed: handed.map(({ address }) => address) }));
}
