import { explainedInAddresses } from './explained-addresses.ts';
import { explainedInBatches } from './explained-batches.ts';
import { explainedInChain } from './explained-chain.ts';
import { explainedInCore } from './explained-core.ts';
import { explainedInHttp } from './explained-http.ts';
import { explainedInKeys } from './explained-keys.ts';
import { explainedInPages } from './explained-pages.ts';
import { explainedInPayments } from './explained-payments.ts';
import { explainedInPlans } from './explained-plans.ts';
import { explainedInServer } from './explained-server.ts';
import { explainedInService } from './explained-service.ts';
import { explainedInTraces } from './explained-traces.ts';
import { explainedInTransactions } from './explained-transactions.ts';
import type { Explanation } from './explanation.ts';
import type { Mutant } from './mutants.ts';

/** All explanations. */
export const explained: readonly Explanation[] = [
  ...explainedInAddresses,
  ...explainedInBatches,
  ...explainedInChain,
  ...explainedInCore,
  ...explainedInHttp,
  ...explainedInKeys,
  ...explainedInPages,
  ...explainedInPayments,
  ...explainedInPlans,
  ...explainedInServer,
  ...explainedInService,
  ...explainedInTransactions,
  ...explainedInTraces,
];

/** Returns the explanation of a mutant, otherwise undefined. `text` is the source file's. */
export function explanationOf(path: string, text: string, mutant: Mutant): Explanation | undefined {
  const line = text.split('\n')[mutant.line - 1]?.trim();
  return explained.find(
    (known) =>
      known.path === path &&
      known.operator === mutant.operator &&
      known.line === line &&
      (known.original ?? mutant.original) === mutant.original,
  );
}

/** Returns the explanations for a source file that fit none of its mutants: the code has changed since. */
export function outdatedExplanations(path: string, text: string, mutants: readonly Mutant[]): Explanation[] {
  const used = new Set(mutants.map((mutant) => explanationOf(path, text, mutant)));
  return explained.filter((known) => known.path === path && !used.has(known));
}
