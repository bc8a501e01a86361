import type { InstructionSummary, TransactionSummary, Warning } from 'splwright-core';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  formatAmount,
  memoProgram,
  memoProgramV1,
  quoteMemo,
  systemProgram,
  token2022Program,
  tokenProgram,
  tokenProgramName,
  transactionSizeLimit,
  warnOfMemo,
  warnOfNonce,
} from 'splwright-core';
import { wordWarning } from '../../wire/words/warning-words.ts';
import { formatTable } from '../table.ts';

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
]);

/** Describes a transaction in words, one line for each fact. */
export function describeTransaction(summary: TransactionSummary, names: Names = new Map()): string[] {
  const named = (address: string): string => {
    const name = names.get(address) ?? programNames.get(address);
    return name === undefined ? address : `${address} (${name})`;
  };
  const { config } = summary;
  const signed = `${summary.signatureCount} of ${summary.signers.length} signed`;
  return [
    `${versionName(summary.version)} message, ${summary.byteLength} of ${transactionSizeLimit(summary.version)} bytes, ${signed}`,
    `fee payer  ${named(summary.feePayer)}`,
    ...summary.signers.slice(1).map((signer) => `signer     ${named(signer)}`),
    `${summary.instructions[0]?.kind === 'advance_nonce_account' ? 'nonce    ' : 'blockhash'}  ${summary.blockhash}`,
    ...(config
      ? [
          `limits     ${config.computeUnitLimit} compute units, ${config.loadedAccountsDataSizeLimit} bytes of accounts`,
          `priority   ${config.priorityFee} lamports`,
        ]
      : []),
    ...summary.instructions.flatMap((instruction, index) => {
      const [first = '', ...rest] = describeInstruction(instruction, named);
      return [`${index + 1}. ${first}`, ...rest.map((line) => `   ${line}`)];
    }),
    ...warningsOf(summary).map((warning) => `warning    ${wordWarning(warning).detail}`),
  ];
}

// The warnings that need only the bytes; the others are about accounts on chain.
function warningsOf({ instructions }: TransactionSummary): readonly Warning[] {
  return instructions.flatMap((instruction, index) => {
    if (instruction.kind === 'memo') return warnOfMemo(instruction.text);
    const isLifetime = instruction.kind === 'advance_nonce_account' && index === 0;
    return isLifetime ? [warnOfNonce(instruction.nonceAccount)] : [];
  });
}

function versionName(version: TransactionSummary['version']): string {
  return version === 'legacy' ? 'legacy' : `version ${version}`;
}

/** Returns the accounts of a transaction as a table: index, address, rights and use of each. */
export function formatAccounts(summary: TransactionSummary): string {
  const uses = usesOf(summary);
  const rows = summary.accounts.map(({ address, signer, writable }, index) => [
    String(index),
    address,
    signer ? 'signs' : '',
    writable ? 'writable' : '',
    [programNames.get(address), ...(uses.get(address) ?? [])].filter(Boolean).join(', '),
  ]);
  return formatTable([['#', 'account', 'signs', 'writable', 'what it is'], ...rows]);
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
    }
  }
  return uses;
}

function describeInstruction(instruction: InstructionSummary, named: (address: string) => string): string[] {
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
    case 'memo':
      return [
        `memo ${quoteMemo(instruction.text)}`,
        ...instruction.signers.map((signer) => `signed by  ${named(signer)}`),
      ];
    case 'transfer_checked':
      return [
        `transfer ${formatAmount(instruction.amount, instruction.decimals)} tokens ` +
          `(${instruction.amount} base units, ${instruction.decimals} decimals) of ${tokenProgramName(instruction.tokenProgram)}`,
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
        `data       ${Buffer.from(instruction.data).toString('hex') || '(none)'}`,
        ...instruction.accounts.map(
          ({ address, signer, writable }) =>
            `account    ${named(address)}${signer ? ', signer' : ''}${writable ? ', writable' : ''}`,
        ),
      ];
  }
}
