import type { Address } from './address.ts';
import type { Instruction } from './instruction.ts';

/** The accounts of a message, in the order that its header counts by, and where each instruction finds its own. */
export interface CompiledAccounts {
  /** Writable signers, fee payer first, then readonly signers, writable accounts, readonly accounts. */
  addresses: readonly Address[];
  requiredSignatures: number;
  readonlySigners: number;
  readonlyNonSigners: number;
  /** The place of each instruction's program among the addresses. */
  programIndices: readonly number[];
  /** The places of all instructions' accounts, one instruction after another. */
  accountIndices: readonly number[];
}

// A role is a number, so that two of one account are merged by an `or` and sorted by their size.
const signer = 0b10;
const writable = 0b01;
const roles = [signer | writable, signer, writable, 0];

/** Gives each account of some instructions the one role that all of them need, and its place in the message. */
export function compileAccounts(feePayer: Address, instructions: readonly Instruction[]): CompiledAccounts {
  const merged: Address[] = [feePayer];
  const mergedRoles: number[] = [signer | writable];
  const add = (address: Address, role: number): number => {
    const known = merged.indexOf(address);
    if (known === -1) {
      mergedRoles.push(role);
      return merged.push(address) - 1;
    }
    mergedRoles[known] = (mergedRoles[known] ?? 0) | role;
    return known;
  };
  const accountIndices: number[] = [];
  for (const { accounts } of instructions) {
    for (const meta of accounts) {
      accountIndices.push(add(meta.address, (meta.signer ? signer : 0) | (meta.writable ? writable : 0)));
    }
  }
  const programIndices = instructions.map(({ program }) => add(program, 0));

  const places: number[] = mergedRoles.map(() => 0);
  const addresses: Address[] = [];
  const counts = roles.map((role) => {
    const before = addresses.length;
    for (const [index, address] of merged.entries()) {
      if (mergedRoles[index] === role) places[index] = addresses.push(address) - 1;
    }
    return addresses.length - before;
  });
  const [writableSigners = 0, readonlySigners = 0, , readonlyNonSigners = 0] = counts;
  const toPlace = (index: number): number => places[index] ?? 0;
  return {
    addresses,
    requiredSignatures: writableSigners + readonlySigners,
    readonlySigners,
    readonlyNonSigners,
    programIndices: programIndices.map(toPlace),
    accountIndices: accountIndices.map(toPlace),
  };
}
