/**
 * Changes source files in one place at a time, and lists the changes that the tests of their own room do not notice.
 *
 *   npm run mutate -- packages/core/src/addresses/known-addresses.ts packages/core/src/request/amount.ts [--sample 40] [--seed 1] [--processes 1] [--lines 10-20] [--slowest-ms 5000] [--room test/addresses/]
 *
 * At first a test file runs alone on unchanged sources, which says how much processor time it takes and what it runs. A mutant is
 * tried only on tests that run its place: those that bear the name of the file, then the rest of the room, without the tests that
 * take more processor time than `--slowest-ms`. `--sample` tries at most so many mutants of each file, drawn by `--seed`, which is
 * printed. `--room` takes of the room only the tests with this text in their path: with one that none has, a mutant is tried on
 * those of its file's name alone. A survivor is to be read, not to be killed at any price: some change nothing that can be seen.
 *
 * A mutant whose tests do not end, nor in three times the time, hangs: that counts as noticed, in a column of its own.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type MeasuredTest, measuredTest } from './baseline.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { type NearTests, nearTestsOf } from './near-tests.ts';
import { root, tryMutant } from './try-out.ts';

const outcomes = ['next door', 'in room', 'hangs', 'survived'] as const;
type Outcome = (typeof outcomes)[number];

type Tally = { path: string; mutants: number } & Record<Outcome, number>;

// Mulberry32: the same seed draws the same mutants.
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns at most `count` of the mutants, in their order. */
function drawn(mutants: readonly Mutant[], count: number, random: () => number): Mutant[] {
  const chosen = new Set(
    mutants
      .map((mutant) => ({ mutant, rank: random() }))
      .sort((one, other) => one.rank - other.rank)
      .slice(0, count)
      .map(({ mutant }) => mutant),
  );
  return mutants.filter((mutant) => chosen.has(mutant));
}

/** Says whether tests notice a mutant. One that times out gets three times the time, as the machine may be busy. */
async function notice(path: string, mutant: Mutant, tests: readonly MeasuredTest[]): Promise<'no' | 'yes' | 'hangs'> {
  const files = tests.map(({ file }) => file);
  if (files.length === 0) return 'no';
  const limitMs = 10_000 + 4 * tests.reduce((sum, { durationMs }) => sum + durationMs, 0);
  for (const timeoutMs of [limitMs, 3 * limitMs]) {
    const { outcome } = await tryMutant(path, mutant, files, Math.round(timeoutMs));
    if (outcome !== 'timed out') return outcome === 'failed' ? 'yes' : 'no';
  }
  return 'hangs';
}

/** The tests among `files` that run the place of a mutant and take little processor time. */
async function reachingTests(path: string, mutant: Mutant, files: readonly string[]): Promise<MeasuredTest[]> {
  // V8 counts the operator of `a || b` to the right side, which may never run.
  const place = mutant.operator === 'swap logic' ? mutant.start - 1 : mutant.start;
  const reaching: MeasuredTest[] = [];
  for (const file of files) {
    const test = await measuredTest(file);
    if (test.cpuMs <= slowestMs && test.reaches(path, place)) reaching.push(test);
  }
  return reaching;
}

const kills = new Map<string, number>();

async function outcomeOf(path: string, mutant: Mutant, { nextDoor, room }: NearTests): Promise<Outcome> {
  const noticed = await notice(path, mutant, await reachingTests(path, mutant, nextDoor));
  if (noticed !== 'no') return noticed === 'yes' ? 'next door' : 'hangs';
  // The test that noticed most mutants before goes first and alone.
  const ofRoom = room.filter((file) => file.includes(values.room));
  const [first, ...others] = (await reachingTests(path, mutant, ofRoom)).sort(
    (one, other) => (kills.get(other.file) ?? 0) - (kills.get(one.file) ?? 0) || one.durationMs - other.durationMs,
  );
  for (const group of [first ? [first] : [], others]) {
    const inRoom = await notice(path, mutant, group);
    if (inRoom === 'no') continue;
    for (const { file } of group) kills.set(file, (kills.get(file) ?? 0) + 1 / group.length);
    return inRoom === 'yes' ? 'in room' : 'hangs';
  }
  return 'survived';
}

async function hunt(path: string, mutants: readonly Mutant[], processes: number): Promise<Tally> {
  const tests = nearTestsOf(root, path);
  const counts = { 'next door': 0, 'in room': 0, hangs: 0, survived: 0 };
  const tally: Tally = { path, mutants: mutants.length, ...counts };
  const waiting = [...mutants];
  const work = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const outcome = await outcomeOf(path, mutant, tests);
      tally[outcome]++;
      if (outcome !== 'survived' && outcome !== 'hangs' && !(verbose && outcome === 'in room')) continue;
      const { line, operator, original, replacement } = mutant;
      console.log(`  ${outcome}: ${path}:${line} ${operator}: ${oneLine(original)} -> ${oneLine(replacement)}`);
    }
  };
  await Promise.all(Array.from({ length: processes }, work));
  return tally;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 90)}…` : line;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    processes: { type: 'string', default: '1' },
    lines: { type: 'string', default: '1-' },
    'slowest-ms': { type: 'string', default: '5000' },
    room: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
  },
});
const [firstLine = '1', lastLine = firstLine] = values.lines.split('-');
const slowestMs = Number(values['slowest-ms']);
const { verbose } = values;
console.log(`--sample ${values.sample} --seed ${values.seed}`);
const tallies: Tally[] = [];
for (const path of positionals) {
  const all = mutantsOf(path, readFileSync(join(root, path), 'utf8'));
  // Every file draws from the same seed, so that its mutants do not depend on the files before it.
  const random = randomFrom(Number(values.seed));
  const inLines = all.filter(
    ({ line }) => line >= Number(firstLine) && line <= (lastLine === '' ? Infinity : Number(lastLine)),
  );
  const sample = drawn(inLines, Number(values.sample), random);
  const tally = await hunt(path, sample, Number(values.processes));
  tallies.push(tally);
  console.log(
    `${path}: ${outcomes.map((outcome) => `${tally[outcome]} ${outcome}`).join(', ')} of ${sample.length} tried, ${all.length} in all`,
  );
}
console.table(tallies);
process.exitCode = tallies.some(({ survived }) => survived > 0) ? 1 : 0;
