import type { Address } from '@solana/kit';
import type { DecodedInstruction } from '../../ledger/transaction-decoding.ts';
import { ByteReader } from './byte-reader.ts';
import type { InstructionReader } from './instruction-context.ts';
import type { ParsedInstruction } from './parsed-data.ts';
import { associatedTokenInstructions, lookupTableInstructions, systemInstructions } from './system-instructions.ts';
import { tokenInstructions } from './token-instructions.ts';

/** An instruction as `jsonParsed` shows it. */
interface InstructionInWords {
  /** The name of the program in a validator's JSON. */
  program: string;
  /** A memo is its text. */
  parsed: ParsedInstruction | string;
}

/** How a program's instructions are read. */
interface ProgramReader {
  program: string;
  read(data: ByteReader, accounts: readonly Address[]): ParsedInstruction | string | undefined;
}

function readBy(reader: InstructionReader | undefined, data: ByteReader, accounts: readonly Address[]) {
  return reader?.({ accounts, data });
}

const memo: ProgramReader = {
  program: 'spl-memo',
  read: (data) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data.rest()),
};

const token: ProgramReader = {
  program: 'spl-token',
  read: (data, accounts) => readBy(tokenInstructions[data.u8()], data, accounts),
};

/** The programs whose instructions a validator puts into words, as far as this sandbox does. */
const programs: Readonly<Record<string, ProgramReader>> = {
  '11111111111111111111111111111111': {
    program: 'system',
    read: (data, accounts) => readBy(systemInstructions[data.u32()], data, accounts),
  },
  AddressLookupTab1e1111111111111111111111111: {
    program: 'address-lookup-table',
    read: (data, accounts) => readBy(lookupTableInstructions[data.u32()], data, accounts),
  },
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: {
    program: 'spl-associated-token-account',
    read: (data, accounts) => readBy(associatedTokenInstructions[data.left === 0 ? 0 : data.u8()], data, accounts),
  },
  Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo: memo,
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: memo,
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: token,
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: token,
};

/** Reads an instruction in the words of its program; undefined when it is of another program, or not understood. */
export function parseInstruction(
  instruction: DecodedInstruction,
  addresses: readonly Address[],
): InstructionInWords | undefined {
  const programAddress = addresses[instruction.programIndex] ?? '';
  const known = Object.hasOwn(programs, programAddress) ? programs[programAddress] : undefined;
  if (known === undefined) return undefined;
  const accounts = instruction.accountIndices.map((index) => addresses[index]).filter((each) => each !== undefined);
  try {
    const parsed = known.read(new ByteReader(instruction.data), accounts);
    return parsed === undefined ? undefined : { program: known.program, parsed };
  } catch {
    // What the bytes or the accounts are too few for is shown as it is.
    return undefined;
  }
}
