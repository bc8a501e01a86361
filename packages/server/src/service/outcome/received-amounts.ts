import type { LandedTransaction } from '../../chain/chain-history.ts';

/** One transfer between token accounts, in base units. */
export interface AccountTransfer {
  source: string;
  destination: string;
  amount: bigint;
}

/**
 * Returns what each transfer of a landed transaction brought to its destination: less than the amount where the mint takes a fee.
 *
 * `transfers` are all that pay these destinations. Where the node kept no balances, the amounts are returned.
 */
export function receivedAmounts(
  transfers: readonly AccountTransfer[],
  { tokenChanges }: Pick<LandedTransaction, 'tokenChanges'>,
): readonly bigint[] {
  return transfers.map(({ source, destination, amount }, index) => {
    const change = tokenChanges.get(destination);
    // One that pays itself has as much as before.
    if (change === undefined || destination === source) return amount;
    // An account that got several payments got each of them in proportion, and what rounding leaves with the last.
    const total = amountUpTo(destination, transfers.length);
    if (total === 0n) return 0n;
    const shareUpTo = (last: number): bigint => (change * amountUpTo(destination, last)) / total;
    return shareUpTo(index) - shareUpTo(index - 1);
  });

  function amountUpTo(destination: string, last: number): bigint {
    return transfers
      .slice(0, last + 1)
      .reduce((sum, each) => sum + (each.destination === destination ? each.amount : 0n), 0n);
  }
}
