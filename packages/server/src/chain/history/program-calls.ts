import {
  type DecodedTransaction,
  decodeBase58,
  type Instruction,
  isTokenProgram,
  memoPrograms,
  type ProgramCalls,
} from 'splwright-core';
import { isRecord, readU64 } from '../json-values.ts';
import { malformed } from '../upstream-faults.ts';

// Programs can hand 10 KiB to one another. Nothing that pays or remarks is so long, and base58 takes its time.
const maxDataLength = 1_400;

/**
 * Reads `innerInstructions` of a transaction: what programs called in it, by the index of its own instruction.
 *
 * Data are read of the token and memo programs only. `undefined` where the node kept none, or where data of theirs are too long
 * to be read. Throws `upstream_error` when it is malformed.
 */
export function readProgramCalls(value: unknown, decoded: DecodedTransaction): ProgramCalls | undefined {
  if (value === null) return undefined;
  if (!Array.isArray(value)) throw malformed('the calls of its transaction are no list');
  const calls = new Map<number, readonly Instruction[]>();
  let isTooLong = false;
  for (const entry of value) {
    if (!isRecord(entry) || !Array.isArray(entry.instructions)) throw malformed('a call of its transaction is malformed');
    const index = Number(readU64(entry.index, 'index'));
    if (index >= decoded.instructions.length || calls.has(index)) {
      throw malformed('a call is of no instruction of its transaction');
    }
    const read = entry.instructions.map((instruction) => readCall(instruction, decoded));
    isTooLong ||= read.includes(undefined);
    calls.set(
      index,
      read.filter((call) => call !== undefined),
    );
  }
  return isTooLong ? undefined : calls;
}

const noData = new Uint8Array();

/** Reads one call; `undefined` when its data are too long. */
function readCall(value: unknown, { accounts }: DecodedTransaction): Instruction | undefined {
  if (!isRecord(value) || !Array.isArray(value.accounts)) throw malformed('a call of its transaction is malformed');
  const accountAt = (index: unknown) => {
    const account = accounts[Number(readU64(index, 'account index'))];
    if (!account) throw malformed('a call uses no account of its transaction');
    return account;
  };
  const program = accountAt(value.programIdIndex).address;
  const used = value.accounts.map(accountAt);
  const { data } = value;
  if (typeof data !== 'string') throw malformed('the data of a call are no text');
  if (!isTokenProgram(program) && !memoPrograms.includes(program)) return { program, accounts: used, data: noData };
  if (data.length > maxDataLength) return undefined;
  const read = decodeBase58(data);
  if ('invalidAt' in read) throw malformed('the data of a call are not base58');
  return { program, accounts: used, data: read.bytes };
}
