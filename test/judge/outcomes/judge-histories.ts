import { describeWorld } from '../world.ts';
import type { WorldJudge } from '../world-judge.ts';
import { type HistoryVerdict, judgeHistory, openStage, type Stage } from './judge-history.ts';

/** What came of many histories. */
interface HistoryTally {
  worlds: number;
  disagreeing: HistoryVerdict[];
  /** How often each thing happened, or was said. */
  counts: Map<string, number>;
}

// A ledger keeps so many transactions only.
const worldsOnAStage = 100;

/** Judges histories one after the other, on a new stage from time to time. */
export class HistoryJudge {
  readonly tally: HistoryTally = { worlds: 0, disagreeing: [], counts: new Map() };
  #stage: Stage | undefined;
  #worldsHere = 0;

  /** Judges one history more, and counts it in. A history that cannot be judged is one that disagrees. */
  async judge(seed: number, number: number): Promise<HistoryVerdict> {
    if (this.#worldsHere >= worldsOnAStage) await this.close();
    this.#stage ??= await openStage();
    this.#worldsHere += 1;
    const verdict = await judgeHistory(this.#stage, seed, number);
    this.tally.worlds += 1;
    for (const [what, times] of verdict.tally) {
      this.tally.counts.set(what, (this.tally.counts.get(what) ?? 0) + times);
    }
    if (verdict.disagreements.length > 0) {
      this.tally.disagreeing.push(verdict);
      // It may have left something behind.
      await this.close();
    }
    return verdict;
  }

  /** Ends the services. */
  async close(): Promise<void> {
    const stage = this.#stage;
    this.#stage = undefined;
    this.#worldsHere = 0;
    await stage?.services.close();
  }
}

/** The command, in one line, that judges just this history. */
export function replayHistoryCommand({ world: { seed, number } }: HistoryVerdict): string {
  return `npm run judge -- --outcomes --seed ${seed} --world ${number}`;
}

/** What was said and done, and how often. */
function describeHistoryTally({ worlds, counts }: HistoryTally): string {
  const lines = [...counts].sort().map(([what, times]) => `${String(times).padStart(7)} ${what}`);
  return [`${worlds} worlds of outcomes and retries`, ...lines].join('\n');
}

/** A history in full, and where the services are wrong in it. */
export function describeHistory({ world, payment, log, disagreements }: HistoryVerdict): string {
  const { seed, number, nodes, isStormy } = world;
  return [
    `history of seed ${seed} world ${number}${isStormy ? ', in a storm' : ''}, quorum ${nodes.quorum}`,
    ...(payment ? [`  payment: ${describeWorld(payment)}`] : []),
    ...nodes.nodes.map((node) => `  node: ${JSON.stringify(node)}`),
    ...log.map((line) => `  ${line}`),
    ...disagreements.map((disagreement) => `  DISAGREEMENT: ${disagreement}`),
  ].join('\n');
}

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
