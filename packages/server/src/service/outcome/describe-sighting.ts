import { summarizeTransaction } from 'splwright-core';
import { receivedAmounts } from './received-amounts.ts';
import type { Sighting } from './sighting.ts';
import type { FailedVerdict, LandedPayment, LandedVerdict, OutcomeItem, SeenTransaction } from './verdict.ts';

/** The verdict on a payment that was made. `ambiguous` has all signatures that could be its own, when there are several. */
export function landedVerdict(
  item: OutcomeItem,
  sighting: Sighting,
  ambiguous: readonly string[] | undefined,
): LandedVerdict {
  return { outcome: 'landed', ...seen(item, sighting), payments: paymentsOf(item, sighting), ambiguous };
}

/** The verdict on a transaction that failed on the chain. */
export function failedVerdict(item: OutcomeItem, sighting: Sighting): FailedVerdict {
  const { bytes, error, loadedAddresses } = sighting.landed;
  const usesTables = loadedAddresses.writable.length + loadedAddresses.readonly.length > 0;
  const instructions = usesTables ? [] : summarizeTransaction(bytes).instructions;
  return { outcome: 'failed', ...seen(item, sighting), error, instructions };
}

function seen({ intent }: OutcomeItem, { signature, by, commitment, landed }: Sighting): SeenTransaction {
  const { slot, blockTime, fee } = landed;
  const message = landed.content?.message ?? intent.message;
  const matchedBy = by === 'similar' ? 'content' : by;
  return { signature, slot, blockTime, commitment, fee, matchedBy, message };
}

function paymentsOf({ intent }: OutcomeItem, { landed }: Sighting): readonly LandedPayment[] {
  const { payments, source } = intent;
  const received = receivedAmounts(
    payments.map(({ destination, amount }) => ({ source, destination, amount })),
    landed.balances,
  );
  return payments.map(({ destination, amount }, index) => ({
    tokenAccount: destination,
    wallet: landed.balances?.get(destination)?.owner,
    amount,
    received: received?.[index],
  }));
}
