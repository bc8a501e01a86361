import { type Address, toAddress } from '../../../core/src/addresses/address.ts';
import { encodeTransaction, type MessageConfig } from '../../../core/src/transaction/encode-transaction.ts';
import { decodeTransaction, isStaticWritable } from '../../../sandbox/src/ledger/transaction-decoding.ts';

/** An account as one instruction names it. */
export interface Meta {
  address: Address;
  signer: boolean;
  writable: boolean;
}

/** One instruction, to be changed. */
export interface InstructionParts {
  program: Address;
  accounts: Meta[];
  data: Uint8Array;
}

/** A transaction in parts that can be changed and encoded again. */
export interface Parts {
  version: 'legacy' | 0 | 1;
  feePayer: Address;
  lifetimeToken: string;
  instructions: InstructionParts[];
  config: MessageConfig | undefined;
}

/** Takes a transaction apart, with the sandbox's reader. Every account keeps the rights that it has in the message. */
export function takeApart(bytes: Uint8Array): Parts {
  const decoded = decodeTransaction(bytes);
  const addresses = decoded.staticAddresses.map((each) => toAddress(each));
  const metas = addresses.map((address, index) => ({
    address,
    signer: index < decoded.header.numSignerAccounts,
    writable: isStaticWritable(decoded, index),
  }));
  const at = <Value>(list: readonly Value[], index: number): Value => {
    const value = list[index];
    if (value === undefined) throw new Error('an index is out of range');
    return value;
  };
  return {
    version: decoded.version,
    feePayer: at(addresses, 0),
    lifetimeToken: decoded.recentBlockhash,
    instructions: decoded.instructions.map(({ programIndex, accountIndices, data }) => ({
      program: at(addresses, programIndex),
      accounts: accountIndices.map((index) => ({ ...at(metas, index) })),
      data: Uint8Array.from(data),
    })),
    config: decoded.version === 1 ? readConfig(bytes, decoded.priorityFeeLamports, addresses.length) : undefined,
  };
}

// Version byte, three counts, mask, lifetime, two counts, the addresses; then fee, limit and size limit.
function readConfig(bytes: Uint8Array, priorityFee: bigint, addressCount: number): MessageConfig {
  const offset = 4 + 4 + 32 + 2 + 32 * addressCount + (priorityFee > 0n ? 8 : 0);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return {
    priorityFee,
    computeUnitLimit: view.getUint32(offset, true),
    loadedAccountsDataSizeLimit: view.getUint32(offset + 4, true),
  };
}

/** Encodes parts as an unsigned transaction. */
export function putTogether(parts: Parts): Uint8Array {
  return Uint8Array.from(encodeTransaction(parts));
}
