import type { Ledger } from '../ledger/ledger.ts';
import { type Commitment, slotsToFinalize } from '../ledger/slot-clock.ts';

/** How sure the cluster is of a slot. */
export interface Confirmation {
  /** Slots since; null once the slot is final. */
  readonly confirmations: bigint | null;
  readonly confirmationStatus: Commitment;
}

/** Says how sure the cluster is of a slot: at once `confirmed`, `finalized` 32 slots later. */
export function confirmationOf(ledger: Ledger, slot: bigint): Confirmation {
  const confirmations = ledger.slot() - slot;
  return confirmations >= slotsToFinalize
    ? { confirmations: null, confirmationStatus: 'finalized' }
    : { confirmations, confirmationStatus: 'confirmed' };
}
