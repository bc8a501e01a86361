import { verify } from 'node:crypto';
import {
  type Address,
  address,
  type Blockhash,
  blockhash,
  getAddressEncoder,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Signature,
  signature,
  type Transaction,
} from '@solana/kit';
import { publicKeyFromBytes } from './keypair.ts';

/** One instruction of a decoded transaction; indices count static addresses first, then looked-up ones. */
export interface DecodedInstruction {
  programIndex: number;
  accountIndices: readonly number[];
  data: Uint8Array;
}

/** Addresses that a version 0 message takes from one lookup table. */
export interface AddressTableLookup {
  lookupTableAddress: Address;
  writableIndexes: readonly number[];
  readonlyIndexes: readonly number[];
}

/** A message read back from its bytes. */
export interface DecodedMessage {
  messageBytes: Uint8Array;
  version: 'legacy' | 0 | 1;
  header: {
    numSignerAccounts: number;
    numReadonlySignerAccounts: number;
    numReadonlyNonSignerAccounts: number;
  };
  staticAddresses: readonly Address[];
  instructions: readonly DecodedInstruction[];
  addressTableLookups: readonly AddressTableLookup[];
  recentBlockhash: Blockhash;
  /** What a version 1 message pays for priority, in lamports; 0 in others, whose instructions say it. */
  priorityFeeLamports: bigint;
}

/** A transaction read back from its bytes. */
export interface DecodedTransaction extends DecodedMessage {
  bytes: Uint8Array;
  transaction: Transaction;
  /** The first signature: the transaction's name. */
  signature: Signature;
  /** In the order of the signers; 64 zero bytes where one is missing. */
  signatures: readonly Uint8Array[];
}

/** Thrown for bytes that are no transaction; the message is in a validator's words. */
export class TransactionDecodingError extends Error {}

/** The packet limit of legacy and version 0 transactions (`PACKET_DATA_SIZE`: 1,280 less 48 bytes of headers). */
const maxPacketBytes = 1232;

/** The limit of version 1 transactions (SIMD-0296). */
const maxVersion1Bytes = 4096;

const version1FirstByte = 129;

/** The two lowest bits of a version 1 message's mask: it gives a priority fee, which stands first. */
const priorityFeeMask = 0b11;

/** The greatest length in bytes of a transaction that begins with these bytes. */
export function transactionSizeLimit(bytes: Uint8Array): number {
  return bytes[0] === version1FirstByte ? maxVersion1Bytes : maxPacketBytes;
}

