import { type Court, type CourtRules, openCourt } from '../court.ts';
import type { JudgedWorld, WorldJudge } from '../world-judge.ts';
import { judgeSol } from './judge-sol.ts';
import { drawSolWorld } from './sol-world.ts';

// A ledger keeps what it executed: after so many worlds there is a new one.
const worldsOfCourt = 2_000;

/** Judges payments of SOL: each is decided on by the service, and executed by the runtime. */
export class SolJudge implements WorldJudge {
  readonly conditions: string;
  readonly #seed: number;
  readonly #rules: readonly CourtRules[];
  readonly #courts = new Map<CourtRules, { court: Court; worlds: number }>();
  readonly #codes = new Map<string, number>();
  #worlds = 0;
  #answers = 0;
  #disagreeing = 0;

  constructor(seed: number, rules: readonly CourtRules[]) {
    this.#seed = seed;
    this.#rules = rules;
    this.conditions = `SOL under ${rules.map(({ name }) => name).join(', ')}`;
  }

  async judge(number: number): Promise<JudgedWorld> {
    const rules = this.#rules[number % this.#rules.length];
    if (!rules) throw new Error('there are no rules to judge by');
    const court = this.#courtOf(rules);
    const world = drawSolWorld(this.#seed, number, court.ledger.minimumBalanceForRentExemption(0n));
    const { codes, disagreements } = await judgeSol(court, world);
    this.#worlds += 1;
    if (codes.length === 0) this.#answers += 1;
    if (disagreements.length > 0) this.#disagreeing += 1;
    for (const code of new Set(codes)) this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
    const text = JSON.stringify(world, (_key, value) => (typeof value === 'bigint' ? `${value}` : value));
    const lines = [`under ${rules.name}: ${text}`, `  decision: ${codes.join(', ') || 'an answer'}`];
    return {
      disagrees: disagreements.length > 0,
      description: [...lines, ...disagreements.map((each) => `  DISAGREEMENT: ${each}`)].join('\n'),
      replay: `npm run judge -- --sol --seed ${this.#seed} --world ${number} --rules '${rules.name}'`,
    };
  }

  counts(): { worlds: number; disagreeing: number } {
    return { worlds: this.#worlds, disagreeing: this.#disagreeing };
  }

  describe(): string {
    const sorted = [...this.#codes].sort(([, one], [, other]) => other - one);
    const inWords = `${this.#worlds} worlds of SOL: ${this.#answers} answers, ${this.#worlds - this.#answers} refusals`;
    return [inWords, ...sorted.map(([code, count]) => `${String(count).padStart(7)} ${code}`)].join('\n');
  }

  async close(): Promise<void> {}

  #courtOf(rules: CourtRules): Court {
    const known = this.#courts.get(rules);
    const used = known && known.worlds < worldsOfCourt ? known : { court: openCourt(rules), worlds: 0 };
    used.worlds += 1;
    this.#courts.set(rules, used);
    return used.court;
  }
}
