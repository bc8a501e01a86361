import { readTransferIntent, type TransferIntent } from 'splwright-core';
import type { Work } from '../work/work.ts';

// So many take no longer than other requests may wait.
const intentsPerTurn = 8;

/** Reads what transactions are meant to pay, those of a batch in turns of the event loop. Throws for bytes that are no transfer. */
export async function readIntents(
  transactions: readonly { bytes: Uint8Array }[],
  work: Work | undefined,
): Promise<readonly TransferIntent[]> {
  const intents: TransferIntent[] = [];
  for (const { bytes } of transactions) {
    if (intents.length > 0 && intents.length % intentsPerTurn === 0) await work?.next();
    intents.push(intentOf(bytes));
  }
  return intents;
}

function intentOf(bytes: Uint8Array): TransferIntent {
  const read = readTransferIntent(bytes);
  if ('fault' in read) throw new Error(`a built transaction is no transfer: ${read.fault.kind}`);
  return read.intent;
}
