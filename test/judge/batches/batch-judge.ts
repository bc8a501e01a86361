import { type Court, type CourtRules, openCourt } from '../court.ts';
import type { JudgedWorld, WorldJudge } from '../world-judge.ts';
import { type BatchWorld, describeBatch } from './batch-world.ts';
import { drawBatch } from './draw-batch.ts';
import { type JudgedBatch, judgeBatch } from './judge-batch.ts';

// A ledger keeps what it executed: after so many batches there is a new one.
const batchesOfCourt = 100;
// "Within one transaction of the bound" is said of batches up to this size.
const smallSize = 60;

/** Judges batches: each is decided on by the service, and its transactions are executed by the programs in a random order. */
export class BatchJudge implements WorldJudge {
  readonly conditions: string;
  readonly #seed: number;
  readonly #rules: readonly CourtRules[];
  readonly #courts = new Map<CourtRules, { court: Court; batches: number }>();
  readonly #tally = new BatchTally();

  constructor(seed: number, rules: readonly CourtRules[]) {
    this.#seed = seed;
    this.#rules = rules;
    this.conditions = `batches under ${rules.map(({ name }) => name).join(', ')}`;
  }

  async judge(number: number): Promise<JudgedWorld> {
    const rules = this.#rules[number % this.#rules.length];
    if (!rules) throw new Error('there are no rules to judge by');
    const batch = drawBatch(this.#seed, number);
    const judged = await judgeBatch(this.#courtOf(rules), batch).catch((error: unknown) => failed(batch, error));
    this.#tally.add(judged);
    const { codes, packing, disagreements } = judged;
    const decision = packing
      ? `${packing.count} transactions, ${packing.aboveBound} above the bound`
      : codes.join(', ');
    const lines = [`under ${rules.name}: ${describeBatch(batch)}`, `  decision: ${decision}`];
    return {
      disagrees: disagreements.length > 0,
      description: [...lines, ...disagreements.slice(0, 10).map((each) => `  DISAGREEMENT: ${each}`)].join('\n'),
      replay: `npm run judge -- --batches --seed ${this.#seed} --world ${number} --rules '${rules.name}'`,
    };
  }

  counts(): { worlds: number; disagreeing: number } {
    return this.#tally;
  }

  describe(): string {
    return this.#tally.describe();
  }

  async close(): Promise<void> {}

  #courtOf(rules: CourtRules): Court {
    const known = this.#courts.get(rules);
    const used = known && known.batches < batchesOfCourt ? known : { court: openCourt(rules), batches: 0 };
    used.batches += 1;
    this.#courts.set(rules, used);
    return used.court;
  }
}

function failed(batch: BatchWorld, error: unknown): JudgedBatch {
  const reason = error instanceof Error ? error.stack : String(error);
  return { batch, codes: [], packing: undefined, disagreements: [`it could not be judged: ${reason}`] };
}

/** What came of many batches. */
class BatchTally {
  worlds = 0;
  disagreeing = 0;
  #transfers = 0;
  #transactions = 0;
  #answers = 0;
  readonly #codes = new Map<string, number>();
  readonly #aboveBound = new Map<string, number>();

  add({ batch, codes, packing, disagreements }: JudgedBatch): void {
    this.worlds += 1;
    if (disagreements.length > 0) this.disagreeing += 1;
    for (const code of new Set(codes)) this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
    if (!packing) return;
    this.#answers += 1;
    this.#transfers += batch.transfers.length;
    this.#transactions += packing.count;
    const size = batch.transfers.length <= smallSize ? `of up to ${smallSize} transfers` : 'of more';
    const key = `batches ${size} with ${packing.aboveBound} transactions more than the lower bound`;
    this.#aboveBound.set(key, (this.#aboveBound.get(key) ?? 0) + 1);
  }

  describe(): string {
    const inWords = `${this.worlds} batches: ${this.#answers} answers with ${this.#transfers} transfers in ${this.#transactions} transactions, ${this.worlds - this.#answers} refusals`;
    const counted = [...this.#aboveBound, ...[...this.#codes].sort(([, one], [, other]) => other - one)];
    return [inWords, ...counted.map(([name, times]) => `${String(times).padStart(7)} ${name}`)].join('\n');
  }
}