/** Returns whether a message may write to the account at this index among its own addresses. */
export function isStaticWritable({ header, staticAddresses }: DecodedMessage, index: number): boolean {
  return index < header.numSignerAccounts
    ? index < header.numSignerAccounts - header.numReadonlySignerAccounts
    : index < staticAddresses.length - header.numReadonlyNonSignerAccounts;
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

function failed(type: 'Transaction' | 'Message', reason: string): TransactionDecodingError {
  const rustType = type === 'Transaction' ? 'solana_transaction::versioned::VersionedTransaction' : 'VersionedMessage';
  return new TransactionDecodingError(`failed to deserialize ${rustType}: ${reason}`);
}

/** Reads a message; throws `TransactionDecodingError` unless the bytes are exactly one canonical message. */
export function decodeMessage(messageBytes: Uint8Array): DecodedMessage {
  let compiled: ReturnType<ReturnType<typeof getCompiledTransactionMessageDecoder>['decode']>;
  let canonical: Uint8Array;
  try {
    compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
    canonical = Uint8Array.from(getCompiledTransactionMessageEncoder().encode(compiled));
  } catch {
    throw failed('Message', 'io error: failed to fill whole buffer');
  }
  if (!sameBytes(canonical, messageBytes)) {
    throw failed('Message', 'the bytes are not the canonical encoding of one message');
  }
  const instructions =
    compiled.version === 1
      ? compiled.instructionHeaders.map((header, index) => ({
          programIndex: header.programAccountIndex,
          accountIndices: compiled.instructionPayloads[index]?.instructionAccountIndices ?? [],
          data: Uint8Array.from(compiled.instructionPayloads[index]?.instructionData ?? []),
        }))
      : compiled.instructions.map((instruction) => ({
          programIndex: instruction.programAddressIndex,
          accountIndices: instruction.accountIndices ?? [],
          data: Uint8Array.from(instruction.data ?? []),
        }));
  const priorityFee =
    compiled.version === 1 && (compiled.configMask & priorityFeeMask) !== 0 ? compiled.configValues[0] : undefined;
  return {
    messageBytes,
    version: compiled.version,
    header: compiled.header,
    staticAddresses: compiled.staticAccounts,
    instructions,
    addressTableLookups: compiled.version === 0 ? (compiled.addressTableLookups ?? []) : [],
    recentBlockhash: blockhash(compiled.lifetimeToken),
    priorityFeeLamports: BigInt(priorityFee?.value ?? 0n),
  };
}

function assertIndicesInRange(message: DecodedMessage): void {
  const lookedUp = message.addressTableLookups.flatMap((lookup) => [
    ...lookup.writableIndexes,
    ...lookup.readonlyIndexes,
  ]);
  const addressCount = message.staticAddresses.length + lookedUp.length;
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = message.header;
  const sound =
    numReadonlySignerAccounts < numSignerAccounts &&
    numSignerAccounts + numReadonlyNonSignerAccounts <= message.staticAddresses.length &&
    message.instructions.every(
      ({ programIndex, accountIndices }) =>
        programIndex > 0 &&
        programIndex < message.staticAddresses.length &&
        accountIndices.every((index) => index < addressCount),
    );
  if (!sound) {
    throw new TransactionDecodingError(
      'invalid transaction: Transaction failed to sanitize accounts offsets correctly',
    );
  }
}

/**
 * Reads a transaction as a validator does: within the packet limit, canonical, nothing after its end, indices in range.
 * Throws `TransactionDecodingError`. Signatures are not verified here.
 */
export function decodeTransaction(bytes: Uint8Array): DecodedTransaction {
  const limit = transactionSizeLimit(bytes);
  if (bytes.length > limit) {
    throw new TransactionDecodingError(
      `decoded solana_transaction::versioned::VersionedTransaction too large: ${bytes.length} bytes (max: ${limit} bytes)`,
    );
  }
  let transaction: Transaction;
  let canonical: Uint8Array;
  try {
    transaction = getTransactionDecoder().decode(bytes);
    canonical = Uint8Array.from(getTransactionEncoder().encode(transaction));
  } catch {
    throw failed('Transaction', 'io error: failed to fill whole buffer');
  }
  if (!sameBytes(canonical, bytes)) {
    throw failed('Transaction', 'the bytes are not the canonical encoding of one transaction');
  }
  const message = decodeMessage(Uint8Array.from(transaction.messageBytes));
  assertIndicesInRange(message);
  const signatures = message.staticAddresses
    .slice(0, message.header.numSignerAccounts)
    .map((signer) => Uint8Array.from(transaction.signatures[signer] ?? new Uint8Array(64)));
  const first = signatures[0];
  if (first === undefined) throw failed('Transaction', 'a transaction needs a signature');
  return { ...message, bytes, transaction, signature: signature(getBase58Decoder().decode(first)), signatures };
}

/** Returns whether every required signature is there and valid. */
export function hasValidSignatures(transaction: DecodedTransaction): boolean {
  return transaction.signatures.every((bytes, index) => {
    const signer = address(transaction.staticAddresses[index] ?? '');
    return verify(
      null,
      transaction.messageBytes,
      publicKeyFromBytes(Uint8Array.from(getAddressEncoder().encode(signer))),
      bytes,
    );
  });
}
