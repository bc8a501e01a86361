import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAssociatedTokenAccountInstruction, createTransferInstruction } from '@solana/spl-token';
import { ComputeBudgetProgram, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { toAddress } from '../../src/addresses/address.ts';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  memoProgramV1,
  systemProgram,
  token2022Program,
  tokenAclProgram,
  tokenProgram,
} from '../../src/addresses/programs.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import type { Payment } from '../../src/plan/transfer-plan.ts';
import { decodeTransaction } from '../../src/transaction/decode-transaction.ts';
import { role } from '../../src/transaction/instruction.ts';
import { summarizeTransaction, type TransactionSummary } from '../../src/transaction/summarize-transaction.ts';
import { freshAddress, planWith, recipientOf, splitsOf } from '../fixtures.ts';
import { anyBlockhash, anyPlan } from '../random-plans.ts';
import { thawOf } from '../thaw.ts';

const payer = Keypair.generate();
const payerAddress = toAddress(payer.publicKey.toBase58());
const blockhash = freshAddress();
const freshKey = (): PublicKey => new PublicKey(freshAddress());

type Instructions = Parameters<Transaction['add']>;

/** The summary of instructions that web3.js put into a transaction. */
function summaryOf(...instructions: Instructions): TransactionSummary {
  const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash } as const);
  const bytes = transaction.add(...instructions).serialize({ requireAllSignatures: false });
  return summarizeTransaction(Uint8Array.from(bytes));
}

function kindsOf(...instructions: Instructions): string[] {
  return summaryOf(...instructions).instructions.map(({ kind }) => kind);
}

test('the summary of a built transaction says what its plan says', () => {
  const property = fc.property(anyPlan, anyBlockhash, (plan, hash) => {
    const bytes = buildTransaction(plan, hash);
    const { accounts } = decodeTransaction(bytes);
    const limit = { kind: 'set_compute_unit_limit', computeUnitLimit: plan.computeUnitLimit };
    const create = (payment: Payment) => ({
      kind: 'create_associated_token_account_idempotent',
      payer: plan.feePayer,
      tokenAccount: payment.recipientTokenAccount,
      owner: payment.recipient,
      mint: plan.mint,
      tokenProgram: plan.tokenProgram,
    });
    const memo = { kind: 'memo', program: memoProgram, text: recipientOf(plan).memo?.text, signers: [plan.sender] };
    const transfer = (payment: Payment, references: Payment['references']) => ({
      kind: 'transfer_checked',
      tokenProgram: plan.tokenProgram,
      source: plan.senderTokenAccount,
      mint: plan.mint,
      destination: payment.recipientTokenAccount,
      authority: plan.sender,
      amount: payment.amount,
      decimals: plan.decimals,
      // With the rights that the message gives them, which may come from another use of the same account.
      otherAccounts: [...references, ...payment.hookAccounts.map((each) => each.address)].map((other) =>
        accounts.find(({ address }) => address === other),
      ),
    });
    assert.deepEqual(summarizeTransaction(bytes), {
      version: 'legacy',
      byteLength: bytes.length,
      config: undefined,
      feePayer: plan.feePayer,
      signers: [plan.sender],
      signatureCount: 0,
      blockhash: hash,
      accounts,
      instructions: [
        ...(plan.computeUnitLimit === undefined ? [] : [limit]),
        ...splitsOf(plan).flatMap((split) => [
          ...(split.createsRecipientTokenAccount ? [create(split)] : []),
          transfer(split, []),
        ]),
        ...(recipientOf(plan).createsRecipientTokenAccount ? [create(recipientOf(plan))] : []),
        ...(recipientOf(plan).memo ? [memo] : []),
        transfer(recipientOf(plan), recipientOf(plan).references),
      ],
    });
  });
  fc.assert(property, { numRuns: propertyRuns(200) });
});

