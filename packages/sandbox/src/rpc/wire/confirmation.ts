import type { Ledger } from '../../ledger/ledger.ts';
import { type Commitment, slotsToFinalize } from '../../ledger/slot-clock.ts';

/** How certain a slot is. */
export interface Confirmation {
  /** Blocks on top of the slot's own, itself included; null once the slot is final. */
  confirmations: bigint | null;
  confirmationStatus: Commitment;
}

/** A validator counts confirmations up to this (`MAX_LOCKOUT_HISTORY`). */
const maxConfirmations = slotsToFinalize - 1n;

/** Returns how certain a slot is: `confirmed` at once, `finalized` 32 slots later. */
export function confirmationOf(ledger: Ledger, slot: bigint): Confirmation {
  const slotsSince = ledger.slot() - slot;
  if (slotsSince >= slotsToFinalize) return { confirmations: null, confirmationStatus: 'finalized' };
  const confirmations = slotsSince < maxConfirmations ? slotsSince + 1n : maxConfirmations;
  return { confirmations, confirmationStatus: 'confirmed' };
}
