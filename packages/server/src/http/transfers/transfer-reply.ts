import { type BuiltTransfer, type Lifetime, sentAmount } from 'splwright-core';
import type { TransferBuilder } from '../../build/transfer-builder.ts';
import { isTransferRefused, SimulationFailed } from '../../build/transfer-refused.ts';
import type { Deadline } from '../../chain/chain-reader.ts';
import { AppError } from '../../errors.ts';
import type { AuthenticatedKey } from '../../keys/authenticated-key.ts';
import type { DailyAmounts } from '../../keys/usage/daily-amounts.ts';
import { refusalOfTransfer } from '../../wire/refusal.ts';
import { explainSimulationError } from '../../wire/words/explain-simulation-error.ts';
import { assertKeyAllows } from './key-permission.ts';
import type { ReadTransferRequest } from './read-transfer-request.ts';
import { lifetimeToken, replyText } from './reply-text.ts';

/** What builds a transfer and counts it. */
export interface TransferReplyOptions {
  builder: TransferBuilder;
  dailyAmounts: DailyAmounts;
}

/** The body of a success, and what was built. */
export interface TransferReply {
  text: string;
  built: BuiltTransfer;
}

/**
 * Builds the transfer of a request that its key allows, and counts its amount towards the daily limit of the key.
 *
 * Throws an `AppError`; nothing is counted then, unless only the answer of the store was lost.
 */
export async function buildTransferReply(
  { operation, values, memoField, transfer }: ReadTransferRequest,
  key: AuthenticatedKey,
  deadline: Deadline,
  { builder, dailyAmounts }: TransferReplyOptions,
): Promise<TransferReply> {
  let built: BuiltTransfer;
  try {
    built = await builder.build(transfer, deadline, values.simulate);
  } catch (error) {
    throw wordedRefusal(error, memoField);
  }
  const amount = sentAmount(built.plan);
  // Before the mint was read, a decimal amount had no base units yet.
  if (typeof transfer.amount !== 'bigint') assertKeyAllows(key.restrictions, operation, transfer, amount);
  const text = replyText(operation, values, built);
  // Counted last: only a transaction that is sent counts.
  await dailyAmounts.count(key, { mint: transfer.mint, amount });
  return { text, built };
}

function wordedRefusal(error: unknown, memoField: ReadTransferRequest['memoField']): unknown {
  if (isTransferRefused(error)) return refusalOfTransfer(error.findings, memoField);
  if (!(error instanceof SimulationFailed)) return error;
  const { logs, instructions } = error;
  return new AppError('simulation_failed', explainSimulationError(error.error, logs, instructions), { logs });
}

/** The headers that say how long a transaction can land. */
export function lifetimeHeaders(lifetime: Lifetime): Readonly<Record<string, string>> {
  // A nonce has no last block height: it is valid until it is advanced.
  return 'blockhash' in lifetime
    ? {
        'solana-blockhash': lifetimeToken(lifetime),
        'solana-last-valid-block-height': lifetime.lastValidBlockHeight.toString(),
      }
    : { 'solana-blockhash': lifetimeToken(lifetime) };
}
