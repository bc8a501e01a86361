import { type Explanation, explain } from './explanation.ts';

const http = 'packages/server/src/http';

/** The mutants of the server's HTTP routes that no test can or need notice. */
export const explainedInHttp: readonly Explanation[] = [
  ...explain(
    `${http}/batches/batch-routes.ts`,
    "return resolved && 'baseUnits' in resolved ? resolved.baseUnits : undefined;",
    'swap logic',
    'The transactions of a batch have an intent, so that every amount is resolved.',
  ),
];
