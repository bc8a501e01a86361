import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { asString, type RpcConfig } from './parameters.ts';
import { invalidParameters } from './rpc-errors.ts';
import type { DecodedInstruction } from './transaction-decoding.ts';
import { transactionSizeLimit } from './transaction-decoding.ts';
import type { Execution, ReturnData, TransactionRecord } from './transaction-history.ts';

const RUST_TRANSACTION = 'solana_transaction::versioned::VersionedTransaction';

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
      `${encoding} encoded ${RUST_TRANSACTION} too large: ${text.length} bytes (max: encoded/raw ${characterLimit}/4096)`,
    );
  }
  const bytes = encoding === 'base58' ? decodeBase58(text) : decodeBase64(text);
  const limit = transactionSizeLimit(bytes);
  if (bytes.length > limit) {
    throw invalidParameters(`decoded ${RUST_TRANSACTION} too large: ${bytes.length} bytes (max: ${limit} bytes)`);
  }
  return bytes;
}

/** Reads a message's base64 text. */
export function messageBytesOf(value: unknown): Uint8Array {
  return decodeBase64(asString(value));
}

function toUiInstruction(instruction: DecodedInstruction, stackHeight: number): unknown {
  return {
    programIdIndex: instruction.programIndex,
    accounts: instruction.accountIndices,
    data: getBase58Decoder().decode(instruction.data),
    stackHeight,
  };
}

/** Writes what programs called, for those instructions that called any. */
export function toUiInnerInstructions(execution: Execution): unknown[] {
  return execution.innerInstructions.flatMap((instructions, index) =>
    instructions.length === 0
      ? []
      : [{ index, instructions: instructions.map((each) => toUiInstruction(each, each.stackHeight)) }],
  );
}

/** Writes what a program handed back. */
export function toUiReturnData(returnData: ReturnData | null): unknown {
  if (returnData === null) return null;
  return { programId: returnData.programAddress, data: [Buffer.from(returnData.data).toString('base64'), 'base64'] };
}

/** Writes a record's `meta`. */
export function toUiMeta(record: TransactionRecord): unknown {
  return {
    err: record.error,
    status: record.error === null ? { Ok: null } : { Err: record.error },
    fee: record.fee,
    preBalances: record.preBalances,
    postBalances: record.postBalances,
    innerInstructions: toUiInnerInstructions(record),
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

/** Writes a record's transaction in an encoding of `getTransaction`. */
export function toUiTransaction(record: TransactionRecord, encoding: unknown): unknown {
  const { transaction } = record;
  if (encoding === 'base64') return [Buffer.from(transaction.bytes).toString('base64'), 'base64'];
  if (encoding === 'base58') return [getBase58Decoder().decode(transaction.bytes), 'base58'];
  if (encoding === 'binary') return getBase58Decoder().decode(transaction.bytes);
  const { header } = transaction;
  const signatures = transaction.signatures.map((bytes) => getBase58Decoder().decode(bytes));
  if (encoding === 'json') {
    const message = {
      header: {
        numRequiredSignatures: header.numSignerAccounts,
        numReadonlySignedAccounts: header.numReadonlySignerAccounts,
        numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
      },
      accountKeys: transaction.staticAddresses,
      recentBlockhash: transaction.recentBlockhash,
      instructions: transaction.instructions.map((each) => toUiInstruction(each, 1)),
      ...(transaction.version === 0
        ? {
            addressTableLookups: transaction.addressTableLookups.map((lookup) => ({
              accountKey: lookup.lookupTableAddress,
              writableIndexes: lookup.writableIndexes,
              readonlyIndexes: lookup.readonlyIndexes,
            })),
          }
        : {}),
    };
    return { signatures, message };
  }
  throw invalidParameters(`Invalid params: unknown variant \`${asString(encoding)}\`.`);
}
