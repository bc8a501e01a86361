import type { InstructionSummary, TransactionSummary } from 'splwright-core';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  formatAmount,
  memoProgram,
  memoProgramV1,
  quoteMemo,
  systemProgram,
  token2022Program,
  tokenAclProgram,
  tokenProgram,
  tokenProgramName,
} from 'splwright-core';
import { counted } from './amount-words.ts';

/** Names of addresses, shown next to them. */
export type Names = ReadonlyMap<string, string>;

const programNames: Names = new Map([
  [systemProgram, 'System program'],
  [tokenProgram, 'SPL Token'],
  [token2022Program, 'Token-2022'],
  [associatedTokenProgram, 'Associated Token Account program'],
  [memoProgram, 'Memo program'],
  [memoProgramV1, 'Memo program, version 1'],
  [computeBudgetProgram, 'Compute Budget program'],
  [tokenAclProgram, 'Token ACL program'],
]);

/** Returns an address, with its name if it has one. */
export function nameAddress(address: string, names: Names = new Map()): string {
  const name = names.get(address) ?? programNames.get(address);
  return name === undefined ? address : `${address} (${name})`;
}

/** An account of a transaction: its address, `signs` or empty, `writable` or empty, and what the transaction uses it for. */
export type AccountWords = readonly [address: string, signs: string, writable: string, uses: string];

/** Describes the accounts of a transaction, in their order. */
export function describeAccounts(summary: TransactionSummary): AccountWords[] {
  const uses = usesOf(summary);
  return summary.accounts.map(({ address, signer, writable }) => [
    address,
    signer ? 'signs' : '',
    writable ? 'writable' : '',
    [programNames.get(address), ...(uses.get(address) ?? [])].filter(Boolean).join(', '),
  ]);
}

function usesOf(summary: TransactionSummary): ReadonlyMap<string, readonly string[]> {
  const uses = new Map<string, string[]>([[summary.feePayer, ['fee payer']]]);
  const add = (address: string, use: string): void => {
    const known = uses.get(address) ?? [];
    if (!known.includes(use)) uses.set(address, [...known, use]);
  };
  for (const instruction of summary.instructions) {
    if (instruction.kind === 'transfer_checked') {
      add(instruction.authority, 'sender');
      add(instruction.source, "sender's token account");
      add(instruction.destination, "recipient's token account");
      add(instruction.mint, 'mint');
    } else if (instruction.kind === 'create_associated_token_account_idempotent') {
      add(instruction.owner, "recipient's wallet");
    } else if (instruction.kind === 'thaw_token_account') {
      add(instruction.gateProgram, 'gate program');
    }
  }
  return uses;
}

/** Describes an instruction: first what it does, then a line for each account that matters. */
export function describeInstruction(instruction: InstructionSummary, named: (address: string) => string): string[] {
  switch (instruction.kind) {
    case 'set_compute_unit_limit':
      return [`set the compute unit limit to ${instruction.computeUnitLimit}`];
    case 'set_compute_unit_price':
      return [`set the compute unit price to ${instruction.microLamports} micro-lamports`];
    case 'advance_nonce_account':
      return [
        `advance the nonce account ${named(instruction.nonceAccount)}`,
        `authority  ${named(instruction.authority)}`,
      ];
    case 'create_associated_token_account_idempotent':
      return [
        `create a token account of ${tokenProgramName(instruction.tokenProgram)}, unless it exists`,
        `account    ${named(instruction.tokenAccount)}`,
        `owner      ${named(instruction.owner)}`,
        `mint       ${named(instruction.mint)}`,
        `paid by    ${named(instruction.payer)}`,
      ];
    case 'thaw_token_account':
      return [
        'thaw a token account if it is frozen and the gate program agrees',
        `account    ${named(instruction.tokenAccount)}`,
        `owner      ${named(instruction.owner)}`,
        `mint       ${named(instruction.mint)}`,
        `asked by   ${named(instruction.caller)}`,
        `gate       ${named(instruction.gateProgram)}`,
        ...instruction.gateAccounts.map(
          ({ address, writable }) => `gate reads ${named(address)}${writable ? ', writable' : ''}`,
        ),
      ];
    case 'memo':
      return [
        `memo ${quoteMemo(instruction.text)}`,
        ...instruction.signers.map((signer) => `signed by  ${named(signer)}`),
      ];
    case 'transfer_checked':
      return [
        `transfer ${counted(formatAmount(instruction.amount, instruction.decimals), 'token')} ` +
          `(${counted(`${instruction.amount}`, 'base unit')}, ${counted(`${instruction.decimals}`, 'decimal')}) of ${tokenProgramName(instruction.tokenProgram)}`,
        `mint       ${named(instruction.mint)}`,
        `from       ${named(instruction.source)}`,
        `to         ${named(instruction.destination)}`,
        `authority  ${named(instruction.authority)}`,
        // Nothing in the bytes tells a reference from an account of a transfer hook.
        ...instruction.otherAccounts.map(
          ({ address, writable }) => `also gets  ${named(address)}${writable ? ', writable' : ''}`,
        ),
      ];
    case 'unknown':
      return [
        `an instruction of the program ${named(instruction.program)}, not known here`,
        `data       ${toHex(instruction.data) || '(none)'}`,
        ...instruction.accounts.map(
          ({ address, signer, writable }) =>
            `account    ${named(address)}${signer ? ', signer' : ''}${writable ? ', writable' : ''}`,
        ),
      ];
  }
}

/** Returns bytes as hexadecimal digits, two a byte. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
