import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { batches } from './batches/judge-batch.ts';
import { sponsored } from './batches/judge-sponsored.ts';
import { allRules, type CourtRules } from './court.ts';
import { Judge } from './judge.ts';
import { links } from './links/links.ts';
import { outcomes } from './outcomes/judge-history.ts';
import { sol } from './sol/judge-sol.ts';
import { transfers } from './transfers.ts';

const usage = `usage: npm run judge -- [--outcomes | --batches | --links | --sol | --sponsored] [--worlds COUNT] [--minutes MINUTES] [--at-least COUNT] [--seed SEED] [--world NUMBER] [--rules NAME]
  Judges 20,000 worlds, or COUNT, or as many as MINUTES allow and at least some, of SEED, or of a seed that is drawn and printed.
  --outcomes judges what becomes of payments and of retried requests, instead of single transfers.
  --batches judges transfers to many recipients in one call.
  --links judges payment links and what is paid to them.
  --sol judges payments of SOL.
  --sponsored judges transfers and batches that a sponsor signs and pays for.
  --world judges one world only, and tells all about it.
  NAME is one of: ${allRules.map(({ name }) => name).join(', ')}. By default worlds go to all of them in turn.`;

const usageError = 64;
const subjects = ['outcomes', 'batches', 'links', 'sol', 'sponsored'] as const;
const open = {
  transfers: () => new Judge(transfers, seed, rules),
  outcomes: () => new Judge(outcomes, seed),
  batches: () => new Judge(batches, seed, rules),
  links: () => new Judge(links, seed),
  sol: () => new Judge(sol, seed, rules),
  sponsored: () => new Judge(sponsored, seed, rules),
};
const defaultWorlds = 20_000;
const progressIntervalMs = 10_000;

const { seed, only, count, minutes, atLeast, rules, subject } = readOptions();
const judge = open[subject]();
const replays: string[] = [];
const startedAt = performance.now();
const [first, end] = only === undefined ? [0, count] : [only, only + 1];
const amount = end === Number.POSITIVE_INFINITY ? 'as many worlds as there are' : `worlds ${first} to ${end - 1}`;
const time = minutes === Number.POSITIVE_INFINITY ? '' : `, for ${minutes} minutes`;
console.log(`seed ${seed}, ${amount}${time}, ${subject} under ${judge.rules.map(({ name }) => name).join(', ')}`);

let nextProgressAt = startedAt + progressIntervalMs;
for (let number = first; number < end && (number < first + atLeast || elapsedSeconds() < minutes * 60); number += 1) {
  const { disagreements, description } = await judge.judge(number);
  if (disagreements.length > 0) replays.push(judge.replayCommand(number));
  if (disagreements.length > 0 || only !== undefined) console.log(description);
  if (performance.now() >= nextProgressAt) {
    nextProgressAt = performance.now() + progressIntervalMs;
    console.log(progress());
  }
}

await judge.close();
console.log(judge.describe());
console.log(`seed ${seed}: ${progress()}`);
if (replays.length > 0) console.log(`replay with:\n${replays.join('\n')}`);
process.exitCode = replays.length === 0 ? 0 : 1;

function progress(): string {
  const { worlds, disagreeing } = judge;
  const seconds = elapsedSeconds();
  const rate = `${(worlds / seconds).toFixed(0)} worlds a second`;
  return `${worlds} worlds, ${disagreeing} disagreements, ${seconds.toFixed(0)} s, ${rate}`;
}

function elapsedSeconds(): number {
  return (performance.now() - startedAt) / 1_000;
}

function readOptions(): {
  seed: number;
  only: number | undefined;
  count: number;
  minutes: number;
  atLeast: number;
  rules: readonly CourtRules[];
  subject: (typeof subjects)[number] | 'transfers';
} {
  const { values } = parseOptions();
  const seed = Number(values.seed ?? randomInt(2 ** 32));
  const only = values.world === undefined ? undefined : Number(values.world);
  const minutes = Number(values.minutes ?? Number.POSITIVE_INFINITY);
  const worlds = values.worlds ?? (values.minutes === undefined ? defaultWorlds : undefined);
  const rules = allRules.filter(({ name }) => values.rules === undefined || name === values.rules);
  const named = subjects.filter((name) => values[name]);
  const subject = named[0] ?? 'transfers';
  const atLeast = Number(values['at-least'] ?? 1);
  const whole = [seed, only ?? 0, Number(worlds ?? 1), atLeast];
  const isSound = whole.every((number) => Number.isSafeInteger(number) && number >= 0) && minutes > 0;
  if (!isSound || rules.length === 0 || named.length > 1) refuse();
  const max = worlds === undefined ? Number.POSITIVE_INFINITY : Number(worlds);
  return { seed, only, count: max, minutes, atLeast, rules, subject };
}

function parseOptions() {
  const text = { type: 'string' } as const;
  const options = { worlds: text, minutes: text, 'at-least': text, seed: text, world: text, rules: text };
  try {
    const flag = { type: 'boolean' } as const;
    return parseArgs({
      options: { ...options, outcomes: flag, batches: flag, links: flag, sol: flag, sponsored: flag },
    });
  } catch {
    return refuse();
  }
}

function refuse(): never {
  console.error(usage);
  process.exit(usageError);
}
