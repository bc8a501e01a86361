import { transactionSizeLimit } from '../core/encode-transaction.ts';
import { formatAmount } from '../core/format-amount.ts';
import type { InstructionSummary, TransactionSummary } from '../core/summarize-transaction.ts';
import { tokenProgramName } from '../core/token-state.ts';

/** Writes what a transaction says as lines for a person; `names` puts a word beside addresses that have one. */
export function describeTransaction(
  summary: TransactionSummary,
  names: ReadonlyMap<string, string> = new Map(),
): string[] {
  const named = (address: string): string => {
    const name = names.get(address);
    return name === undefined ? address : `${address} (${name})`;
  };
  const signed = `${summary.signatureCount} of ${summary.signers.length} signed`;
  return [
    `${summary.version} message, ${summary.byteLength} of ${transactionSizeLimit} bytes, ${signed}`,
    `fee payer  ${named(summary.feePayer)}`,
    ...summary.signers.slice(1).map((signer) => `signer     ${named(signer)}`),
    `blockhash  ${summary.blockhash}`,
    ...summary.instructions.flatMap((instruction, index) => {
      const [first = '', ...rest] = describeInstruction(instruction, named);
      return [`${index + 1}. ${first}`, ...rest.map((line) => `   ${line}`)];
    }),
  ];
}

function describeInstruction(instruction: InstructionSummary, named: (address: string) => string): string[] {
  switch (instruction.kind) {
    case 'set_compute_unit_limit':
      return [`set the compute unit limit to ${instruction.computeUnitLimit}`];
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
        `memo ${JSON.stringify(instruction.text)}`,
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