test('a signed transaction counts its signatures', () => {
  const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash } as const);
  const other = Keypair.generate();
  transaction.add(SystemProgram.transfer({ fromPubkey: other.publicKey, toPubkey: freshKey(), lamports: 1 }));
  transaction.partialSign(payer);
  const half = summarizeTransaction(Uint8Array.from(transaction.serialize({ requireAllSignatures: false })));
  assert.deepEqual([half.signatureCount, half.signers.length], [1, 2]);
  transaction.partialSign(other);
  assert.equal(summarizeTransaction(Uint8Array.from(transaction.serialize())).signatureCount, 2);
});

describe('a memo', () => {
  const memo = (program: string, data: Buffer): Instructions[number] => ({
    programId: new PublicKey(program),
    keys: [{ pubkey: payer.publicKey, isSigner: true, isWritable: false }],
    data,
  });

  test('of either Memo program is shown as text', () => {
    for (const program of [memoProgram, memoProgramV1]) {
      assert.deepEqual(summaryOf(memo(program, Buffer.from('grüße 😀'))).instructions, [
        { kind: 'memo', program, text: 'grüße 😀', signers: [payerAddress] },
      ]);
    }
  });

  test('keeps a byte order mark and NUL', () => {
    const [summary] = summaryOf(memo(memoProgram, Buffer.from('\ufeffa\0'))).instructions;
    assert.equal(summary?.kind === 'memo' && summary.text, '\ufeffa\0');
  });

  test('that is not UTF-8 is shown raw', () => {
    const [summary] = summaryOf(memo(memoProgram, Buffer.from([0xff, 0xfe]))).instructions;
    assert.ok(summary?.kind === 'unknown');
    assert.deepEqual([...summary.data], [0xff, 0xfe]);
  });
});

describe('what is unknown is shown with its raw parts', () => {
  test('an instruction of an unknown kind', () => {
    const [summary] = summaryOf(SystemProgram.allocate({ accountPubkey: payer.publicKey, space: 258 })).instructions;
    assert.ok(summary?.kind === 'unknown');
    assert.equal(summary.program, systemProgram);
    assert.deepEqual(summary.accounts, [{ address: payerAddress, signer: true, writable: true }]);
    assert.deepEqual([...summary.data], [8, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0]);
  });

  test('a transfer of SOL has its parts by name, and references', () => {
    const [to, reference] = [freshKey(), freshKey()];
    const transfer = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 258 });
    transfer.keys.push({ pubkey: reference, isSigner: false, isWritable: false });
    const otherAccounts = [{ address: reference.toBase58(), signer: false, writable: false }];
    assert.deepEqual(summaryOf(transfer).instructions, [
      { kind: 'transfer_sol', source: payerAddress, destination: to.toBase58(), lamports: 258n, otherAccounts },
    ]);
  });

  test('an unknown instruction of a known program', () => {
    const [a, b, c] = [freshKey(), freshKey(), freshKey()];
    const unknown = [
      createTransferInstruction(a, b, payer.publicKey, 5n),
      createTransferInstruction(a, b, payer.publicKey, 5n, [], new PublicKey(token2022Program)),
      createAssociatedTokenAccountInstruction(payer.publicKey, a, b, c),
    ];
    assert.deepEqual(new Set(kindsOf(...unknown)), new Set(['unknown']));
  });

  const transfer = [12, 1, 0, 0, 0, 0, 0, 0, 0, 6];
  const cases: readonly (readonly [kind: string, program: string, count: number, data: readonly number[]])[] = [
    ['transfer_checked', tokenProgram, 4, transfer],
    ['unknown', tokenProgram, 4, [13, ...transfer.slice(1)]],
    ['unknown', tokenProgram, 4, transfer.slice(0, 9)],
    ['unknown', tokenProgram, 4, [...transfer, 0]],
    ['unknown', tokenProgram, 3, transfer],
    ['unknown', tokenProgram, 4, []],
    ['sync_native', tokenProgram, 1, [17]],
    ['unknown', token2022Program, 1, [17, 0]],
    ['unknown', tokenProgram, 2, [17]],
    ['close_account', token2022Program, 3, [9]],
    ['unknown', tokenProgram, 3, [9, 0]],
    ['unknown', tokenProgram, 2, [9]],
    ['unknown', tokenProgram, 4, [9]],
    ['create_associated_token_account_idempotent', associatedTokenProgram, 6, [1]],
    ['unknown', associatedTokenProgram, 6, [0]],
    ['unknown', associatedTokenProgram, 6, []],
    ['unknown', associatedTokenProgram, 6, [1, 0]],
    ['unknown', associatedTokenProgram, 5, [1]],
    ['unknown', associatedTokenProgram, 7, [1]],
    ['unknown', computeBudgetProgram, 0, [2, 1, 0, 0]],
    ['unknown', computeBudgetProgram, 0, [2, 1, 0, 0, 0, 0]],
    ['unknown', computeBudgetProgram, 0, [3, 1, 0, 0, 0]],
    ['unknown', computeBudgetProgram, 0, [3, 1, 0, 0, 0, 0, 0, 0]],
    ['unknown', computeBudgetProgram, 0, [3, 1, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['unknown', computeBudgetProgram, 0, [2, 1, 0, 0, 0, 0, 0, 0, 0]],
    ['unknown', computeBudgetProgram, 0, [1, 1, 0, 0, 0]],
    ['advance_nonce_account', systemProgram, 3, [4, 0, 0, 0]],
    ['unknown', systemProgram, 3, [4, 0, 0]],
    ['unknown', systemProgram, 3, [4, 0, 0, 0, 0]],
    ['unknown', systemProgram, 3, [5, 0, 0, 0]],
    ['unknown', systemProgram, 2, [4, 0, 0, 0]],
    ['unknown', systemProgram, 0, [4, 0, 0, 0]],
    ['thaw_token_account', tokenAclProgram, 10, [9]],
    ['unknown', tokenAclProgram, 10, [6]],
    ['unknown', tokenAclProgram, 10, [9, 0]],
    ['unknown', tokenAclProgram, 8, [9]],
    ['unknown', tokenAclProgram, 10, []],
  ];
  test('an instruction whose data or number of accounts is not that of a known one', () => {
    for (const [kind, program, count, data] of cases) {
      const keys = Array.from({ length: count }, () => ({ pubkey: freshKey(), isSigner: false, isWritable: true }));
      const instruction = { programId: new PublicKey(program), keys, data: Buffer.from(data) };
      assert.deepEqual(kindsOf(instruction), [kind], `${program}: ${count} accounts, ${data.join()}`);
    }
  });
});

