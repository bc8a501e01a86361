import type { WorldJudge } from '../world-judge.ts';
import { judgeEnd, judgeLinks } from './judge-links.ts';
import { type LinkStage, openLinkStage } from './link-stage.ts';
import { type LinkTrial, prepareLinks } from './link-trial.ts';
import { drawLinkWorld, type LinkWorld } from './link-world.ts';
import { takeLinkStep } from './take-link-step.ts';

// A ledger keeps so many transactions only.
const worldsOnAStage = 100;

/** What came of one world of links. */
export interface LinkVerdict {
  world: LinkWorld;
  log: readonly string[];
  disagreements: readonly string[];
}

/** Judges worlds of payment links: what two services say of links is compared with what the ledger executed. */
export class LinkJudge implements WorldJudge {
  readonly conditions = 'payment links';
  /** How often each thing happened, or was said. */
  readonly tally = new Map<string, number>();
  readonly #seed: number;
  #stage: LinkStage | undefined;
  #worldsHere = 0;
  #worlds = 0;
  #disagreeing = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  async judge(number: number) {
    const { world, log, disagreements } = await this.#live(drawLinkWorld(this.#seed, number));
    const { seed, nodes, isStormy, links } = world;
    return {
      disagrees: disagreements.length > 0,
      description: [
        `links of seed ${seed} world ${number}${isStormy ? ', in a storm' : ''}, quorum ${nodes.quorum}`,
        ...nodes.nodes.map((node) => `  node: ${text(node)}`),
        ...links.map((link) => `  link: ${text(link)}`),
        ...log.map((line) => `  ${line}`),
        ...disagreements.map((disagreement) => `  DISAGREEMENT: ${disagreement}`),
      ].join('\n'),
      replay: `npm run judge -- --links --seed ${seed} --world ${number}`,
    };
  }

  counts() {
    return { worlds: this.#worlds, disagreeing: this.#disagreeing };
  }

  describe(): string {
    const lines = [...this.tally].sort().map(([what, times]) => `${String(times).padStart(7)} ${what}`);
    return [`${this.#worlds} worlds of payment links`, ...lines].join('\n');
  }

  async close(): Promise<void> {
    const stage = this.#stage;
    this.#stage = undefined;
    this.#worldsHere = 0;
    await stage?.close();
  }

  async #live(world: LinkWorld): Promise<LinkVerdict> {
    if (this.#worldsHere >= worldsOnAStage) await this.close();
    this.#stage ??= await openLinkStage();
    this.#worldsHere += 1;
    this.#worlds += 1;
    const trial = await prepareLinks(this.#stage, world).catch((error: unknown) => reasonOf(error));
    if (typeof trial === 'string') return this.#disagree({ world, log: [], disagreements: [trial] });
    try {
      await live(trial);
    } catch (error) {
      trial.disagreements.push(`it could not be judged: ${reasonOf(error)}`);
    }
    for (const [what, times] of trial.tally) this.tally.set(what, (this.tally.get(what) ?? 0) + times);
    const { log, disagreements } = trial;
    return disagreements.length > 0 ? this.#disagree({ world, log, disagreements }) : { world, log, disagreements };
  }

  async #disagree(verdict: LinkVerdict): Promise<LinkVerdict> {
    this.#disagreeing += 1;
    // It may have left something behind.
    await this.close();
    return verdict;
  }
}

async function live(trial: LinkTrial): Promise<void> {
  const { world, disagreements, log } = trial;
  if (trial.links.length === 0) return;
  const scrutiny = world.isHonest ? 'exact' : 'safety';
  for (const step of world.steps) {
    log.push(text(step));
    await takeLinkStep(trial, step);
    await judgeLinks(trial, scrutiny);
    if (disagreements.length > 0) return;
  }
  log.push('the end');
  await judgeEnd(trial);
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}` : member));
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
