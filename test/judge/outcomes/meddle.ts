import { advanceNonce, passBlocks, submit } from './chain-steps.ts';
import type { Step } from './history-world.ts';
import { judgeOne, questionOf } from './judge-outcomes.ts';
import type { Trial } from './trial.ts';

/** Asks for the outcome of the payment, while something happens between two answers of the nodes. */
export async function meddle(trial: Trial, { at, what }: Extract<Step, { kind: 'meddle' }>): Promise<void> {
  const built = trial.errands.get(0)?.builds.at(-1);
  if (!built) return;
  let asked = 0;
  const meddler = (): void => {
    asked += 1;
    if (asked !== at + 1) return;
    trial.log.push(`while the outcome is asked for: ${what}`);
    if (what === 'submit') submit(trial, built, false);
    if (what === 'pass') passBlocks(trial, 190);
    if (what === 'advance_nonce') advanceNonce(trial, 'nonce');
  };
  const before = trial.nodes.map(({ meddle: own }) => own);
  for (const node of trial.nodes) node.meddle = meddler;
  await judgeOne(trial, questionOf(trial, built, 'unsigned', true), 'safety');
  for (const [index, node] of trial.nodes.entries()) node.meddle = before[index] ?? (() => undefined);
}
