import type { TransactionSummary, Warning } from 'splwright-core';
import { transactionSizeLimit, warnOfMemo, warnOfNonce } from 'splwright-core';
import { describeBytes } from '../../wire/words/byte-words.ts';
import { describeAccounts, describeInstruction, type Names, nameAddress } from '../../wire/words/transaction-words.ts';
import { describeWarning } from '../../wire/words/warning-words.ts';
import { formatTable } from '../table.ts';

/** Describes a transaction in words, one line for each fact. */
export function describeTransaction(summary: TransactionSummary, names: Names = new Map()): string[] {
  const named = (address: string): string => nameAddress(address, names);
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
    ...warningsOf(summary).map((warning) => `warning    ${describeWarning(warning).detail}`),
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
  const rows = describeAccounts(summary).map((words, index) => [String(index), ...words]);
  return formatTable([['#', 'account', 'signs', 'writable', 'what it is'], ...rows]);
}

/** Returns the bytes of a transaction as a table: which they are, what they are a part of, and what they say. */
export function formatBytes(bytes: Uint8Array): string {
  const rows = describeBytes(bytes).map(({ offset, length, title, name, instruction }) => [
    length === 1 ? String(offset) : `${offset}-${offset + length - 1}`,
    instruction === undefined ? title : `instruction ${instruction + 1}`,
    name,
  ]);
  return formatTable([['bytes', 'part', 'what it is'], ...rows]);
}
