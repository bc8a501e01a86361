import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import type { ProblemCode } from '../../../packages/server/src/errors.ts';
import type { Json } from '../../setup/json.ts';
import type { UncheckedOptions } from '../../setup/token-unchecked-transfer.ts';
import type { Operation, Situation, SituationPlan } from '../../token-support/situation.ts';

/** Asks for a situation's transfer with other options: the body of the reply. */
type Ask = (options: object) => Promise<Json>;

/** A situation that is refused for one reason, and what the refusal says. */
export interface RefusalCase {
  code: ProblemCode;
  /** In words, where a code has several cases. */
  because?: string;
  operation: Operation;
  plan: SituationPlan;
  /** Another request than the plan's, of accounts that are there. */
  alter?: (situation: Situation) => Situation;
  /** Additional fields of the request. */
  options?: object;
  /** The same for the transaction that is sent unchecked. */
  unchecked?: UncheckedOptions;
  /** Whatever the options name that must be on the ledger. */
  prepare?: (ledger: Ledger) => void;
  /** JSON pointer into the request. */
  pointer: string;
  detail: (situation: Situation, ledger: Ledger, ask: Ask) => string | Promise<string>;
}

/** Refusals that name this field of the request, except where they say another. */
export function refusalsAt(
  pointer: string,
  cases: readonly (Omit<RefusalCase, 'pointer'> & { pointer?: string })[],
): readonly RefusalCase[] {
  return cases.map((each) => ({ pointer, ...each }));
}
