import type { Operator } from './mutants.ts';

/** A mutant that no test can or need notice, and why. */
export interface Explanation {
  path: string;
  operator: Operator;
  /** The source line where the mutant starts, without the space around it. */
  line: string;
  /** The code that is changed, where the line has other mutants of the operator that a test must notice. */
  original?: string;
  why: string;
}

/** The mutants of one line that share a reason: of each operator all of them, or those that change `original`. */
export function explain(
  path: string,
  line: string,
  operators: Operator | readonly Operator[],
  why: string,
  original?: string,
): readonly Explanation[] {
  return [operators]
    .flat()
    .map((operator) => ({ path, operator, line, why, ...(original !== undefined && { original }) }));
}
