import type { Address } from '@solana/kit';
import type { ByteReader } from './byte-reader.ts';
import type { ParsedInstruction } from './parsed-data.ts';

/** An instruction's accounts and data, as its reader takes them. */
export interface InstructionContext {
  accounts: readonly Address[];
  data: ByteReader;
}

/** Reads one kind of instruction. Throws when the bytes or the accounts are too few. */
export type InstructionReader = (context: InstructionContext) => ParsedInstruction;

/** Returns an instruction's accounts by these names. */
export function namedAccounts({ accounts }: InstructionContext, ...names: readonly string[]): Record<string, Address> {
  return Object.fromEntries(names.map((name, index) => [name, accountAt(accounts, index)]));
}

/** Returns one of an instruction's accounts. Throws RangeError. */
export function accountAt(accounts: readonly Address[], index: number): Address {
  const account = accounts[index];
  if (account === undefined) throw new RangeError(`the instruction has no account ${index}`);
  return account;
}

/** Returns the account that signs for an instruction, or, where signers follow it, the multisig and these. */
export function authorityOf({ accounts }: InstructionContext, index: number, name: string): Record<string, unknown> {
  const authority = accountAt(accounts, index);
  const signers = accounts.slice(index + 1);
  if (signers.length === 0) return { [name]: authority };
  return { [`multisig${name.charAt(0).toUpperCase()}${name.slice(1)}`]: authority, signers };
}
