import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { compareTokenAccounts } from './check-addresses.ts';
import { compareCurveEdges } from './curve-edges.ts';

const randomInputs = 1_000_000;

/**
 * Compares what is derived fast with the reference libraries, at a length that takes minutes, and writes what was run.
 *
 * Throws at the first difference, and writes nothing then.
 */
export async function runChecks(): Promise<string> {
  const startedAt = performance.now();
  const edges = compareCurveEdges();
  const { compared, lowestBump } = await compareTokenAccounts();
  const workers = availableParallelism();
  const shares = await Promise.all(
    Array.from({ length: workers }, (_, index) =>
      checkShare(Math.floor(((index + 1) * randomInputs) / workers) - Math.floor((index * randomInputs) / workers)),
    ),
  );
  const onCurve = shares.reduce((sum, share) => sum + share, 0);
  const text = [
    `Run by \`npm run bench -- --checks\` on ${new Date().toISOString().slice(0, 10)}, in ${Math.round((performance.now() - startedAt) / 1000)} s, apart from the measurements:`,
    '',
    `- The curve test equals \`@noble/curves\` on ${randomInputs.toLocaleString('en')} random inputs, of which ${onCurve.toLocaleString('en')} are on the curve, and on ${edges} edges.`,
    `- The token account and its bump equal \`findAssociatedTokenPda\` of kit and \`getAssociatedTokenAddressSync\` of spl-token on ${compared.toLocaleString('en')} owner × mint × program, both token programs; the lowest bump met is ${lowestBump}.`,
    '',
  ].join('\n');
  writeFileSync(new URL('./CHECKS.md', import.meta.url), text);
  return text;
}

function checkShare(inputs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./check-curve.ts', import.meta.url), { workerData: inputs });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
