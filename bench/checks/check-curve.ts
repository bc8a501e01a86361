import { randomFillSync } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { isOnCurve } from '../../packages/core/src/index.ts';
import { isOnCurveByNoble } from './noble-curve.ts';

/** Compares the curve test with `@noble/curves` on so many random inputs: one worker's share. */
const inputs: number = workerData;

const bytes = new Uint8Array(32);
let onCurve = 0;
for (let count = 0; count < inputs; count++) {
  randomFillSync(bytes);
  const found = isOnCurve(bytes);
  if (found !== isOnCurveByNoble(bytes)) throw new Error(`they differ on ${Buffer.from(bytes).toString('hex')}`);
  if (found) onCurve++;
}
parentPort?.postMessage(onCurve);
