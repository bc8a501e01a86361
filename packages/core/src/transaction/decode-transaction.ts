import { type Address, addressFromBytes } from '../addresses/address.ts';
import { encodeBase58 } from '../addresses/base58.ts';
import { TransactionDecodeError } from '../bytes/byte-reader.ts';
import type { MessageConfig, TransactionVersion } from './encode-transaction.ts';
import { type AccountMeta, type Instruction, role } from './instruction.ts';
import { isSignerAt, isWritableAt, readTransactionLayout } from './transaction-layout.ts';

/** A transaction as its bytes say it. */
export interface DecodedTransaction {
  version: TransactionVersion;
  /** One 64-byte signature a signer, all zero where it is not signed. */
  signatures: readonly Uint8Array[];
  /** What the signers sign: a view of the bytes, not a copy. */
  message: Uint8Array;
  /** The accounts that must sign, fee payer first. */
  signers: readonly [Address, ...Address[]];
  /** Every account of the message, in its order, programs included; loaded ones come last. */
  accounts: readonly AccountMeta[];
  /** A blockhash, or the nonce where the first instruction advances one. */
  blockhash: string;
  /** The limits in the header of a version 1 message; what it leaves out is zero. */
  config: MessageConfig | undefined;
  instructions: readonly Instruction[];
  byteLength: number;
}

/** What address lookup tables gave to a transaction that landed, in the order of `meta.loadedAddresses` of a node. */
export interface LoadedAddresses {
  writable: readonly Address[];
  readonly: readonly Address[];
}

/**
 * Decodes a transaction of any version, signed or not.
 *
 * Throws a `TransactionDecodeError` for bytes that end early, that go on, or that point to accounts that are not there.
 * Accounts from address lookup tables cannot be known from the bytes, so a transaction that uses any is refused, unless all
 * of them are given.
 */
export function decodeTransaction(bytes: Uint8Array, loaded?: LoadedAddresses): DecodedTransaction {
  const layout = readTransactionLayout(bytes, loaded && loaded.writable.length + loaded.readonly.length);
  const take = (offset: number, length: number): Uint8Array => bytes.subarray(offset, offset + length);
  const accounts = Array.from({ length: layout.addressCount }, (_, index) => ({
    address: addressFromBytes(take(layout.addressesOffset + index * 32, 32)),
    signer: isSignerAt(layout, index),
    writable: isWritableAt(layout, index),
  }));
  if (loaded) {
    accounts.push(...loaded.writable.map(role.writable), ...loaded.readonly.map(role.readonly));
  }
  const [feePayer, ...otherSigners] = accounts.slice(0, layout.requiredSignatures).map(({ address }) => address);
  if (feePayer === undefined) throw new TransactionDecodeError('nobody signs');
  const { version, signaturesOffset, requiredSignatures } = layout;
  return {
    version,
    signatures: Array.from({ length: requiredSignatures }, (_, index) => take(signaturesOffset + index * 64, 64)),
    // In version 1 the signatures come last, otherwise first.
    message: version === 1 ? take(0, signaturesOffset) : bytes.subarray(signaturesOffset + requiredSignatures * 64),
    signers: [feePayer, ...otherSigners],
    accounts,
    blockhash: encodeBase58(take(layout.blockhashOffset, 32)),
    config: layout.config,
    instructions: layout.instructions.map((instruction) => ({
      program: accountAt(accounts, instruction.programIndex).address,
      accounts: Array.from(take(instruction.accountsOffset, instruction.accountCount), (index) =>
        accountAt(accounts, index),
      ),
      data: take(instruction.dataOffset, instruction.dataLength),
    })),
    byteLength: bytes.length,
  };
}

function accountAt(accounts: readonly AccountMeta[], index: number): AccountMeta {
  const account = accounts[index];
  if (account === undefined) throw new TransactionDecodeError(`account ${index} of ${accounts.length} is used`);
  return account;
}
