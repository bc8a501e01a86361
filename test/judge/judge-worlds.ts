import type { ProblemCode } from '../../packages/server/src/problems.ts';
import { type Court, type CourtRules, passTime } from './court.ts';
import { judgeWorld, type Verdict } from './judge-world.ts';
import { describeWorld, type World } from './world.ts';

/** What came of many worlds. */
export interface Tally {
  worlds: number;
  answers: number;
  /** How often each code was given, also as the second of a refusal. */
  codes: Map<ProblemCode, number>;
  disagreeing: Verdict[];
}

const worldsBetweenTimes = 50;
const slotsAtATime = 10;

/** Opens an empty tally. */
export function openTally(): Tally {
  return { worlds: 0, answers: 0, codes: new Map(), disagreeing: [] };
}

/** Judges one world more, and counts it in. A world that cannot be judged is one that disagrees. */
export async function judgeInto(tally: Tally, court: Court, world: World): Promise<Verdict> {
  const verdict = await judgeWorld(court, world).catch((error: unknown) => failedVerdict(world, error));
  tally.worlds += 1;
  if (verdict.codes.length === 0) tally.answers += 1;
  for (const code of verdict.codes) tally.codes.set(code, (tally.codes.get(code) ?? 0) + 1);
  if (verdict.disagreements.length > 0) tally.disagreeing.push(verdict);
  if (tally.worlds % worldsBetweenTimes === 0) passTime(court, slotsAtATime);
  return verdict;
}

function failedVerdict(world: World, error: unknown): Verdict {
  const reason = error instanceof Error ? error.stack : String(error);
  return { world, codes: [], findings: [], outcome: undefined, disagreements: [`it could not be judged: ${reason}`] };
}

/** The command, in one line, that judges just this world under these rules. */
export function replayCommand({ seed, number }: World, rules: CourtRules): string {
  return `npm run judge -- --seed ${seed} --world ${number} --rules '${rules.name}'`;
}

/** How many worlds were answered and refused, and how often for which reason. */
export function describeTally({ worlds, answers, codes }: Tally): string {
  const byTimes = [...codes].sort(([, one], [, other]) => other - one);
  const lines = byTimes.map(([code, times]) => `${String(times).padStart(7)} ${code}`);
  return [`${worlds} worlds: ${answers} answers, ${worlds - answers} refusals`, ...lines].join('\n');
}

/** A verdict in full: the world, the decision, what the chain did, and where they disagree. */
export function describeVerdict(verdict: Verdict): string {
  const { world, codes, outcome, disagreements } = verdict;
  const lines = [
    describeWorld(world),
    `  decision: ${codes.join(', ') || 'answered'}`,
    `  chain: ${outcome ? JSON.stringify(outcome.kind === 'failed' ? outcome.error : outcome) : 'not asked'}`,
    ...disagreements.map((disagreement) => `  DISAGREEMENT: ${disagreement}`),
  ];
  if (disagreements.length > 0 && outcome?.kind === 'failed') lines.push(...outcome.logs.map((log) => `    ${log}`));
  return lines.join('\n');
}
