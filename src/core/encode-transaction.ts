import { type Address, addressToBytes, toAddress } from './address.ts';
import type { AccountMeta, Instruction } from './instruction.ts';

/** The largest legacy or version 0 transaction that a validator takes (`PACKET_DATA_SIZE`: IPv6 MTU less headers). */
export const transactionSizeLimit = 1232;

interface CompiledAccounts {
  addresses: readonly Address[];
  indexOf: ReadonlyMap<Address, number>;
  requiredSignatures: number;
  readonlySigners: number;
  readonlyNonSigners: number;
}

/**
 * Encodes an unsigned legacy transaction: one slot of 64 zero bytes a signer, then the message, fee payer first.
 *
 * The result may be larger than `transactionSizeLimit`: that is the caller's to judge.
 */
export function encodeTransaction(
  feePayer: Address,
  instructions: readonly Instruction[],
  blockhash: string,
): Uint8Array {
  const accounts = compileAccounts(feePayer, instructions);
  const bytes: number[] = [];
  appendCompactU16(bytes, accounts.requiredSignatures);
  for (let index = 0; index < accounts.requiredSignatures * 64; index++) bytes.push(0);

  bytes.push(accounts.requiredSignatures, accounts.readonlySigners, accounts.readonlyNonSigners);
  appendCompactU16(bytes, accounts.addresses.length);
  for (const address of accounts.addresses) append(bytes, addressToBytes(address));
  append(bytes, addressToBytes(toAddress(blockhash)));

  appendCompactU16(bytes, instructions.length);
  for (const instruction of instructions) {
    bytes.push(indexIn(accounts, instruction.program));
    appendCompactU16(bytes, instruction.accounts.length);
    for (const account of instruction.accounts) bytes.push(indexIn(accounts, account.address));
    appendCompactU16(bytes, instruction.data.length);
    append(bytes, instruction.data);
  }
  return Uint8Array.from(bytes);
}

function compileAccounts(feePayer: Address, instructions: readonly Instruction[]): CompiledAccounts {
  const merged = new Map<Address, AccountMeta>([[feePayer, { address: feePayer, signer: true, writable: true }]]);
  const add = (meta: AccountMeta): void => {
    const known = merged.get(meta.address);
    merged.set(meta.address, {
      address: meta.address,
      signer: meta.signer || known?.signer === true,
      writable: meta.writable || known?.writable === true,
    });
  };
  for (const instruction of instructions) for (const account of instruction.accounts) add(account);
  for (const { program } of instructions) add({ address: program, signer: false, writable: false });

  // The order that the message header counts by: writable signers, readonly signers, writable, readonly.
  const rank = (meta: AccountMeta): number => (meta.signer ? 0 : 2) + (meta.writable ? 0 : 1);
  const ordered = [...merged.values()].sort((a, b) => rank(a) - rank(b));
  return {
    addresses: ordered.map((meta) => meta.address),
    indexOf: new Map(ordered.map((meta, index) => [meta.address, index])),
    requiredSignatures: ordered.filter((meta) => meta.signer).length,
    readonlySigners: ordered.filter((meta) => meta.signer && !meta.writable).length,
    readonlyNonSigners: ordered.filter((meta) => !meta.signer && !meta.writable).length,
  };
}

function indexIn(accounts: CompiledAccounts, address: Address): number {
  const index = accounts.indexOf.get(address);
  if (index === undefined) throw new Error(`account ${address} was not compiled into the message`);
  return index;
}

function append(bytes: number[], more: Uint8Array): void {
  for (const byte of more) bytes.push(byte);
}

// The runtime's variable-length integer: seven bits a byte, least significant first, at most three bytes.
function appendCompactU16(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>= 7;
  }
  bytes.push(rest);
}
