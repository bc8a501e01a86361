import { createNoopSigner, type Instruction } from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token-2022';
import type { DecidedBatch } from '../../../packages/core/src/batch/decide-batch.ts';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { decodeMessage } from '../../../packages/sandbox/src/ledger/transaction-decoding.ts';
import { memoProgram } from '../addresses.ts';
import type { Budget } from '../budget.ts';
import { compareTransactions } from '../compare-transactions.ts';
import { compileIfAllowed, maxSize, readTransaction } from '../transaction.ts';
import { buildTransfer } from '../witness.ts';
import { at, type BatchStage } from './batch-stage.ts';
import { bytesOf } from './land-batch.ts';

const maxAccounts = 64;
const maxInstructions = 64;

/** Says where the transactions of a batch are not its transfers, each once, or not what the libraries make of the same ones. */
export async function judgePacking(ledger: Ledger, stage: BatchStage, batch: DecidedBatch): Promise<string[]> {
  const { batch: world, situation } = stage;
  const faults: string[] = [];
  const all = batch.transactions.flatMap(({ transfers }) => transfers);
  const isEachOnce = all.length === world.transfers.length && new Set(all).size === all.length;
  if (!isEachOnce) faults.push(`${world.transfers.length} transfers were asked for, and there are ${all}`);
  if (batch.lowerBound > batch.transactions.length) faults.push('there are fewer transactions than the lower bound');
  for (const [index, { plan, transfers }] of batch.transactions.entries()) {
    if (transfers.some((transfer, at) => transfer <= (transfers[at - 1] ?? -1))) {
      faults.push(`transaction ${index} makes its transfers out of order`);
    }
    const tokens = new Set(transfers.map((transfer) => at(stage.situations, transfer)));
    if (tokens.size !== 1) faults.push(`transaction ${index} pays ${tokens.size} tokens`);
    const bytes = bytesOf(ledger, batch, index);
    const made = readTransaction(bytes);
    const { staticAddresses, instructions } = decodeMessage(Uint8Array.from(made.messageBytes));
    if (bytes.length > maxSize(situation)) faults.push(`transaction ${index} has ${bytes.length} bytes`);
    if (staticAddresses.length > maxAccounts)
      faults.push(`transaction ${index} has ${staticAddresses.length} accounts`);
    if (instructions.length > maxInstructions)
      faults.push(`transaction ${index} has ${instructions.length} instructions`);
    const { computeUnitLimit, priorityFee } = plan;
    const { priorityFee: asked } = world;
    const price = asked?.kind === 'price' && asked.price > 0n ? asked.price : plan.computeUnitPrice || undefined;
    const budget = { computeUnitLimit, computeUnitPrice: price, priorityFee };
    const expected = await compileBatchTransaction(ledger, stage, transfers, budget);
    if (typeof expected === 'string') faults.push(`the libraries say of transaction ${index}: ${expected}`);
    else faults.push(...compareTransactions(made, expected, { computeUnitPrice: price, isFixed: false }));
  }
  return faults;
}

/** Makes with the libraries the instructions of one transaction that makes these transfers, without compute budget and nonce. */
async function instructionsOf(
  ledger: Ledger,
  { batch, situation, situations, references }: BatchStage,
  transfers: readonly number[],
): Promise<Instruction[]> {
  const instructions: Instruction[] = [];
  const created = new Set<string>();
  for (const index of transfers) {
    const own = at(situations, index);
    const { sender, feePayer, mint, tokenProgram } = own;
    const payment = at(situation.payments, index);
    const { recipient: owner, tokenAccount: ata, payee } = payment;
    if (payee.creates && !created.has(ata)) {
      created.add(ata);
      const fields = { payer: createNoopSigner(feePayer), ata, owner, mint, tokenProgram };
      instructions.push(getCreateAssociatedTokenIdempotentInstruction(fields));
    }
    const memo = batch.transfers[index]?.memo;
    if (memo !== undefined) {
      const fields = { memo, signers: [createNoopSigner(sender)] };
      // The library's type knows its own default only.
      instructions.push(getAddMemoInstruction(fields, { programAddress: memoProgram }));
    }
    instructions.push(await buildTransfer(ledger, own, payment, references[index] ?? []));
  }
  return instructions;
}

/** Compiles with the libraries the transaction that makes these transfers; or says why there is none. */
export async function compileBatchTransaction(
  ledger: Ledger,
  stage: BatchStage,
  transfers: readonly number[],
  budget: Budget,
): Promise<ReturnType<typeof compileIfAllowed> | 'hook_unresolvable'> {
  const instructions = await instructionsOf(ledger, stage, transfers).catch((error: unknown) => {
    // The library has no type of error for what a hook demands and the chain does not have.
    if (error instanceof Error && error.message.startsWith('Invalid transfer hook')) return undefined;
    throw error;
  });
  if (!instructions) return 'hook_unresolvable';
  return compileIfAllowed(ledger, stage.situation, { instructions, budget });
}
