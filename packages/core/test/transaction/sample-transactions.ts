import assert from 'node:assert/strict';
import { PublicKey, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { freshAddress } from '../fixtures.ts';
import { anyPlan } from '../random-plans.ts';
import { witnessInstructions } from '../witness-transaction.ts';

const [sample] = fc.sample(anyPlan, { numRuns: 1, seed: 7 });
assert.ok(sample);

/** The plan of both transactions below. */
export const plan = sample;

/** The blockhash of both transactions below. */
export const blockhash = freshAddress();

const payerKey = new PublicKey(plan.feePayer);

/** The legacy transaction that this library builds of the plan. */
export const legacyBytes = buildTransaction(plan, blockhash);

/** The same transfer as web3.js puts it together, for a transaction of version 0. */
export const versionedMessage = new TransactionMessage({
  payerKey,
  recentBlockhash: blockhash,
  instructions: witnessInstructions(plan),
});

/** The unsigned transaction of version 0 that web3.js makes of that message. */
export const versionedBytes = new VersionedTransaction(versionedMessage.compileToV0Message()).serialize();
