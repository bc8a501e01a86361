import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Message, PublicKey } from '@solana/web3.js';
import { buildTransaction } from '../src/plan/build-transaction.ts';
import { recipientOf } from './fixtures.ts';
import { planOf, readVectors } from './vector.ts';
import { instructionsOf, rolesOf, witnessMessage } from './witness-transaction.ts';

const vectors = readVectors();

test('there are vectors', () => {
  assert.equal(vectors.length, 9);
});

describe('the bytes of every golden vector are built, byte for byte', () => {
  for (const vector of vectors) {
    test(vector.name, () => {
      const bytes = buildTransaction(planOf(vector), vector.blockhash);
      assert.equal(Buffer.from(bytes).toString('hex'), vector.transaction);
    });
  }
});

describe('every golden vector means what web3.js and spl-token would have built', () => {
  for (const vector of vectors) {
    test(vector.name, () => {
      const plan = planOf(vector);
      const bytes = Buffer.from(vector.transaction, 'hex');
      assert.equal(bytes.subarray(0, 65).toString('hex'), `01${'00'.repeat(64)}`);
      const message = Message.from(bytes.subarray(65));
      const expected = witnessMessage(plan, vector.blockhash);
      assert.deepEqual(instructionsOf(message), instructionsOf(expected));
      assert.deepEqual(rolesOf(message), rolesOf(expected));
      assert.equal(message.recentBlockhash, vector.blockhash);
      assert.equal(message.accountKeys[0]?.toBase58(), plan.feePayer);

      for (const [owner, tokenAccount] of [
        [plan.sender, plan.senderTokenAccount],
        [recipientOf(plan).recipient, recipientOf(plan).recipientTokenAccount],
      ] as const) {
        const [mint, program] = [new PublicKey(plan.mint), new PublicKey(plan.tokenProgram)];
        const derived = getAssociatedTokenAddressSync(mint, new PublicKey(owner), true, program);
        assert.equal(tokenAccount, derived.toBase58());
      }
    });
  }
});
