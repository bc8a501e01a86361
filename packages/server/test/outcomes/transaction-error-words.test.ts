import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  systemProgram,
  token2022Program,
  tokenAclProgram,
  tokenProgram,
} from '../../../core/src/addresses/programs.ts';
import { buildTransaction } from '../../../core/src/plan/build-transaction.ts';
import { type InstructionSummary, summarizeTransaction } from '../../../core/src/transaction/summarize-transaction.ts';
import { freshAddress, memoOf, nonceOf, planWith } from '../../../core/test/fixtures.ts';
import { thawOf } from '../../../core/test/thaw.ts';
import { describeSimulationError } from '../../src/outcomes/transaction-error-words.ts';

// Every instruction that is ever built, in its place: nonce, limit, price, create, memo, transfer.
const plan = planWith({
  computeUnitLimit: 80_000,
  computeUnitPrice: 5n,
  createsRecipientTokenAccount: true,
  memo: memoOf('m'),
});
const nonce = nonceOf(plan.sender);
const { instructions: plain } = summarizeTransaction(buildTransaction({ ...plan, nonce }, nonce.nonce));
// A thaw is never the last, and stands here for all.
const { instructions: thawing } = summarizeTransaction(buildTransaction(planWith({ thaw: thawOf() }), nonce.nonce));
const instructions = [...plain, ...thawing.slice(0, 1)];
const hook = 'Hook111111111111111111111111111111111111111';

const failed = (program: string, why = 'custom program error'): string => `Program ${program} failed: ${why}`;
const invoked = (program: string, depth = 1): string => `Program ${program} invoke [${depth}]`;

const table: readonly [error: unknown, logs: readonly string[], sentence: string][] = [
  [
    { InstructionError: [5, { Custom: 1 }] },
    [invoked(tokenProgram), failed(tokenProgram)],
    'at instruction 6, the transfer by SPL Token: the balance is too small (custom error 0x1)',
  ],
  [
    { InstructionError: [5, { Custom: 17 }] },
    [failed(token2022Program)],
    'at instruction 6, the transfer by Token-2022: the account is frozen (custom error 0x11)',
  ],
  [
    { InstructionError: [5, { Custom: 36 }] },
    [failed(token2022Program)],
    'at instruction 6, the transfer by Token-2022: the recipient requires a memo in the instruction before (custom error 0x24)',
  ],
  [
    { InstructionError: [5, { Custom: 4_000_000_000 }] },
    [failed(token2022Program)],
    'at instruction 6, the transfer by Token-2022: custom error 0xee6b2800',
  ],
  // The same number means another thing to each program, and the innermost one gave it.
  [
    { InstructionError: [3, { Custom: 1 }] },
    [invoked(associatedTokenProgram), invoked(systemProgram, 2), failed(systemProgram), failed(associatedTokenProgram)],
    'at instruction 4, creating the token account by the System program: the payer has too few lamports (custom error 0x1)',
  ],
  [
    { InstructionError: [3, { Custom: 0 }] },
    [failed(associatedTokenProgram)],
    'at instruction 4, creating the token account by the Associated Token Account program: custom error 0x0',
  ],
  [
    { InstructionError: [5, { Custom: 1 }] },
    [invoked(token2022Program), invoked(hook, 2), failed(hook), failed(token2022Program)],
    `at instruction 6, the transfer by the program ${hook}: custom error 0x1`,
  ],
  [
    { InstructionError: [4, 'InvalidInstructionData'] },
    [failed(memoProgram, 'invalid instruction data')],
    'at instruction 5, the memo by the Memo program: InvalidInstructionData',
  ],
  [
    { InstructionError: [0, { Custom: 6 }] },
    [failed(systemProgram)],
    'at instruction 1, advancing the nonce by the System program: custom error 0x6',
  ],
  [
    { InstructionError: [1, 'InvalidInstructionData'] },
    [failed(computeBudgetProgram)],
    'at instruction 2, setting the compute unit limit by the Compute Budget program: InvalidInstructionData',
  ],
  [
    { InstructionError: [2, 'ComputationalBudgetExceeded'] },
    [],
    'at instruction 3, setting the compute unit price: ComputationalBudgetExceeded',
  ],
  [
    { InstructionError: [6, { Custom: 6 }] },
    [failed(tokenAclProgram)],
    'at instruction 7, thawing the token account by the Token ACL program: the issuer no longer lets anyone thaw (custom error 0x6)',
  ],
  [
    { InstructionError: [6, { Custom: 5 }] },
    [invoked(tokenAclProgram), invoked(hook, 2), failed(hook), failed(tokenAclProgram)],
    `at instruction 7, thawing the token account by the program ${hook}: custom error 0x5`,
  ],
  [
    { InstructionError: [6, { Custom: 5 }] },
    [failed(tokenAclProgram)],
    'at instruction 7, thawing the token account by the Token ACL program: the gate program is another one now (custom error 0x5)',
  ],
  // Logs that were cut, or lines of a program that only look like the runtime's.
  [
    { InstructionError: [5, { Custom: 1 }] },
    ['Log truncated', `Program log: ${failed(tokenProgram)}`],
    'at instruction 6, the transfer: custom error 0x1',
  ],
  [{ InstructionError: [9, 'MissingAccount'] }, [], 'at instruction 10, an instruction: MissingAccount'],
  [
    { InstructionError: [5, { BorshIoError: 'Unknown' }] },
    [failed(tokenProgram)],
    'at instruction 6, the transfer by SPL Token: {"BorshIoError":"Unknown"}',
  ],
  ['BlockhashNotFound', [], 'before any instruction ran: "BlockhashNotFound"'],
  ['AccountNotFound', [], 'before any instruction ran: "AccountNotFound"'],
  [
    { InsufficientFundsForRent: { account_index: 0 } },
    [invoked(tokenProgram), `Program ${tokenProgram} success`],
    'after its instructions had run: {"InsufficientFundsForRent":{"account_index":0}}',
  ],
  [{ InstructionError: 'x' }, [], 'before any instruction ran: {"InstructionError":"x"}'],
  [{ InstructionError: ['5', 1] }, [], 'before any instruction ran: {"InstructionError":["5",1]}'],
  [5, [], 'before any instruction ran: 5'],
  // Integers past 2^53 come as `bigint`s from the node's answer.
  [{ Odd: 2n ** 64n }, [], 'before any instruction ran: {"Odd":"18446744073709551616"}'],
  [{ InstructionError: [5, { Odd: 2n ** 64n }] }, [], 'at instruction 6, the transfer: {"Odd":"18446744073709551616"}'],
];

for (const [error, logs, sentence] of table) {
  test(sentence, () => {
    assert.equal(describeSimulationError(error, logs, instructions), `The simulation failed ${sentence}.`);
  });
}

test('Every code of the token programs has a meaning under both of them, and under no other program', () => {
  const one: readonly InstructionSummary[] = instructions.slice(5);
  const meaning = (program: string, code: number): string =>
    describeSimulationError({ InstructionError: [0, { Custom: code }] }, [failed(program)], one);
  for (const code of [0, 1, 2, 3, 4, 17, 18, 32, 36, 37, 49, 67]) {
    const ofClassic = meaning(tokenProgram, code);
    assert.match(ofClassic, /by SPL Token: [-a-z' ]+ \(custom error 0x[0-9a-f]+\)\.$/);
    assert.equal(meaning(token2022Program, code), ofClassic.replace('SPL Token', 'Token-2022'));
    assert.match(meaning(freshAddress(), code), /: custom error 0x[0-9a-f]+\.$/);
  }
});
