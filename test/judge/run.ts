import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { allRules, type Court, type CourtRules, openCourt } from './court.ts';
import { drawWorld } from './draw-world.ts';
import { describeTally, describeVerdict, judgeInto, openTally, replayCommand } from './judge-worlds.ts';

const usage = `usage: npm run judge -- [--worlds COUNT] [--minutes MINUTES] [--seed SEED] [--world NUMBER] [--rules NAME]
  Judges 20,000 worlds, or COUNT, or as many as MINUTES allow, of SEED, or of a seed that is drawn and printed.
  --world judges one world only, and tells all about it.
  NAME is one of: ${allRules.map(({ name }) => name).join(', ')}. By default worlds go to all of them in turn.`;

const usageError = 64;
const defaultWorlds = 20_000;
const progressIntervalMs = 10_000;

const { seed, only, count, minutes, rules } = readOptions();
const courts = new Map<CourtRules, Court>();
const tally = openTally();
const replays: string[] = [];
const startedAt = performance.now();
const [first, end] = only === undefined ? [0, count] : [only, only + 1];
const amount = end === Number.POSITIVE_INFINITY ? 'as many worlds as there are' : `worlds ${first} to ${end - 1}`;
const time = minutes === Number.POSITIVE_INFINITY ? '' : `, for ${minutes} minutes`;
console.log(`seed ${seed}, ${amount}${time}, under ${rules.map(({ name }) => name).join(', ')}`);

let nextProgressAt = startedAt + progressIntervalMs;
for (let number = first; number < end && (number === first || elapsedSeconds() < minutes * 60); number += 1) {
  const here = rules[number % rules.length];
  if (!here) throw new Error('there are no rules to judge by');
  const court = courts.get(here) ?? openCourt(here);
  courts.set(here, court);
  const verdict = await judgeInto(tally, court, drawWorld(seed, number));
  if (verdict.disagreements.length > 0) replays.push(replayCommand(verdict.world, here));
  if (verdict.disagreements.length > 0 || only !== undefined) {
    console.log(`under ${here.name}: ${describeVerdict(verdict)}\n  replay: ${replayCommand(verdict.world, here)}`);
  }
  if (performance.now() >= nextProgressAt) {
    nextProgressAt = performance.now() + progressIntervalMs;
    console.log(progress());
  }
}

console.log(describeTally(tally));
console.log(`seed ${seed}: ${progress()}`);
if (replays.length > 0) console.log(`replay with:\n${replays.join('\n')}`);
process.exitCode = replays.length === 0 ? 0 : 1;

function progress(): string {
  const seconds = elapsedSeconds();
  const rate = `${(tally.worlds / seconds).toFixed(0)} worlds a second`;
  return `${tally.worlds} worlds, ${tally.disagreeing.length} disagreements, ${seconds.toFixed(0)} s, ${rate}`;
}

function elapsedSeconds(): number {
  return (performance.now() - startedAt) / 1_000;
}

function readOptions(): {
  seed: number;
  only: number | undefined;
  count: number;
  minutes: number;
  rules: readonly CourtRules[];
} {
  const { values } = parseOptions();
  const seed = Number(values.seed ?? randomInt(2 ** 32));
  const only = values.world === undefined ? undefined : Number(values.world);
  const minutes = Number(values.minutes ?? Number.POSITIVE_INFINITY);
  const worlds = values.worlds ?? (values.minutes === undefined ? defaultWorlds : undefined);
  const rules = allRules.filter(({ name }) => values.rules === undefined || name === values.rules);
  const whole = [seed, only ?? 0, Number(worlds ?? 1)];
  const isSound = whole.every((number) => Number.isSafeInteger(number) && number >= 0) && minutes > 0;
  if (!isSound || rules.length === 0) refuse();
  return { seed, only, count: worlds === undefined ? Number.POSITIVE_INFINITY : Number(worlds), minutes, rules };
}

function parseOptions() {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({ options: { worlds: text, minutes: text, seed: text, world: text, rules: text } });
  } catch {
    return refuse();
  }
}

function refuse(): never {
  console.error(usage);
  process.exit(usageError);
}