describe('what a transaction needs besides its transfer is named with its numbers', () => {
  test('a compute limit and a price', () => {
    const { instructions } = summaryOf(
      ComputeBudgetProgram.setComputeUnitLimit({ units: 0x0102_0304 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 2n ** 64n - 2n }),
    );
    assert.deepEqual(instructions, [
      { kind: 'set_compute_unit_limit', computeUnitLimit: 0x0102_0304 },
      { kind: 'set_compute_unit_price', microLamports: 2n ** 64n - 2n },
    ]);
  });

  test('the advance of a nonce account', () => {
    const nonceAccount = freshKey();
    const advance = SystemProgram.nonceAdvance({ noncePubkey: nonceAccount, authorizedPubkey: payer.publicKey });
    assert.deepEqual(summaryOf(advance).instructions, [
      { kind: 'advance_nonce_account', nonceAccount: nonceAccount.toBase58(), authority: payerAddress },
    ]);
  });
});

test('a thaw is told by its accounts', () => {
  const thaw = thawOf(1);
  const plan = planWith({ thaw });
  const { instructions } = summarizeTransaction(buildTransaction(plan, blockhash));
  const [list, extra] = thaw.gateAccounts.map(role.readonly);
  assert.deepEqual(instructions[0], {
    kind: 'thaw_token_account',
    caller: plan.sender,
    mint: plan.mint,
    tokenAccount: recipientOf(plan).recipientTokenAccount,
    owner: recipientOf(plan).recipient,
    gateProgram: thaw.gateProgram,
    gateAccounts: [list, extra],
  });
});
