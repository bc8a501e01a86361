import type { DecidedBatch } from '../../../packages/core/src/batch/decide-batch.ts';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { decodeMessage } from '../../../packages/sandbox/src/ledger/transaction-decoding.ts';
import { compareTransactions } from '../compare-transactions.ts';
import { maxSize, readTransaction } from '../transaction.ts';
import { compileBatchTransaction } from './batch-instructions.ts';
import type { BatchStage } from './batch-stage.ts';
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
