import {
  type InstructionSummary,
  systemProgram,
  token2022Program,
  tokenAclProgram,
  tokenProgram,
} from 'splwright-core';
import { programNames } from './transaction-words.ts';

// Codes of the token programs (token `interface/src/error.rs`, token-2022 `interface/src/error.rs`).
const tokenErrors: Readonly<Record<number, string>> = {
  0: 'the account would not be rent-exempt',
  1: 'the balance is too small',
  2: 'the mint is not valid',
  3: 'the account belongs to another mint',
  4: 'the owner does not match',
  17: 'the account is frozen',
  18: "the decimals differ from the mint's",
  32: 'the calculated fee differs from the expected one',
  36: 'the recipient requires a memo in the instruction before',
  37: 'tokens of this mint cannot be transferred',
  49: 'the recipient takes confidential transfers only',
  67: 'the mint is paused',
};
// `TokenAclError` of the Token ACL program (token-acl `program/src/error.rs`).
const tokenAclErrors: Readonly<Record<number, string>> = {
  5: 'the gate program is another one now',
  6: 'the issuer no longer lets anyone thaw',
};
const systemErrors: Readonly<Record<number, string>> = { 1: 'the payer has too few lamports' };

const instructionNames: Readonly<Record<InstructionSummary['kind'], string>> = {
  advance_nonce_account: 'advancing the nonce',
  set_compute_unit_limit: 'setting the compute unit limit',
  set_compute_unit_price: 'setting the compute unit price',
  create_associated_token_account_idempotent: 'creating the token account',
  thaw_token_account: 'thawing the token account',
  memo: 'the memo',
  transfer_checked: 'the transfer',
  transfer_sol: 'the transfer of SOL',
  sync_native: 'counting the wrapped SOL',
  close_account: 'closing the token account',
  unknown: 'an instruction',
};

/**
 * Describes in a sentence which instruction of which program failed in a simulation, and why.
 *
 * `error` is the node's own JSON of the transaction error. The program is the innermost that failed, as the logs name it:
 * the same number means another thing to each program.
 */
export function describeSimulationError(
  error: unknown,
  logs: readonly string[],
  instructions: readonly InstructionSummary[],
): string {
  const failure = readInstructionError(error);
  if (!failure) {
    // What is left to the end, such as the rents of the accounts, has the logs of the instructions before it.
    const when = logs.length > 0 ? 'after its instructions had run' : 'before any instruction ran';
    return `The simulation failed ${when}: ${toText(error)}.`;
  }
  const kind = instructions[failure.index]?.kind ?? 'unknown';
  const program = innermostFailedProgram(logs);
  const by = program === undefined ? '' : ` by ${nameOf(program)}`;
  return `The simulation failed at instruction ${failure.index + 1}, ${instructionNames[kind]}${by}: ${describeInstructionError(failure.error, program)}.`;
}

// Why a transaction did not run at all, and yet is in a block (SIMD-0290): its fee payer could not pay.
const unpaidErrors: Readonly<Record<string, string>> = {
  AccountNotFound: 'has no account',
  InvalidAccountForFee: 'has an account that cannot pay fees',
  InsufficientFundsForFee: 'has less than the fee',
  InsufficientFundsForRent: 'would have less than the rent-exempt minimum after the fee',
};

/**
 * Describes in a sentence which instruction of a transaction failed on chain, and why.
 *
 * Without logs the innermost program is not known: what a number means is said of the token program of the transfer alone.
 * `feeLamports` is what was paid: without a fee the transaction is in its block, and was not executed.
 */
export function describeChainError(
  error: unknown,
  instructions: readonly InstructionSummary[],
  feeLamports: bigint,
): string {
  const failure = readInstructionError(error);
  const unpaid = feeLamports === 0n ? readUnpaidError(error) : undefined;
  if (unpaid !== undefined) {
    const why = `Its fee payer ${unpaidErrors[unpaid]} (${unpaid})`;
    return `${why}, so it was not executed and cost nothing. The same bytes can never land.`;
  }
  if (!failure) return `The transaction failed as a whole: ${toText(error)}.`;
  const instruction = instructions[failure.index];
  const name = instructionNames[instruction?.kind ?? 'unknown'];
  const program = instruction?.kind === 'transfer_checked' ? instruction.tokenProgram : undefined;
  const by = program === undefined ? '' : ` by ${nameOf(program)}`;
  return `Instruction ${failure.index + 1} failed, ${name}${by}: ${describeInstructionError(failure.error, program)}.`;
}

function readInstructionError(error: unknown): { index: number; error: unknown } | undefined {
  if (typeof error !== 'object' || error === null || !('InstructionError' in error)) return undefined;
  const pair = error.InstructionError;
  if (!Array.isArray(pair) || typeof pair[0] !== 'number') return undefined;
  return { index: pair[0], error: pair[1] };
}

/** Returns the name of the error when it is one by which a fee payer cannot pay, otherwise undefined. */
function readUnpaidError(error: unknown): string | undefined {
  const name = typeof error === 'object' && error !== null ? Object.keys(error)[0] : error;
  return typeof name === 'string' && Object.hasOwn(unpaidErrors, name) ? name : undefined;
}

function innermostFailedProgram(logs: readonly string[]): string | undefined {
  for (const line of logs) {
    const program = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) failed/.exec(line)?.[1];
    if (program !== undefined) return program;
  }
  return undefined;
}

function describeInstructionError(error: unknown, program: string | undefined): string {
  if (typeof error === 'string') return error;
  const code = typeof error === 'object' && error !== null && 'Custom' in error ? error.Custom : undefined;
  if (typeof code !== 'number') return toText(error);
  const known =
    program === systemProgram
      ? systemErrors[code]
      : program === tokenProgram || program === token2022Program
        ? tokenErrors[code]
        : program === tokenAclProgram
          ? tokenAclErrors[code]
          : undefined;
  const number = `custom error 0x${code.toString(16)}`;
  return known === undefined ? number : `${known} (${number})`;
}

// A node's integers past 2^53 are `bigint`s here, which JSON does not know.
function toText(error: unknown): string {
  return JSON.stringify(error, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
}

function nameOf(program: string): string {
  const name = programNames.get(program);
  if (name === undefined) return `the program ${program}`;
  return name.includes('program') ? `the ${name}` : name;
}
