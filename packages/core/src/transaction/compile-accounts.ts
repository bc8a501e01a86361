import type { Address } from '../addresses/address.ts';
import type { Instruction } from './instruction.ts';

/** The accounts of a message, and where the order that its header counts by has them. */
export interface CompiledAccounts {
  /** Each once, fee payer first, as the instructions name them. */
  addresses: readonly Address[];
  /**
   * The index in the message of each of these addresses: writable signers come first, then readonly signers, writable
   * accounts, readonly accounts.
   */
  indices: readonly number[];
  requiredSignatures: number;
  readonlySigners: number;
  readonlyNonSigners: number;
  /** Of each instruction, one after another: the index in the message of its program, and those of its accounts. */
  instructionIndices: readonly number[];
}

// A role is a number, so that two roles of one account are merged by an `or`.
const signer = 0b10;
const writable = 0b01;

/** Gives each account of some instructions the one role that all of them need, and its index in the message. */
export function compileAccounts(feePayer: Address, instructions: readonly Instruction[]): CompiledAccounts {
  const addresses: Address[] = [feePayer];
  const roles: number[] = [signer | writable];
  const merged = new Array<number>(countIndices(instructions));
  // Without iterators: one whose loop calls something makes an object for each step, which took most of the memory of a build.
  let next = 0;
  let at = 0;
  for (let instruction = instructions[0]; instruction; instruction = instructions[++at]) {
    next++;
    const { accounts } = instruction;
    let position = 0;
    for (let account = accounts[0]; account; account = accounts[++position]) {
      const role = (account.signer ? signer : 0) | (account.writable ? writable : 0);
      merged[next++] = merge(addresses, roles, account.address, role);
    }
  }
  // Programs come after all other accounts.
  next = 0;
  at = 0;
  for (let instruction = instructions[0]; instruction; instruction = instructions[++at]) {
    merged[next] = merge(addresses, roles, instruction.program, 0);
    next += 1 + instruction.accounts.length;
  }

  const writableSigners = countOf(roles, signer | writable);
  const readonlySigners = countOf(roles, signer);
  const requiredSignatures = writableSigners + readonlySigners;
  const readonlyNonSigners = countOf(roles, 0);
  // Where the next account of each role goes.
  const nextOfRole = [roles.length - readonlyNonSigners, requiredSignatures, writableSigners, 0];
  // The role of an account gives way to its index.
  const indices = roles;
  for (let account = 0; account < roles.length; account++) {
    const role = roles[account] ?? 0;
    const index = nextOfRole[role] ?? 0;
    nextOfRole[role] = index + 1;
    indices[account] = index;
  }
  for (let index = 0; index < merged.length; index++) merged[index] = indices[merged[index] ?? 0] ?? 0;
  return { addresses, indices, requiredSignatures, readonlySigners, readonlyNonSigners, instructionIndices: merged };
}

function countIndices(instructions: readonly Instruction[]): number {
  let count = instructions.length;
  for (const { accounts } of instructions) count += accounts.length;
  return count;
}

function countOf(roles: readonly number[], wanted: number): number {
  let count = 0;
  for (let at = 0; at < roles.length; at++) if (roles[at] === wanted) count++;
  return count;
}

function merge(addresses: Address[], roles: number[], address: Address, role: number): number {
  const known = addresses.indexOf(address);
  if (known === -1) {
    roles.push(role);
    return addresses.push(address) - 1;
  }
  roles[known] = (roles[known] ?? 0) | role;
  return known;
}
