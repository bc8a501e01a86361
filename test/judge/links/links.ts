import { allRules } from '../court.ts';
import { inOneLine, type Subject } from '../judge.ts';
import { judgeEnd, judgeLinks } from './judge-links.ts';
import { type LinkStage, openLinkStage } from './link-stage.ts';
import { type LinkTrial, prepareLinks } from './link-trial.ts';
import { drawLinkWorld } from './link-world.ts';
import { takeLinkStep } from './take-link-step.ts';
import { judgeRefunded } from './take-refunds.ts';

/** Worlds of payment links: what two services say of links is compared with what the ledger executed. */
export const links: Subject<LinkStage> = {
  name: 'links',
  rules: allRules.slice(0, 1),
  open: openLinkStage,
  close: (stage) => stage.close(),
  worldsAtAPlace: 100,
  async judge(stage, seed, number) {
    const world = drawLinkWorld(seed, number);
    const trial = await prepareLinks(stage, world);
    await live(trial);
    const { nodes, isStormy } = world;
    const lines = [
      `links of seed ${seed} world ${number}${isStormy ? ', in a storm' : ''}, quorum ${nodes.quorum}`,
      ...nodes.nodes.map((node) => `  node: ${inOneLine(node)}`),
      ...world.links.map((link) => `  link: ${inOneLine(link)}`),
      ...trial.log.map((line) => `  ${line}`),
    ];
    return { lines, disagreements: trial.disagreements, happened: trial.tally };
  },
};

async function live(trial: LinkTrial): Promise<void> {
  const { world, disagreements, log } = trial;
  if (trial.links.length === 0) return;
  const scrutiny = world.isHonest ? 'exact' : 'safety';
  try {
    for (const step of world.steps) {
      log.push(inOneLine(step));
      await takeLinkStep(trial, step);
      await judgeLinks(trial, scrutiny);
      judgeRefunded(trial);
      if (disagreements.length > 0) return;
    }
    log.push('the end');
    await judgeEnd(trial);
  } catch (error) {
    disagreements.push(`it could not be judged: ${error instanceof Error ? error.stack : String(error)}`);
  }
}
