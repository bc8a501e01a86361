import type { Ledger } from '../../ledger/ledger.ts';
import type { Commitment } from '../../ledger/slot-clock.ts';

/** How certain a slot is. */
export interface Confirmation {
  /** Blocks on top of the slot's own, itself included; null once the slot is final. */
  confirmations: bigint | null;
  confirmationStatus: Commitment;
}

/** A validator counts confirmations up to this (`MAX_LOCKOUT_HISTORY`). */
const maxConfirmations = 31n;

/** Returns how certain a slot is: `finalized` at once, or `confirmed` until it is 32 slots old. */
export function confirmationOf(ledger: Ledger, slot: bigint): Confirmation {
  const slotsSince = ledger.slot() - slot;
  if (slotsSince >= ledger.slotsToFinalize) return { confirmations: null, confirmationStatus: 'finalized' };
  const confirmations = slotsSince < maxConfirmations ? slotsSince + 1n : maxConfirmations;
  return { confirmations, confirmationStatus: 'confirmed' };
}
