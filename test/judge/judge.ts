import { allRules, type CourtRules } from './court.ts';

/** What came of one world. */
export interface JudgedWorld {
  /** The world and what became of it, in lines. */
  lines: readonly string[];
  /** Those of a refusal; none for an answer. */
  codes?: readonly string[];
  disagreements: readonly string[];
  /** What else happened in it, and how often. */
  happened?: Iterable<readonly [string, number]>;
}

/** How worlds of a subject are judged. `Place`: the ledger, and the services that see it. */
export interface Subject<Place> {
  name: string;
  /** A place is opened under each of these; absent, under those that the command names. */
  rules?: readonly CourtRules[];
  open: (rules: CourtRules) => Place | Promise<Place>;
  close?: (place: Place) => Promise<void>;
  /** A ledger keeps what it executed: after so many worlds there is a new one. */
  worldsAtAPlace: number;
  judge: (place: Place, seed: number, number: number) => Promise<JudgedWorld>;
}

/** Judges worlds of a subject one after the other, under each of some rules in turn. */
export class Judge<Place> {
  worlds = 0;
  answers = 0;
  disagreeing = 0;
  /** How often each code was given, and each other thing happened. */
  readonly happened = new Map<string, number>();
  readonly rules: readonly CourtRules[];
  readonly #subject: Subject<Place>;
  readonly #seed: number;
  readonly #places = new Map<CourtRules, { place: Place; worlds: number }>();

  constructor(subject: Subject<Place>, seed: number, rules: readonly CourtRules[] = allRules) {
    this.#subject = subject;
    this.#seed = seed;
    this.rules = subject.rules ?? rules;
  }

  /** Judges one world more. One that cannot be judged disagrees. */
  async judge(number: number): Promise<JudgedWorld & { description: string }> {
    const rules = this.rules[number % this.rules.length];
    if (!rules) throw new Error('there are no rules to judge by');
    const judged = await this.#judgeUnder(rules, number);
    const { lines, codes = [], disagreements, happened = [] } = judged;
    this.worlds += 1;
    if (codes.length === 0) this.answers += 1;
    for (const [what, times] of [...[...new Set(codes)].map((code) => [code, 1] as const), ...happened]) {
      this.happened.set(what, (this.happened.get(what) ?? 0) + times);
    }
    if (disagreements.length > 0) {
      this.disagreeing += 1;
      // It may have left something behind.
      await this.#leave(rules);
    }
    const told = disagreements.slice(0, 10).map((each) => `  DISAGREEMENT: ${each}`);
    const replay = `  replay: ${this.replayCommand(number)}`;
    return { ...judged, description: [`under ${rules.name}: ${lines.join('\n')}`, ...told, replay].join('\n') };
  }

  /** Judges the first worlds; returns the descriptions of those that disagree. */
  async judgeAll(count: number): Promise<readonly string[]> {
    const disagreeing: string[] = [];
    for (let number = 0; number < count; number += 1) {
      const { disagreements, description } = await this.judge(number);
      if (disagreements.length > 0) disagreeing.push(description);
    }
    return disagreeing;
  }

  /** The command, in one line, that judges just this world. */
  replayCommand(number: number): string {
    const flag = this.#subject.name === 'transfers' ? '' : `--${this.#subject.name} `;
    const rules = this.rules[number % this.rules.length];
    return `npm run judge -- ${flag}--seed ${this.#seed} --world ${number} --rules '${rules?.name}'`;
  }

  /** What came of all worlds, in lines. */
  describe(): string {
    const sorted = [...this.happened].sort(([, one], [, other]) => other - one);
    const refusals = this.worlds - this.answers;
    return [
      `${this.worlds} worlds of ${this.#subject.name}: ${this.answers} answers, ${refusals} refusals`,
      ...sorted.map(([what, times]) => `${String(times).padStart(7)} ${what}`),
    ].join('\n');
  }

  /** Ends what was opened. */
  async close(): Promise<void> {
    for (const rules of this.rules) await this.#leave(rules);
  }

  async #judgeUnder(rules: CourtRules, number: number): Promise<JudgedWorld> {
    try {
      return await this.#subject.judge(await this.#placeUnder(rules), this.#seed, number);
    } catch (error) {
      const reason = error instanceof Error ? error.stack : String(error);
      return { lines: [`world ${number}`], disagreements: [`it could not be judged: ${reason}`] };
    }
  }

  async #placeUnder(rules: CourtRules): Promise<Place> {
    if ((this.#places.get(rules)?.worlds ?? 0) >= this.#subject.worldsAtAPlace) await this.#leave(rules);
    const here = this.#places.get(rules) ?? { place: await this.#subject.open(rules), worlds: 0 };
    here.worlds += 1;
    this.#places.set(rules, here);
    return here.place;
  }

  async #leave(rules: CourtRules): Promise<void> {
    const here = this.#places.get(rules);
    this.#places.delete(rules);
    if (here) await this.#subject.close?.(here.place);
  }
}

/** A value in one line. */
export function inOneLine(value: unknown): string {
  return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? `${member}` : member));
}
