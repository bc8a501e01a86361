/** Verifies changed transactions, and executes those that pass: `node packages/client/test/verify/run-mutations.ts --count 10000000`. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { describeMutations, runMutations } from './mutation-run.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { count: text, seed: text, execute: text } });
const count = Number(values.count ?? 1_000_000);
const seed = Number(values.seed ?? randomInt(2 ** 32));
const execute = Number(values.execute ?? 20_000);
console.log(`seed ${seed}, ${count} changed transactions`);
let nextReportAt = performance.now() + 10_000;
const tally = await runMutations({
  seed,
  count,
  perWorld: 200,
  executeEvery: Math.max(1, Math.floor(count / execute)),
  onWorld: ({ changed, differing }) => {
    if (performance.now() < nextReportAt) return;
    nextReportAt = performance.now() + 10_000;
    console.log(`${changed} changed, ${differing.length} that do something else`);
  },
});
console.log(describeMutations(tally));
process.exitCode = tally.differing.length === 0 ? 0 : 1;
