import type { Subscribe } from './subscription.ts';

/** Tells of each new slot. */
export const slotSubscribe: Subscribe = (ledger, _parameters, { notify }) => ({
  onSlot: (slot) => notify({ slot, parent: slot - 1n, root: ledger.slot('finalized') }),
});

/** Tells of each slot that becomes final. */
export const rootSubscribe: Subscribe = (ledger, _parameters, { notify }) => ({
  onSlot: () => notify(ledger.slot('finalized')),
});
