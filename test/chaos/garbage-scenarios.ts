import { type Fault, healthy } from '../setup/fault-proxy.ts';
import { garbage } from '../setup/garbage.ts';
import type { Arena } from './arena.ts';
import { type DeadlineRule, withinDeadline } from './all-dead.ts';
import { type Pace, runFault } from './fault-run.ts';
import { check, liveBlockhashes, type Measured, noneFailed, onlyStatuses } from './measured.ts';
import { failOne, failing } from './one-of-two.ts';

/** Refusals that say that it is the upstream's fault, and success. */
const honestStatuses = [200, 502, 503, 504];

/** Of so many answers one is garbage, a kind after the other, from both nodes: never a 422, never a 500. */
export async function saltWithGarbage(arena: Arena, pace: Pace, everyNth: number, rule: DeadlineRule): Promise<Measured> {
  const kinds = Object.entries(garbage);
  const served = new Set<string>();
  let answers = 0;
  const salted: Fault = (exchange) => {
    answers += 1;
    const entry = answers % everyNth === 0 ? kinds[(answers / everyNth) % kinds.length] : undefined;
    if (entry) served.add(entry[0]);
    (entry?.[1] ?? healthy)(exchange);
  };
  const run = await runFault(arena, pace, {
    inject() {
      arena.preferred.fault = salted;
      arena.other.fault = salted;
    },
    heal() {
      arena.preferred.fault = healthy;
      arena.other.fault = healthy;
    },
  });
  return {
    injected: `every ${everyNth}rd answer of both nodes garbage for ${pace.fault / 1000} s, ${served.size} of ${kinds.length} kinds`,
    checks: [onlyStatuses(run.all, honestStatuses), withinDeadline(run, rule), liveBlockhashes(run.truth)],
  };
}

/** Both nodes answer with nothing but one kind of garbage: never a 422, never a 500. */
export async function garbageFromBoth(
  arena: Arena,
  pace: Pace,
  kind: string,
  fault: Fault,
  rule: DeadlineRule,
): Promise<Measured> {
  const { preferred, other } = arena;
  const run = await runFault(arena, pace, {
    inject() {
      preferred.fault = fault;
      other.fault = fault;
    },
    heal() {
      preferred.fault = healthy;
      other.fault = healthy;
    },
  });
  const last = run.after.at(-1);
  return {
    injected: `${kind}, from both nodes for ${pace.fault / 1000} s`,
    checks: [
      onlyStatuses(run.all, honestStatuses),
      withinDeadline(run, rule),
      check('healed at the end', `the last answer is a ${last?.status}`, last?.status === 200),
      liveBlockhashes(run.truth),
    ],
  };
}
