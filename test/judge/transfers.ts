import { type Court, openCourt, passTime } from './court.ts';
import { drawWorld } from './draw-world.ts';
import type { Subject } from './judge.ts';
import { judgeWorld, type Verdict } from './judge-world.ts';
import { describeWorld } from './world.ts';

const worldsBetweenTimes = 50;
const slotsAtATime = 10;

/** Worlds of transfers: each is decided on by the service, and executed by the programs. */
export const transfers: Subject<Court> = {
  name: 'transfers',
  open: openCourt,
  worldsAtAPlace: 5_000,
  async judge(court, seed, number) {
    if (number % worldsBetweenTimes === worldsBetweenTimes - 1) passTime(court, slotsAtATime);
    const verdict = await judgeWorld(court, drawWorld(seed, number));
    return { ...verdict, lines: linesOf(verdict) };
  },
};

/** A verdict in full: the world, the decision, what the chain did, and where they disagree. */
export function describeVerdict(verdict: Verdict): string {
  const { outcome, disagreements } = verdict;
  const logs = disagreements.length > 0 && outcome?.kind === 'failed' ? outcome.logs : [];
  const told = disagreements.map((disagreement) => `  DISAGREEMENT: ${disagreement}`);
  return [...linesOf(verdict), ...told, ...logs.map((log) => `    ${log}`)].join('\n');
}

function linesOf({ world, codes, outcome }: Verdict): readonly string[] {
  return [
    describeWorld(world),
    `  decision: ${codes.join(', ') || 'answered'}`,
    `  chain: ${outcome ? JSON.stringify(outcome.kind === 'failed' ? outcome.error : outcome) : 'not asked'}`,
  ];
}
