import { type Address, getBase58Decoder } from '@solana/kit';
import type { TokenBalance } from '../../ledger/token-balances.ts';
import {
  type DecodedInstruction,
  type DecodedTransaction,
  isStaticWritable,
} from '../../ledger/transaction-decoding.ts';
import type { Execution, ReturnData, TransactionRecord } from '../../ledger/transaction-history.ts';
import { parseInstruction } from '../parsed/parse-instruction.ts';
import { unknownVariant } from './parameters.ts';

/** Writes one instruction; the height is 1 for a transaction's own. */
type InstructionWriter = (instruction: DecodedInstruction, stackHeight: number) => unknown;

const toCompiledInstruction: InstructionWriter = (instruction, stackHeight) => ({
  programIdIndex: instruction.programIndex,
  accounts: instruction.accountIndices,
  data: getBase58Decoder().decode(instruction.data),
  stackHeight,
});

/** Writes instructions in words, and those without words with addresses in place of indices. */
function parsedWriter(addresses: readonly Address[]): InstructionWriter {
  return (instruction, stackHeight) => {
    const inWords = parseInstruction(instruction, addresses);
    const programId = addresses[instruction.programIndex];
    if (inWords !== undefined) return { ...inWords, programId, stackHeight };
    return partiallyDecoded(instruction, addresses, stackHeight);
  };
}

function partiallyDecoded(
  instruction: DecodedInstruction,
  addresses: readonly Address[],
  stackHeight: number,
): unknown {
  return {
    programId: addresses[instruction.programIndex],
    accounts: instruction.accountIndices.map((index) => addresses[index]),
    data: getBase58Decoder().decode(instruction.data),
    stackHeight,
  };
}

function writeInnerInstructions(execution: Execution, write: InstructionWriter): unknown[] {
  return execution.innerInstructions.flatMap((instructions, index) =>
    instructions.length === 0
      ? []
      : [{ index, instructions: instructions.map((each) => write(each, each.stackHeight)) }],
  );
}

/** Writes the calls of programs in words, by the instructions that made any. */
export function toUiInnerInstructions(execution: Execution, addresses: readonly Address[]): unknown[] {
  return writeInnerInstructions(execution, parsedWriter(addresses));
}

/** Writes what a program returned. */
export function toUiReturnData(returnData: ReturnData | null): unknown {
  if (returnData === null) return null;
  return { programId: returnData.programAddress, data: [Buffer.from(returnData.data).toString('base64'), 'base64'] };
}

/** A validator reads balances of nothing back from its history without their number. */
function toStoredBalances(balances: readonly TokenBalance[]): unknown[] {
  return balances.map((balance) => {
    const { uiTokenAmount } = balance;
    return uiTokenAmount.uiAmount === 0 ? { ...balance, uiTokenAmount: { ...uiTokenAmount, uiAmount: null } } : balance;
  });
}

/** Writes a record's `meta` for a transaction in that encoding. */
export function toUiMeta(record: TransactionRecord, encoding: string): unknown {
  const isParsed = encoding === 'jsonParsed';
  const write = isParsed ? parsedWriter(record.addresses) : toCompiledInstruction;
  return {
    err: record.error,
    status: record.error === null ? { Ok: null } : { Err: record.error },
    fee: record.fee,
    preBalances: record.preBalances,
    postBalances: record.postBalances,
    preTokenBalances: toStoredBalances(record.preTokenBalances),
    postTokenBalances: toStoredBalances(record.postTokenBalances),
    innerInstructions: writeInnerInstructions(record, write),
    logMessages: record.logs,
    rewards: [],
    ...(!isParsed && { loadedAddresses: record.loadedAddresses }),
    ...(record.returnData !== null && { returnData: toUiReturnData(record.returnData) }),
    computeUnitsConsumed: record.unitsConsumed,
  };
}

function toJsonMessage({ transaction }: TransactionRecord): unknown {
  const { header } = transaction;
  return {
    header: {
      numRequiredSignatures: header.numSignerAccounts,
      numReadonlySignedAccounts: header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
    },
    accountKeys: transaction.staticAddresses,
    recentBlockhash: transaction.recentBlockhash,
    instructions: transaction.instructions.map((each) => toCompiledInstruction(each, 1)),
    ...toAddressTableLookups(transaction),
  };
}

/** Writes the accounts of a transaction with what it may do to each. */
function toUiAccountKeys({ transaction, addresses, loadedAddresses }: TransactionRecord): unknown[] {
  const staticCount = transaction.staticAddresses.length;
  return addresses.map((pubkey, index) => ({
    pubkey,
    signer: index < transaction.header.numSignerAccounts,
    writable:
      index < staticCount
        ? isStaticWritable(transaction, index)
        : index < staticCount + loadedAddresses.writable.length,
    source: index < staticCount ? 'transaction' : 'lookupTable',
  }));
}

function toParsedMessage(record: TransactionRecord): unknown {
  const { transaction, addresses } = record;
  const write = parsedWriter(addresses);
  return {
    accountKeys: toUiAccountKeys(record),
    recentBlockhash: transaction.recentBlockhash,
    instructions: transaction.instructions.map((each) => write(each, 1)),
    ...toAddressTableLookups(transaction),
  };
}

function toAddressTableLookups({ version, addressTableLookups }: DecodedTransaction): object {
  if (version !== 0) return {};
  return {
    addressTableLookups: addressTableLookups.map((lookup) => ({
      accountKey: lookup.lookupTableAddress,
      writableIndexes: lookup.writableIndexes,
      readonlyIndexes: lookup.readonlyIndexes,
    })),
  };
}

/** Encodings of a transaction, in the order in which a validator names them. */
const transactionEncodings = ['binary', 'base64', 'base58', 'json', 'jsonParsed'] as const;

/** Returns a transaction's signatures in base58. */
function toUiSignatures({ transaction }: TransactionRecord): string[] {
  return transaction.signatures.map((bytes) => getBase58Decoder().decode(bytes));
}

/** Writes a record's transaction in an encoding of `getTransaction`. */
export function toUiTransaction(record: TransactionRecord, encoding: string): unknown {
  const { transaction } = record;
  switch (encoding) {
    case 'base64':
      return [Buffer.from(transaction.bytes).toString('base64'), encoding];
    case 'base58':
      return [getBase58Decoder().decode(transaction.bytes), encoding];
    case 'binary':
      return getBase58Decoder().decode(transaction.bytes);
    case 'json':
      return { signatures: toUiSignatures(record), message: toJsonMessage(record) };
    case 'jsonParsed':
      return { signatures: toUiSignatures(record), message: toParsedMessage(record) };
    default:
      throw unknownVariant(encoding, transactionEncodings);
  }
}
