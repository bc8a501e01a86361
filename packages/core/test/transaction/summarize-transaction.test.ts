import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAssociatedTokenAccountInstruction, createTransferInstruction } from '@solana/spl-token';
import { ComputeBudgetProgram, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { toAddress } from '../../src/addresses/address.ts';
import {
  associatedTokenProgram,
  memoProgram,
  memoProgramV1,
  systemProgram,
  token2022Program,
  tokenAclProgram,
  tokenProgram,
} from '../../src/addresses/programs.ts';
import { TransactionDecodeError } from '../../src/bytes/byte-reader.ts';
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
  test('an instruction of an unknown program', () => {
    const to = freshAddress();
    const [summary] = summaryOf(
      SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: new PublicKey(to), lamports: 258 }),
    ).instructions;
    assert.ok(summary?.kind === 'unknown');
    assert.equal(summary.program, systemProgram);
    assert.deepEqual(summary.accounts, [
      { address: payerAddress, signer: true, writable: true },
      { address: to, signer: false, writable: true },
    ]);
    assert.deepEqual([...summary.data], [2, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0]);
  });

  test('an unknown instruction of a known program', () => {
    const [a, b, c] = [freshKey(), freshKey(), freshKey()];
    const unknown = [
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 5 }),
      createTransferInstruction(a, b, payer.publicKey, 5n),
      createTransferInstruction(a, b, payer.publicKey, 5n, [], new PublicKey(token2022Program)),
      createAssociatedTokenAccountInstruction(payer.publicKey, a, b, c),
    ];
    assert.deepEqual(kindsOf(...unknown), ['set_compute_unit_price', 'unknown', 'unknown', 'unknown']);
  });

  test('an instruction with too little or too much data, or with too few accounts', () => {
    const keys = Array.from({ length: 4 }, () => ({ pubkey: freshKey(), isSigner: false, isWritable: true }));
    const programId = new PublicKey(tokenProgram);
    const data = Buffer.from([12, 1, 0, 0, 0, 0, 0, 0, 0, 6]);
    assert.deepEqual(kindsOf({ programId, keys, data }), ['transfer_checked']);
    assert.deepEqual(
      kindsOf(
        { programId, keys, data: Buffer.of(13, ...data.subarray(1)) },
        { programId, keys, data: data.subarray(0, 9) },
        { programId, keys, data: Buffer.concat([data, Buffer.of(0)]) },
        { programId, keys: keys.slice(0, 3), data },
        { programId, keys, data: Buffer.alloc(0) },
      ),
      ['unknown', 'unknown', 'unknown', 'unknown', 'unknown'],
    );
  });

  test('the creation of a token account that is not idempotent, or has other accounts', () => {
    const keys = Array.from({ length: 7 }, () => ({ pubkey: freshKey(), isSigner: false, isWritable: true }));
    const programId = new PublicKey(associatedTokenProgram);
    const create = (count: number, ...data: number[]) => ({
      programId,
      keys: keys.slice(0, count),
      data: Buffer.from(data),
    });
    assert.deepEqual(kindsOf(create(6, 1)), ['create_associated_token_account_idempotent']);
    for (const other of [create(6, 0), create(6), create(6, 1, 0), create(5, 1), create(7, 1)]) {
      assert.deepEqual(kindsOf(other), ['unknown']);
    }
  });
});

describe('what a transaction needs besides its transfer is named with its numbers', () => {
  const budget = (...data: number[]) => ({
    programId: ComputeBudgetProgram.programId,
    keys: [],
    data: Buffer.from(data),
  });

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

  test('unless their data has another length or another first byte', () => {
    for (const data of [
      [2, 1, 0, 0],
      [2, 1, 0, 0, 0, 0],
      [3, 1, 0, 0, 0],
      [3, 1, 0, 0, 0, 0, 0, 0],
      [3, 1, 0, 0, 0, 0, 0, 0, 0, 0],
      [2, 1, 0, 0, 0, 0, 0, 0, 0],
      [1, 1, 0, 0, 0],
    ]) {
      assert.deepEqual(kindsOf(budget(...data)), ['unknown'], data.join());
    }
  });

  test('the advance of a nonce account, unless its data or its accounts are others', () => {
    const [nonceAccount, sysvar] = [freshKey(), freshKey()];
    const keys = [nonceAccount, sysvar, payer.publicKey].map((pubkey) => ({
      pubkey,
      isSigner: false,
      isWritable: true,
    }));
    const advance = (data: number[], count = 3) => ({
      programId: SystemProgram.programId,
      keys: keys.slice(0, count),
      data: Buffer.from(data),
    });
    assert.deepEqual(summaryOf(advance([4, 0, 0, 0])).instructions, [
      { kind: 'advance_nonce_account', nonceAccount: nonceAccount.toBase58(), authority: payerAddress },
    ]);
    for (const other of [
      advance([4, 0, 0]),
      advance([4, 0, 0, 0, 0]),
      advance([5, 0, 0, 0]),
      advance([4, 0, 0, 0], 2),
      advance([4, 0, 0, 0], 0),
    ]) {
      assert.deepEqual(kindsOf(other), ['unknown']);
    }
  });
});

test('a thaw is told by its accounts, and any other instruction of the Token ACL program is unknown', () => {
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
  const programId = new PublicKey(tokenAclProgram);
  const keys = Array.from({ length: 10 }, () => ({ pubkey: freshKey(), isSigner: false, isWritable: false }));
  for (const [data, count] of [
    [[6], 10],
    [[9, 0], 10],
    [[9], 8],
    [[], 10],
  ] as const) {
    assert.deepEqual(kindsOf({ programId, keys: keys.slice(0, count), data: Buffer.from(data) }), ['unknown']);
  }
  assert.deepEqual(kindsOf({ programId, keys, data: Buffer.of(9) }), ['thaw_token_account']);
});

test('bytes that are not a transaction throw a TransactionDecodeError', () => {
  assert.throws(() => summarizeTransaction(new Uint8Array(10)), TransactionDecodeError);
});
