import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultProxy, healthy } from '../setup/fault-proxy.ts';
import { lag } from '../setup/faults.ts';
import { createWorldTokenAccount } from '../setup/world-token-account.ts';
import type { Arena } from './arena.ts';
import { type FaultRun, type Pace, runFault } from './fault-run.ts';
import { liveBlockhashes, type Measured, onlyStatuses } from './measured.ts';
import { unnoticed, type Which } from './one-of-two.ts';

/** How a node lags: it says so when it is asked for a newer slot, it does not, or its slot does not move at all. */
export type LagKind = 'honestly' | 'silently' | 'stuck';

/** A lag by so many slots; one that is stuck falls behind by itself. */
export interface LagPlan {
  kind: LagKind;
  slotsBehind: bigint;
}

// A node that is no further behind is believed. What is further is noticed by a look once a second.
const toleratedSlots = 10n;
const noticedMs = 1_500;

/** One of two nodes lags, and does not know the token accounts that the load pays: no client notices. */
export async function lagOne(arena: Arena, pace: Pace, which: Which, plan: LagPlan): Promise<Measured> {
  const run = await runLag(arena, pace, [arena[which]], plan);
  return { injected: `the ${which} node ${words(plan)}`, checks: unnoticed(run) };
}

/** Both nodes lag: what they say is not believed. */
export async function lagBoth(arena: Arena, pace: Pace, plan: LagPlan): Promise<Measured> {
  const run = await runLag(arena, pace, [arena.preferred, arena.other], plan);
  return {
    injected: `both nodes ${words(plan)}`,
    checks: [onlyStatuses(run.all, [200, 503, 504]), liveBlockhashes(run.truth)],
  };
}

// The account is made as the fault begins, so that a node of the past says "not found" until the fault is over.
async function runLag(arena: Arena, pace: Pace, lagging: readonly FaultProxy[], plan: LagPlan): Promise<FaultRun> {
  const { sandbox, memory } = arena;
  const { ledger } = sandbox;
  // A node of the past can be no further behind than the memory goes back: after a quick start that is too little to be noticed.
  while (ledger.slot() < memory.firstSlot + plan.slotsBehind) await once(ledger.events, 'slot');
  return runFault(arena, pace, {
    async inject(load) {
      const then = ledger.slot();
      const slot = plan.kind === 'stuck' ? () => then : () => ledger.slot() - plan.slotsBehind;
      for (const proxy of lagging) proxy.fault = lag({ memory, slot, isHonest: plan.kind === 'honestly' });
      if (plan.kind === 'stuck') {
        while (ledger.slot() <= then + toleratedSlots) await once(ledger.events, 'slot');
        await sleep(noticedMs);
      }
      await createWorldTokenAccount(sandbox, 'carol', 'USDC');
      load.recipient = 'carol';
    },
    heal() {
      for (const proxy of lagging) proxy.fault = healthy;
    },
  });
}

function words({ kind, slotsBehind }: LagPlan): string {
  return kind === 'stuck' ? 'stuck at one slot' : `${kind} ${slotsBehind} slots behind`;
}
