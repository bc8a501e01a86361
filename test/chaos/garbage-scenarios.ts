import { type Fault, type FaultProxy, healthy } from '../setup/fault-proxy.ts';
import { garbage } from '../setup/garbage.ts';
import { type DeadlineRule, withinDeadline } from './all-dead.ts';
import type { Arena } from './arena.ts';
import { type FaultRun, type Pace, runFault } from './fault-run.ts';
import { check, liveBlockhashes, type Measured, onlyStatuses } from './measured.ts';
import { describeStatuses, failed } from './statistics.ts';

/** Success, and the refusals that say that it is the upstream's fault. */
const honestStatuses = [200, 502, 503, 504];

/** Of every few answers of both nodes one is garbage, one kind after the other: never a 422, never a 500. */
export async function saltWithGarbage(
  arena: Arena,
  pace: Pace,
  everyNth: number,
  rule: DeadlineRule,
): Promise<Measured> {
  const kinds = Object.entries(garbage);
  const served = new Set<string>();
  let answers = 0;
  const run = await runGarbage(arena, pace, [arena.preferred, arena.other], (exchange) => {
    answers += 1;
    const salt = answers % everyNth === 0 ? kinds[(answers / everyNth) % kinds.length] : undefined;
    if (salt) served.add(salt[0]);
    (salt?.[1] ?? healthy)(exchange);
  });
  return {
    injected: `one of ${everyNth} answers of both nodes garbage, one kind after the other`,
    checks: [
      check('every kind was served', `${served.size} of ${kinds.length}`, served.size === kinds.length),
      onlyStatuses(run.all, honestStatuses),
      withinDeadline(run, rule),
      liveBlockhashes(run.truth),
    ],
  };
}

/** One kind of garbage and nothing else, from the preferred node and then from both: never a 422, never a 500. */
export async function garbageOnly(
  arena: Arena,
  pace: Pace,
  kind: string,
  fault: Fault,
  rule: DeadlineRule,
): Promise<Measured> {
  const one = await runGarbage(arena, pace, [arena.preferred], fault);
  const both = await runGarbage(arena, pace, [arena.preferred, arena.other], fault);
  const last = both.after.at(-1)?.status;
  const failures = failed(one.all);
  return {
    injected: kind,
    checks: [
      check('from the preferred node: 0 failed requests', describeStatuses(one.all), failures.length === 0),
      check(
        `from both: only ${honestStatuses.join(', ')}`,
        describeStatuses(both.during),
        both.all.every(({ status }) => honestStatuses.includes(status)),
      ),
      withinDeadline(both, rule),
      check('then service again', `the last answer has status ${last}`, last === 200),
    ],
  };
}

function runGarbage(arena: Arena, pace: Pace, proxies: readonly FaultProxy[], fault: Fault): Promise<FaultRun> {
  return runFault(arena, pace, {
    inject() {
      for (const proxy of proxies) proxy.fault = fault;
    },
    heal() {
      for (const proxy of proxies) proxy.fault = healthy;
    },
  });
}
