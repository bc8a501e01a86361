import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  address,
  appendTransactionMessageInstruction,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { Keypair, PublicKey, Transaction } from '@solana/web3.js';
import fc from 'fast-check';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { planInstructions } from '../../src/plan/plan-message.ts';
import { decodeTransaction } from '../../src/transaction/decode-transaction.ts';
import { anyBlockhash, anyPlan, freshAddress } from '../random-plans.ts';
import { rolesOf, witnessMessage } from '../witness-transaction.ts';
import { blockhash, legacyBytes, payerKey, plan, versionedBytes } from './sample-transactions.ts';

describe('a transaction decodes', () => {
  test('that was built here, into what its plan says', () => {
    const property = fc.property(anyPlan, anyBlockhash, (anyOther, hash) => {
      const bytes = buildTransaction(anyOther, hash);
      const decoded = decodeTransaction(bytes);
      assert.equal(decoded.version, 'legacy');
      assert.equal(decoded.blockhash, hash);
      assert.equal(decoded.byteLength, bytes.length);
      assert.deepEqual(decoded.signers, [anyOther.feePayer]);
      assert.deepEqual(decoded.signatures, [new Uint8Array(64)]);
      const roles = decoded.accounts.map(({ address: each, signer, writable }) => {
        return `${each}${signer ? ' signer' : ''}${writable ? ' writable' : ''}`;
      });
      assert.deepEqual(roles.sort(), rolesOf(witnessMessage(anyOther, hash)));
      const parts = decoded.instructions.map(({ program, accounts, data }) => ({
        program,
        accounts: accounts.map((account) => account.address),
        data: [...data],
      }));
      const planned = planInstructions(anyOther).map(({ program, accounts, data }) => ({
        program,
        accounts: accounts.map((account) => account.address),
        data: [...data],
      }));
      assert.deepEqual(parts, planned);
    });
    fc.assert(property, { numRuns: 100 });
  });

  test('with several signers, read and written, signed by web3.js', () => {
    const [payer, owner, cosigner] = [Keypair.generate(), Keypair.generate(), Keypair.generate()];
    const [program, writable, readonly] = [freshAddress(), freshAddress(), freshAddress()];
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash } as const).add({
      programId: new PublicKey(program),
      keys: [
        { pubkey: new PublicKey(readonly), isSigner: false, isWritable: false },
        { pubkey: cosigner.publicKey, isSigner: true, isWritable: false },
        { pubkey: new PublicKey(writable), isSigner: false, isWritable: true },
        { pubkey: owner.publicKey, isSigner: true, isWritable: true },
      ],
      data: Buffer.from([1, 2, 3]),
    });
    transaction.sign(payer, owner, cosigner);
    const decoded = decodeTransaction(Uint8Array.from(transaction.serialize()));
    assert.deepEqual(
      decoded.signers,
      [payer, owner, cosigner].map(({ publicKey }) => publicKey.toBase58()),
    );
    assert.deepEqual(
      decoded.signatures.map((signature) => Buffer.from(signature).toString('hex')),
      transaction.signatures.map(({ signature }) => signature?.toString('hex')),
    );
    assert.deepEqual(decoded.instructions, [
      {
        program,
        accounts: [
          { address: readonly, signer: false, writable: false },
          { address: cosigner.publicKey.toBase58(), signer: true, writable: false },
          { address: writable, signer: false, writable: true },
          { address: owner.publicKey.toBase58(), signer: true, writable: true },
        ],
        data: Uint8Array.of(1, 2, 3),
      },
    ]);
  });

  test('of version 0, made by web3.js', () => {
    const decoded = decodeTransaction(versionedBytes);
    assert.equal(decoded.version, 0);
    assert.deepEqual(decoded.instructions, decodeTransaction(legacyBytes).instructions);
  });

  test('of version 0, made by kit', () => {
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayer(address(plan.feePayer), empty),
      (paid) =>
        setTransactionMessageLifetimeUsingBlockhash(
          { blockhash: blockhash as string as Blockhash, lastValidBlockHeight: 0n },
          paid,
        ),
      (alive) =>
        appendTransactionMessageInstruction(
          { programAddress: address(plan.tokenProgram), data: Uint8Array.of(9) },
          alive,
        ),
    );
    const decoded = decodeTransaction(Uint8Array.from(getTransactionEncoder().encode(compileTransaction(message))));
    assert.deepEqual(decoded, {
      version: 0,
      signatures: [new Uint8Array(64)],
      signers: [plan.feePayer],
      blockhash,
      config: undefined,
      accounts: [
        { address: plan.feePayer, signer: true, writable: true },
        { address: plan.tokenProgram, signer: false, writable: false },
      ],
      instructions: [{ program: plan.tokenProgram, accounts: [], data: Uint8Array.of(9) }],
      byteLength: decoded.byteLength,
    });
  });

  test('of a message whose lists are longer than 127', () => {
    const data = Buffer.alloc(1000, 7);
    const programId = new PublicKey(freshAddress());
    const transaction = new Transaction({ feePayer: payerKey, recentBlockhash: blockhash } as const);
    transaction.add({ programId, keys: [], data });
    const decoded = decodeTransaction(Uint8Array.from(transaction.serialize({ requireAllSignatures: false })));
    assert.deepEqual(decoded.instructions[0]?.data, Uint8Array.from(data));
  });
});
