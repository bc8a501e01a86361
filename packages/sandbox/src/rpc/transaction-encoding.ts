import { type Address, getBase58Decoder, getBase58Encoder } from '@solana/kit';
import {
  type DecodedInstruction,
  type DecodedTransaction,
  isStaticWritable,
  transactionSizeLimit,
} from '../ledger/transaction-decoding.ts';
import type { Execution, ReturnData, TransactionRecord } from '../ledger/transaction-history.ts';
import { asString, type RpcConfig } from './parameters.ts';
import { invalidParameters } from './rpc-errors.ts';

const rustTransaction = 'solana_transaction::versioned::VersionedTransaction';

function decodeBase64(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw invalidParameters('invalid base64 encoding: InvalidByte');
  return Uint8Array.from(bytes);
}

function decodeBase58(text: string): Uint8Array {
  try {
    return Uint8Array.from(getBase58Encoder().encode(text));
  } catch {
    throw invalidParameters('invalid base58 encoding: InvalidCharacter');
  }
}

/** Reads a transaction's text in the encoding that the configuration names, base58 without one. */
export function transactionBytesOf(value: unknown, config: RpcConfig): Uint8Array {
  const text = asString(value);
  const encoding = config.encoding ?? 'base58';
  if (encoding !== 'base58' && encoding !== 'base64') {
    throw invalidParameters(`unsupported encoding: ${asString(encoding)}. Supported encodings: base58, base64`);
  }
  // Base58 takes quadratic time: a validator looks at the length of the text first, and so at the greatest limit here.
  const characterLimit = 5600;
  if (text.length > characterLimit) {
    throw invalidParameters(
      `${encoding} encoded ${rustTransaction} too large: ${text.length} bytes (max: encoded/raw ${characterLimit}/4096)`,
    );
  }
  const bytes = encoding === 'base58' ? decodeBase58(text) : decodeBase64(text);
  const limit = transactionSizeLimit(bytes);
  if (bytes.length > limit) {
    throw invalidParameters(`decoded ${rustTransaction} too large: ${bytes.length} bytes (max: ${limit} bytes)`);
  }
  return bytes;
}

/** Reads a message's base64 text. */
export function messageBytesOf(value: unknown): Uint8Array {
  return decodeBase64(asString(value));
}

/** Writes one instruction; the height is 1 for a transaction's own. */
type InstructionWriter = (instruction: DecodedInstruction, stackHeight: number) => unknown;

const toCompiledInstruction: InstructionWriter = (instruction, stackHeight) => ({
  programIdIndex: instruction.programIndex,
  accounts: instruction.accountIndices,
  data: getBase58Decoder().decode(instruction.data),
  stackHeight,
});

/** Writes instructions with addresses in place of indices, as a validator writes those that it cannot parse. */
function partiallyDecodedWriter(addresses: readonly Address[]): InstructionWriter {
  return (instruction, stackHeight) => ({
    programId: addresses[instruction.programIndex],
    accounts: instruction.accountIndices.map((index) => addresses[index]),
    data: getBase58Decoder().decode(instruction.data),
    stackHeight,
  });
}

function writeInnerInstructions(execution: Execution, write: InstructionWriter): unknown[] {
  return execution.innerInstructions.flatMap((instructions, index) =>
    instructions.length === 0
      ? []
      : [{ index, instructions: instructions.map((each) => write(each, each.stackHeight)) }],
  );
}

/** Writes what programs called, for those instructions that called any. */
export function toUiInnerInstructions(execution: Execution): unknown[] {
  return writeInnerInstructions(execution, toCompiledInstruction);
}

/** Writes what a program handed back. */
export function toUiReturnData(returnData: ReturnData | null): unknown {
  if (returnData === null) return null;
  return { programId: returnData.programAddress, data: [Buffer.from(returnData.data).toString('base64'), 'base64'] };
}

/** Writes a record's `meta` beside a transaction in that encoding. */
export function toUiMeta(record: TransactionRecord, encoding: string): unknown {
  const write = encoding === 'jsonParsed' ? partiallyDecodedWriter(record.addresses) : toCompiledInstruction;
  return {
    err: record.error,
    status: record.error === null ? { Ok: null } : { Err: record.error },
    fee: record.fee,
    preBalances: record.preBalances,
    postBalances: record.postBalances,
    innerInstructions: writeInnerInstructions(record, write),
    logMessages: record.logs,
    preTokenBalances: record.preTokenBalances,
    postTokenBalances: record.postTokenBalances,
    rewards: [],
    loadedAddresses: record.loadedAddresses,
    ...(record.returnData === null ? {} : { returnData: toUiReturnData(record.returnData) }),
    computeUnitsConsumed: record.unitsConsumed,
    costUnits: record.unitsConsumed,
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

/** Every instruction is written as one that could not be parsed, which a validator may do with any. */
function toParsedMessage({ transaction, addresses, loadedAddresses }: TransactionRecord): unknown {
  const staticCount = transaction.staticAddresses.length;
  const write = partiallyDecodedWriter(addresses);
  return {
    accountKeys: addresses.map((pubkey, index) => ({
      pubkey,
      signer: index < transaction.header.numSignerAccounts,
      writable:
        index < staticCount
          ? isStaticWritable(transaction, index)
          : index < staticCount + loadedAddresses.writable.length,
      source: index < staticCount ? 'transaction' : 'lookupTable',
    })),
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

/** Writes a record's transaction in an encoding of `getTransaction`. */
export function toUiTransaction(record: TransactionRecord, encoding: string): unknown {
  const { transaction } = record;
  const signatures = () => transaction.signatures.map((bytes) => getBase58Decoder().decode(bytes));
  switch (encoding) {
    case 'base64':
      return [Buffer.from(transaction.bytes).toString('base64'), encoding];
    case 'base58':
      return [getBase58Decoder().decode(transaction.bytes), encoding];
    case 'binary':
      return getBase58Decoder().decode(transaction.bytes);
    case 'json':
      return { signatures: signatures(), message: toJsonMessage(record) };
    case 'jsonParsed':
      return { signatures: signatures(), message: toParsedMessage(record) };
    default:
      throw invalidParameters(`Invalid params: unknown variant \`${encoding}\`.`);
  }
}
