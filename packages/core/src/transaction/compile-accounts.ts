import type { Address } from '../addresses/address.ts';
import type { Instruction } from './instruction.ts';

/** The accounts of a message, in the order that its header counts by. */
export interface CompiledAccounts {
  /** Writable signers, fee payer first, then readonly signers, writable accounts, readonly accounts. */
  addresses: readonly Address[];
  requiredSignatures: number;
  readonlySigners: number;
  readonlyNonSigners: number;
  /** The index among the addresses of every account that an instruction is handed, one instruction after another. */
  accountIndices: readonly number[];
  /** The index of every instruction's program. */
  programIndices: readonly number[];
}

// A role is a number, so that two roles of one account are merged by an `or`.
const signer = 0b10;
const writable = 0b01;

/** Gives each account of some instructions the one role that all of them need, and its index in the message. */
export function compileAccounts(feePayer: Address, instructions: readonly Instruction[]): CompiledAccounts {
  const merged: Address[] = [feePayer];
  const roles: number[] = [signer | writable];
  const accounts: number[] = [];
  const programs: number[] = [];
  for (const instruction of instructions) {
    for (const meta of instruction.accounts) {
      const role = (meta.signer ? signer : 0) | (meta.writable ? writable : 0);
      accounts.push(merge(merged, roles, meta.address, role));
    }
  }
  for (const instruction of instructions) programs.push(merge(merged, roles, instruction.program, 0));

  const counts = [0, 0, 0, 0];
  for (const role of roles) counts[role] = (counts[role] ?? 0) + 1;
  const [readonlyNonSigners = 0, writableNonSigners = 0, readonlySigners = 0, writableSigners = 0] = counts;
  const requiredSignatures = writableSigners + readonlySigners;
  // Where the next account of each role goes.
  const next = [requiredSignatures + writableNonSigners, requiredSignatures, writableSigners, 0];
  const addresses = merged.slice();
  const finalIndices = roles.slice();
  for (let index = 0; index < merged.length; index++) {
    const role = roles[index] ?? 0;
    const accountIndex = next[role] ?? 0;
    next[role] = accountIndex + 1;
    finalIndices[index] = accountIndex;
    addresses[accountIndex] = merged[index] ?? feePayer;
  }
  for (let index = 0; index < accounts.length; index++) accounts[index] = finalIndices[accounts[index] ?? 0] ?? 0;
  for (let index = 0; index < programs.length; index++) programs[index] = finalIndices[programs[index] ?? 0] ?? 0;
  return {
    addresses,
    requiredSignatures,
    readonlySigners,
    readonlyNonSigners,
    accountIndices: accounts,
    programIndices: programs,
  };
}

function merge(merged: Address[], roles: number[], address: Address, role: number): number {
  const known = merged.indexOf(address);
  if (known === -1) {
    roles.push(role);
    return merged.push(address) - 1;
  }
  roles[known] = (roles[known] ?? 0) | role;
  return known;
}
