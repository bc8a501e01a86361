import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import type { DecidedBatch } from '../../../packages/core/src/batch/decide-batch.ts';
import { type BatchInputs, validateBatchRequest } from '../../../packages/core/src/batch/validate-batch-request.ts';
import type { Finding } from '../../../packages/core/src/findings/finding.ts';
import { finish } from '../../../packages/core/src/plan/steps.ts';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { Work } from '../../../packages/server/src/app/work.ts';
import { BatchBuilder } from '../../../packages/server/src/transfers/batch-builder.ts';
import { MintHints } from '../../../packages/server/src/transfers/decide-from-chain.ts';
import { isTransferRefused } from '../../../packages/server/src/transfers/transfer-refused.ts';
import { maxPriorityFeeLamports } from '../court.ts';
import { LedgerChainReader } from '../ledger-chain-reader.ts';
import { decimalText, priorityFeeText } from '../request.ts';
import { at, type BatchStage } from './batch-stage.ts';
import type { TransferOfBatch } from './batch-world.ts';

/**
 * What the service decides on a batch, and how it got there.
 *
 * `reads`: round trips for accounts and prices, of which `accountReads` are those for accounts.
 */
export type BatchVerdict = { reads: number; accountReads: number } & (
  | { decided: DecidedBatch }
  | { findings: readonly Finding[] }
);

/** Lets the service build a batch as it is on a ledger; `hints` is what it knows of mints. */
export async function decideOn(ledger: Ledger, stage: BatchStage, hints = new MintHints()): Promise<BatchVerdict> {
  const { request, findings } = finish(validateBatchRequest(inputsOf(stage)));
  if (!request) return { reads: 0, accountReads: 0, findings };
  const { priorityFee } = stage.batch;
  const reader = new RoundTripReader(ledger);
  reader.recentPrices = priorityFee?.kind === 'level' ? priorityFee.recentPrices : [];
  const builder = new BatchBuilder(reader, { maxPriorityFeeLamports, hints });
  const reads = () => ({ reads: reader.roundTrips + reader.priceReads, accountReads: reader.roundTrips });
  try {
    const decided = await builder.build(request, new PlainWork());
    return { ...reads(), decided };
  } catch (error) {
    if (isTransferRefused(error)) return { ...reads(), findings: error.findings };
    throw error;
  }
}

/** A turn is one of the event loop: those of the service wait for others by a clock, and calls are to be counted the same on any machine. */
class PlainWork extends Work {
  override next(): Promise<void> {
    return nextTurnOfLoop();
  }
}

// The service sends its calls in turns of the event loop.
const quietTurns = 5;

/** Counts calls for accounts that are sent before any of them is answered as one: it answers none while more are sent. */
class RoundTripReader extends LedgerChainReader {
  roundTrips = 0;
  #callCount = 0;
  #roundTrip: Promise<void> | undefined;

  override async readAccounts(addresses: Parameters<LedgerChainReader['readAccounts']>[0]) {
    this.#callCount += 1;
    this.#roundTrip ??= this.#untilQuiet();
    await this.#roundTrip;
    return super.readAccounts(addresses);
  }

  async #untilQuiet(): Promise<void> {
    this.roundTrips += 1;
    for (let seen = 0; seen < this.#callCount; ) {
      seen = this.#callCount;
      for (let turn = 0; turn < quietTurns; turn++) await nextTurnOfLoop();
    }
    this.#roundTrip = undefined;
  }
}

/** A batch as its request. */
export function inputsOf({ batch, situation, situations, references }: BatchStage): BatchInputs {
  const { sender, mint, feePayer, nonceAccount, payments } = situation;
  const priorityFee = priorityFeeText(batch.priorityFee, undefined);
  return {
    from: sender,
    mint,
    createTokenAccount: batch.creation,
    transactionVersion: batch.version,
    allowsOffCurveRecipient: batch.allowsOffCurveRecipient,
    ...(batch.isSponsored && { feePayer }),
    ...(priorityFee !== undefined && { priorityFee }),
    ...(nonceAccount !== undefined && { nonceAccount }),
    transfers: batch.transfers.map((transfer, index) => ({
      to: payments[index]?.recipient,
      ...(transfer.token !== 0 && { mint: at(situations, index).mint }),
      ...amountOf(transfer, at(situations, index).decimals),
      memo: transfer.memo,
      references: references[index],
    })),
  };
}

function amountOf({ amount, amountText }: TransferOfBatch, decimals: number) {
  if (amountText === 'base_units') return { amount: `${amount}` };
  const text = decimalText(amount, decimals);
  if (amountText === 'padded_decimal') return { amountDecimal: text };
  return { amountDecimal: `${text}${decimals === 0 ? '.' : ''}1` };
}
