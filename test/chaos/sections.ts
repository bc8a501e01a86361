import { delay, dropConnection, freeze, httpError, nodeError } from '../setup/faults.ts';
import { garbage } from '../setup/garbage.ts';
import type { Cleanup } from '../setup/service.ts';
import { failBoth } from './all-dead.ts';
import { longPace, type Pace } from './fault-run.ts';
import { garbageOnly, saltWithGarbage } from './garbage-scenarios.ts';
import { sendHugeBodies } from './huge-bodies.ts';
import { lagBoth, lagOne } from './lagging.ts';
import { measureInArena, type Scenario } from './measure-in-arena.ts';
import type { Measured } from './measured.ts';
import { failing, failOne, flap, killed } from './one-of-two.ts';
import { starveOfProcessor } from './overload.ts';
import { tellTruth } from './readiness.ts';
import { soak } from './soak.ts';
import { startOnTwoClusters, startWithOneDown, turnForeign } from './starts.ts';
import { storm } from './storm.ts';
import { killWhileTelling } from './webhooks.ts';

/** Measurements that make up a section of the document. */
export interface Section {
  /** By which it can be run alone. */
  name: string;
  title: string;
  words: string;
  measurements: readonly ((t: Cleanup) => Promise<Measured>)[];
}

// Slots as long as those of the main network are now, and nodes as far away as a near data centre.
const cluster = { slotMs: 200, latency: [10, 30] } as const;

// What the service has by default, and what a busy machine may add.
const rule = { deadline: 5000, margin: 300 };

// Longer than the faults last: a node of the past never gets to know what is made as the fault begins.
const slotsBehind = 100n;

const garbagePace: Pace = { warmUp: 200, calm: 300, fault: 2000, after: 2200, rate: 50 };

const frozen = failing('frozen', freeze);
const nodes = ['preferred', 'other'] as const;
const ways = [
  killed,
  frozen,
  failing('breaking connections', dropConnection),
  failing('2 s slower', delay(2000)),
  failing('answering HTTP 500', httpError(500)),
  failing('calling itself behind (-32005)', nodeError(-32_005, 'Node is behind by 200 slots')),
];

/** Every section of the document, in its order. */
export const sections: readonly Section[] = [
  {
    name: 'one',
    title: 'One of two nodes fails',
    words:
      'Each of the two in turn is killed, frozen, breaks connections, slows down by 2 s, answers HTTP 500, reports itself behind, lags by 100 slots silently or not, or stops; both are killed and frozen alternately',
    measurements: [
      ...nodes.flatMap((node) => ways.map((way) => inArena((arena) => failOne(arena, longPace, node, way)))),
      ...nodes.flatMap((node) =>
        (['silently', 'honestly', 'stuck'] as const).map((kind) =>
          inArena((arena) => lagOne(arena, longPace, node, { kind, slotsBehind })),
        ),
      ),
      ...[killed, frozen].map((way) => inArena((arena) => flap(arena, longPace, way, 1000))),
    ],
  },
  {
    name: 'both',
    title: 'Both nodes fail',
    words: 'Both are killed, frozen or answer 429; then the preferred one recovers',
    measurements: [killed, frozen, failing('answering 429', httpError(429))].map((way) =>
      inArena((arena) => failBoth(arena, longPace, way, rule)),
    ),
  },
  {
    name: 'past',
    title: 'Both nodes lag, or serve another cluster',
    words: 'From the start or later, their answers are plausible and wrong',
    measurements: [
      inArena((arena) => lagBoth(arena, { ...longPace, fault: 15_000 }, { kind: 'silently', slotsBehind })),
      (t) => startOnTwoClusters(t, cluster),
      (t) => startWithOneDown(t, longPace, cluster),
      inArena((arena) => turnForeign(arena, longPace)),
    ],
  },
  {
    name: 'storm',
    title: 'The preferred node limits the rate',
    words: 'It answers 429 to every call, with a `Retry-After` of 1 or 30 or without; only probes still go to it',
    measurements: [undefined, '1', '30'].map((retryAfter) => inArena((arena) => storm(arena, longPace, retryAfter))),
  },
  {
    name: 'garbage',
    title: 'Garbage',
    words:
      'Web pages, cut and huge bodies, wrong ids, slots, accounts, numbers and errors, from one node and then from both; none becomes a fact about the chain (422)',
    measurements: Object.entries(garbage).map(([kind, fault]) =>
      inArena((arena) => garbageOnly(arena, garbagePace, kind, fault, rule)),
    ),
  },
  {
    name: 'mixed',
    title: 'Garbage among good answers, and very large answers',
    words: 'One of three answers of both nodes, or bodies of 100 MB',
    measurements: [
      inArena((arena) => saltWithGarbage(arena, longPace, 3, rule)),
      inArena((arena) => sendHugeBodies(arena, longPace, rule)),
    ],
  },
  {
    name: 'overload',
    title: 'Overload',
    words: 'The service gets too little processor time',
    measurements: [inArena((arena) => starveOfProcessor(arena, longPace))],
  },
  {
    name: 'ready',
    title: 'What `/readyz` says',
    words: 'Its status, and for each node `ok` or the reason why it is not used',
    measurements: [inArena(tellTruth)],
  },
  {
    name: 'soak',
    title: 'A long run',
    words: 'Five minutes at half of the capacity, without a fault',
    measurements: [inArena((arena) => soak(arena, { capacity: 10_000, soak: 300_000, every: 5000 }))],
  },
  {
    name: 'webhooks',
    title: 'The service is killed while it sends webhooks',
    words:
      'Its processes, one on SQLite and two on PostgreSQL, are killed 200 times at any moment, and receivers fail, redirect, close, hang or are slow',
    measurements: (['SQLite', 'PostgreSQL'] as const).map(
      (database) => (t: Cleanup) => killWhileTelling(t, { database, kills: 200, isPatient: true }),
    ),
  },
];

function inArena(scenario: Scenario): (t: Cleanup) => Promise<Measured> {
  return (t) => measureInArena(t, cluster, scenario);
}
