import type { Transaction } from '@solana/kit';
import type { DecidedBatch } from '../../../packages/core/src/batch/decide-batch.ts';
import { buildTransaction } from '../../../packages/core/src/plan/build-transaction.ts';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { type Outcome, send } from '../outcome.ts';
import type { Random } from '../random.ts';
import { readTransaction, signTransaction } from '../transaction.ts';
import { type BatchBalances, batchBalancesOf, judgeBatchBalances, type PaidPart } from './batch-balances.ts';
import type { BatchStage } from './batch-stage.ts';

/** Builds the bytes of one transaction of a batch with the newest blockhash, or with its nonce. */
export function bytesOf(ledger: Ledger, { transactions }: DecidedBatch, index: number): Uint8Array {
  const plan = transactions[index]?.plan;
  if (!plan) throw new RangeError(`the batch has no transaction ${index}`);
  return buildTransaction(plan, plan.nonce?.nonce ?? ledger.latestBlockhash('confirmed').blockhash);
}

/** Signs a transaction and lets a ledger run it. */
export function sendFor(ledger: Ledger, { situation }: BatchStage, transaction: Transaction): Outcome {
  return send(ledger, signTransaction(transaction, situation.signers), []);
}

/** Says in a line how a transaction came to its end. */
export function describeOutcome(outcome: Outcome): string {
  if (outcome.kind !== 'failed') return outcome.kind;
  return `${JSON.stringify(outcome.error, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))} after ${outcome.logs.slice(-3).join(' | ')}`;
}

/** Draws an order of so many things. */
export function shuffled(random: Random, count: number): number[] {
  const order: number[] = [];
  for (let index = 0; index < count; index += 1) order.splice(random.integer(0, index), 0, index);
  return order;
}

/**
 * Lands the transactions of a batch in a random order, at first only some of them, then the others, and says where the balances
 * are not what was promised of those that landed.
 */
export function landBatch(ledger: Ledger, stage: BatchStage, batch: DecidedBatch, random: Random): string[] {
  const order = shuffled(random, batch.transactions.length);
  const count = random.integer(0, order.length);
  const before = batchBalancesOf(ledger, stage);
  const landed: PaidPart[] = [];
  for (const part of [order.slice(0, count), order.slice(count)]) {
    for (const index of part) {
      const outcome = sendFor(ledger, stage, readTransaction(bytesOf(ledger, batch, index)));
      if (outcome.kind !== 'landed') {
        return [`transaction ${index} of the order ${order} does not land: ${describeOutcome(outcome)}`];
      }
      const transaction = batch.transactions[index];
      if (transaction) landed.push(transaction);
    }
    const faults = compare(ledger, stage, before, landed);
    if (faults.length > 0) return faults.map((fault) => `after ${landed.length} of the order ${order}: ${fault}`);
  }
  return [];
}

function compare(ledger: Ledger, stage: BatchStage, before: BatchBalances, landed: readonly PaidPart[]): string[] {
  return judgeBatchBalances(ledger, stage, { before, after: batchBalancesOf(ledger, stage) }, landed);
}
