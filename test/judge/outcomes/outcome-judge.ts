import type { WorldJudge } from '../world-judge.ts';
import { describeHistory, describeHistoryTally, HistoryJudge, replayHistoryCommand } from './judge-histories.ts';

/** Judges worlds of outcomes and retries: what two services say of a payment is compared with what the ledger executed. */
export function createOutcomeJudge(seed: number): WorldJudge {
  const judge = new HistoryJudge();
  const { tally } = judge;
  return {
    conditions: 'outcomes and retries',
    async judge(number) {
      const verdict = await judge.judge(seed, number);
      return {
        disagrees: verdict.disagreements.length > 0,
        description: describeHistory(verdict),
        replay: replayHistoryCommand(verdict),
      };
    },
    counts: () => ({ worlds: tally.worlds, disagreeing: tally.disagreeing.length }),
    describe: () => describeHistoryTally(tally),
    close: () => judge.close(),
  };
}
