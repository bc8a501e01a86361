import type { Ledger } from '../../packages/sandbox/src/index.ts';
import type { Cleanup } from './service.ts';

const pauseMs = 50;
const slotsPerPause = 2;

/**
 * Lets slots pass nine times as fast until the test ends: what has landed is final after less than a second.
 *
 * A service on this ledger needs a `UPSTREAM_MAX_SLOT_LAG` that forgives an answer of a few moments ago.
 */
export function hurrySlots(t: Cleanup, ledger: Ledger): void {
  const timer = setInterval(() => ledger.advanceSlots(slotsPerPause), pauseMs);
  t.after(async () => clearInterval(timer));
}
