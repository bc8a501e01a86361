import { parseArgs } from 'node:util';
import { allRules, type Court, type CourtRules, openCourt } from './court.ts';
import { drawWorld } from './draw-world.ts';
import { describeVerdict, judgeInto, openTally } from './judge-worlds.ts';

const usage = `usage: npm run judge -- [--worlds COUNT] [--seed SEED] [--world NUMBER] [--rules NAME]
  NAME is one of: ${allRules.map(({ name }) => name).join(', ')}. By default worlds go to all of them in turn.`;

const { values } = parseArgs({
  options: {
    worlds: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    world: { type: 'string' },
    rules: { type: 'string' },
  },
});
const seed = Number(values.seed);
const only = values.world === undefined ? undefined : Number(values.world);
const count = Number(values.worlds);
const rules = allRules.filter(({ name }) => values.rules === undefined || name === values.rules);
const isSound = [seed, count, only ?? 0].every((number) => Number.isSafeInteger(number) && number >= 0);
if (!isSound || rules.length === 0) {
  console.error(usage);
  process.exit(64);
}

const courts = new Map<CourtRules, Court>();
const tally = openTally();
const startedAt = performance.now();
const [first, end] = only === undefined ? [0, count] : [only, only + 1];
console.log(`seed ${seed}, worlds ${first} to ${end - 1}, under ${rules.map(({ name }) => name).join(', ')}`);

for (let number = first; number < end; number += 1) {
  const here = rules[number % rules.length];
  if (!here) throw new Error('there are no rules to judge by');
  const court = courts.get(here) ?? openCourt(here);
  courts.set(here, court);
  const verdict = await judgeInto(tally, court, drawWorld(seed, number));
  if (verdict.disagreements.length > 0 || only !== undefined) {
    console.log(`under ${here.name}: ${describeVerdict(verdict)}`);
  }
  if (tally.worlds % 1_000 === 0) {
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(`${tally.worlds} worlds, ${tally.disagreeing.length} disagreements, ${seconds.toFixed(0)} s`);
  }
}

const milliseconds = (performance.now() - startedAt) / tally.worlds;
console.log(`${tally.worlds} worlds: ${tally.answers} answers, ${tally.worlds - tally.answers} refusals`);
for (const [code, times] of [...tally.codes].sort(([, one], [, other]) => other - one)) {
  console.log(`${String(times).padStart(7)} ${code}`);
}
console.log(`${tally.disagreeing.length} disagreements, seed ${seed}, ${milliseconds.toFixed(1)} ms a world`);
process.exitCode = tally.disagreeing.length === 0 ? 0 : 1;
