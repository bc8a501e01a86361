import type { Subscribe } from './subscription.ts';

/** Sends each new slot. */
export const slotSubscribe: Subscribe = (ledger, _parameters, { notify }) => ({
  onSlot: (slot) => notify({ slot, parent: slot - 1n, root: ledger.slot('finalized') }),
});

/** Sends each slot that becomes final. */
export const rootSubscribe: Subscribe = (ledger, _parameters, { notify }) => ({
  onSlot: () => notify(ledger.slot('finalized')),
});
