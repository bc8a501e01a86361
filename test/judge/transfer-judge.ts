import { type Court, type CourtRules, openCourt } from './court.ts';
import { drawWorld } from './draw-world.ts';
import { describeTally, describeVerdict, judgeInto, openTally, replayCommand } from './judge-worlds.ts';
import type { WorldJudge } from './world-judge.ts';

/** Judges worlds of transfers: each is decided on by the service, and executed by the programs. */
export function createTransferJudge(seed: number, rules: readonly CourtRules[]): WorldJudge {
  const courts = new Map<CourtRules, Court>();
  const tally = openTally();
  return {
    conditions: `under ${rules.map(({ name }) => name).join(', ')}`,
    async judge(number) {
      const here = rules[number % rules.length];
      if (!here) throw new Error('there are no rules to judge by');
      const court = courts.get(here) ?? openCourt(here);
      courts.set(here, court);
      const verdict = await judgeInto(tally, court, drawWorld(seed, number));
      return {
        disagrees: verdict.disagreements.length > 0,
        description: `under ${here.name}: ${describeVerdict(verdict)}`,
        replay: replayCommand(verdict.world, here),
      };
    },
    counts: () => ({ worlds: tally.worlds, disagreeing: tally.disagreeing.length }),
    describe: () => describeTally(tally),
    async close() {},
  };
}
