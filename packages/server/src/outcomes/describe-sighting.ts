import { type Address, changeOf, summarizeTransaction, type TokenBalances } from 'splwright-core';
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

/** One transfer between token accounts, in base units. */
export interface AccountTransfer {
  source: Address;
  destination: Address;
  amount: bigint;
}

/**
 * Returns what each transfer of a landed transaction brought to its destination: less than the amount where the mint takes a
 * fee, or where some of it did not stay there. `undefined` where the node kept no balances.
 *
 * `transfers` are all that pay these destinations. An account that got several got each of them in proportion.
 */
export function receivedAmounts(
  transfers: readonly AccountTransfer[],
  balances: TokenBalances | undefined,
): readonly bigint[] | undefined {
  if (!balances) return undefined;
  return transfers.map(({ source, destination, amount }, index) => {
    // One that pays itself has as much as before.
    if (destination === source) return amount;
    // What rounding leaves goes to the last.
    const total = amountUpTo(destination, transfers.length);
    const change = within(changeOf(balances, destination), total);
    if (total === 0n) return 0n;
    const shareUpTo = (last: number): bigint => (change * amountUpTo(destination, last)) / total;
    return shareUpTo(index) - shareUpTo(index - 1);
  });

  function amountUpTo(destination: Address, last: number): bigint {
    return transfers
      .slice(0, last + 1)
      .reduce((sum, each) => sum + (each.destination === destination ? each.amount : 0n), 0n);
  }
}

// Others may have taken more out of an account than was paid, or paid more into it.
function within(change: bigint, most: bigint): bigint {
  if (change < 0n) return 0n;
  return change > most ? most : change;
}
