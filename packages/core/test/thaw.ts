import type { Thaw } from '../src/plan/resolve-thaw.ts';
import { freshAddress } from './fixtures.ts';

/** A thaw at fresh addresses, of which the gate program reads its list and so many further accounts. */
export function thawOf(extraCount = 0, bumpSteps = 0): Thaw {
  const [configuration, flag, gateProgram] = [freshAddress(), freshAddress(), freshAddress()];
  return {
    configuration,
    flag,
    gateProgram,
    gateAccounts: Array.from({ length: 1 + extraCount }, freshAddress),
    bumpSteps,
  };
}
