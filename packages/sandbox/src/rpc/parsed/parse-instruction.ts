import type { Address } from '@solana/kit';
import type { DecodedInstruction } from '../../ledger/transaction-decoding.ts';
import { toUiTokenAmount } from '../../ledger/ui-token-amount.ts';
import { ByteReader, decodeUtf8 } from './byte-reader.ts';
import { extensionName } from './token-extensions.ts';

/** What an instruction does: its kind and members, or, for a memo, its text. */
type ParsedInstruction = { type: string; info: object } | string;

/** An instruction as `jsonParsed` shows it. */
interface InstructionInWords {
  /** The name of the program in a validator's JSON. */
  program: string;
  parsed: ParsedInstruction;
}

/** Reads one kind of instruction. Throws when the bytes or the accounts are too few. */
type InstructionReader = (data: ByteReader, accounts: readonly Address[]) => ParsedInstruction;

/** How a program's instructions are read. */
interface ProgramReader {
  program: string;
  /** Undefined for an instruction that a transfer does not have. */
  readerOf(data: ByteReader): InstructionReader | undefined;
}

function accountAt(accounts: readonly Address[], index: number): Address {
  const account = accounts[index];
  if (account === undefined) throw new RangeError(`the instruction has no account ${index}`);
  return account;
}

function namedAccounts(accounts: readonly Address[], names: readonly string[]): Record<string, Address> {
  return Object.fromEntries(names.map((name, index) => [name, accountAt(accounts, index)]));
}

/** A reader of an instruction with these accounts and contents. */
function kind(
  type: string,
  names: readonly string[],
  contents: (data: ByteReader) => object = () => ({}),
): InstructionReader {
  return (data, accounts) => ({ type, info: { ...namedAccounts(accounts, names), ...contents(data) } });
}

/** A reader of a token transfer: the accounts, then its authority, or the multisig and its signers. */
function tokenTransfer(
  type: string,
  names: readonly string[],
  contents: (data: ByteReader) => object,
): InstructionReader {
  return (data, accounts) => {
    const authority = accountAt(accounts, names.length);
    const signers = accounts.slice(names.length + 1);
    const authorities = signers.length === 0 ? { authority } : { multisigAuthority: authority, signers };
    return { type, info: { ...namedAccounts(accounts, names), ...contents(data), ...authorities } };
  };
}

/** The System program's, by their u32 number. */
const systemInstructions: Readonly<Record<number, InstructionReader>> = {
  0: kind('createAccount', ['source', 'newAccount'], (data) => ({
    lamports: data.u64(),
    space: data.u64(),
    owner: data.address(),
  })),
  1: kind('assign', ['account'], (data) => ({ owner: data.address() })),
  2: kind('transfer', ['source', 'destination'], (data) => ({ lamports: data.u64() })),
  4: kind('advanceNonce', ['nonceAccount', 'recentBlockhashesSysvar', 'nonceAuthority']),
  8: kind('allocate', ['account'], (data) => ({ space: data.u64() })),
};

const associatedTokenAccounts = ['source', 'account', 'wallet', 'mint', 'systemProgram', 'tokenProgram'];

/** The Associated Token program's, by their first byte. */
const associatedTokenInstructions: Readonly<Record<number, InstructionReader>> = {
  0: kind('create', associatedTokenAccounts),
  1: kind('createIdempotent', associatedTokenAccounts),
};

const transferredAccounts = ['source', 'mint', 'destination'];

/** Those of SPL Token and Token-2022 that move tokens or make a token account, by their first byte. */
const tokenInstructions: Readonly<Record<number, InstructionReader>> = {
  3: tokenTransfer('transfer', ['source', 'destination'], (data) => ({ amount: data.u64().toString() })),
  12: tokenTransfer('transferChecked', transferredAccounts, (data) => {
    const amount = data.u64();
    return { tokenAmount: toUiTokenAmount(amount, { decimals: data.u8() }) };
  }),
  18: kind('initializeAccount3', ['account', 'mint'], (data) => ({ owner: data.address() })),
  21: kind('getAccountDataSize', ['mint'], (data) => {
    const extensionTypes = Array.from({ length: Math.floor(data.left / 2) }, () => extensionName(data.u16()));
    return extensionTypes.length === 0 ? {} : { extensionTypes };
  }),
  22: kind('initializeImmutableOwner', ['account']),
};

const transferWithFee = tokenTransfer('transferCheckedWithFee', transferredAccounts, (data) => {
  const [amount, decimals, fee] = [data.u64(), data.u8(), data.u64()];
  return { tokenAmount: toUiTokenAmount(amount, { decimals }), feeAmount: toUiTokenAmount(fee, { decimals }) };
});

const transferFeeExtension = 26;
const transferWithFeeOfExtension = 1;

const memo: ProgramReader = { program: 'spl-memo', readerOf: () => (data) => decodeUtf8(data.bytes(data.left)) };

const token: ProgramReader = {
  program: 'spl-token',
  readerOf(data) {
    const instruction = data.u8();
    if (instruction !== transferFeeExtension) return tokenInstructions[instruction];
    return data.u8() === transferWithFeeOfExtension ? transferWithFee : undefined;
  },
};

/** The programs of a transfer. */
const programs: Readonly<Record<string, ProgramReader>> = {
  '11111111111111111111111111111111': { program: 'system', readerOf: (data) => systemInstructions[data.u32()] },
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: {
    program: 'spl-associated-token-account',
    // No data means the first.
    readerOf: (data) => associatedTokenInstructions[data.left === 0 ? 0 : data.u8()],
  },
  Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo: memo,
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: memo,
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: token,
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: token,
};

/** Reads an instruction of a transfer in the words of its program; undefined when it is another, or cannot be read. */
export function parseInstruction(
  instruction: DecodedInstruction,
  addresses: readonly Address[],
): InstructionInWords | undefined {
  const programAddress = addresses[instruction.programIndex] ?? '';
  const known = Object.hasOwn(programs, programAddress) ? programs[programAddress] : undefined;
  if (known === undefined) return undefined;
  const accounts = instruction.accountIndices.map((index) => addresses[index]).filter((each) => each !== undefined);
  const data = new ByteReader(instruction.data);
  try {
    const read = known.readerOf(data);
    return read && { program: known.program, parsed: read(data, accounts) };
  } catch {
    // An instruction with too few bytes or accounts is shown as it is.
    return undefined;
  }
}
