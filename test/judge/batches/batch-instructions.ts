import { createNoopSigner, type Instruction } from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token-2022';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { memoProgram } from '../addresses.ts';
import type { Budget } from '../budget.ts';
import { compileIfAllowed } from '../transaction.ts';
import { buildTransfer } from '../witness.ts';
import type { BatchStage } from './batch-stage.ts';

/** Makes with the libraries the instructions of one transaction that makes these transfers, without compute budget and nonce. */
export async function instructionsOf(
  ledger: Ledger,
  { batch, situation, references }: BatchStage,
  transfers: readonly number[],
): Promise<Instruction[]> {
  const { sender, feePayer, mint, tokenProgram, payments } = situation;
  const instructions: Instruction[] = [];
  const created = new Set<string>();
  for (const index of transfers) {
    const payment = payments[index];
    if (!payment) throw new RangeError(`there is no transfer ${index}`);
    const { recipient: owner, tokenAccount: ata, payee } = payment;
    if (payee.creates && !created.has(owner)) {
      created.add(owner);
      const fields = { payer: createNoopSigner(feePayer), ata, owner, mint, tokenProgram };
      instructions.push(getCreateAssociatedTokenIdempotentInstruction(fields));
    }
    const memo = batch.transfers[index]?.memo;
    if (memo !== undefined) {
      const fields = { memo, signers: [createNoopSigner(sender)] };
      // The library's type knows its own default only.
      instructions.push(getAddMemoInstruction(fields, { programAddress: memoProgram }));
    }
    instructions.push(await buildTransfer(ledger, situation, payment, references[index] ?? []));
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
