import { test } from 'node:test';
import { freeze } from '../setup/faults.ts';
import { failBoth } from './all-dead.ts';
import { assertMet } from './assert-met.ts';
import { quickPace } from './fault-run.ts';
import { saltWithGarbage } from './garbage-scenarios.ts';
import { sendHugeBodies } from './huge-bodies.ts';
import { lagOne } from './lagging.ts';
import { measureInArena, type Scenario } from './measure-in-arena.ts';
import { failing, failOne, flap, killed } from './one-of-two.ts';
import { tellTruth } from './readiness.ts';
import { startOnTwoClusters, startWithOneDown } from './starts.ts';
import { storm } from './storm.ts';

// Shorter than by default, so that a request without an answer is refused soon.
const environment = { REQUEST_DEADLINE_MS: '1500' };
const rule = { deadline: 1500, margin: 1000 };
const frozen = failing('frozen', freeze);
const recovering = { ...quickPace, after: 2800 };

const scenarios: Readonly<Record<string, Scenario>> = {
  'the preferred node freezes': (arena) => failOne(arena, quickPace, 'preferred', frozen),
  'the preferred node lags and does not say so': (arena) =>
    lagOne(arena, quickPace, 'preferred', { kind: 'silently', slotsBehind: 20n }),
  'both nodes are killed alternately, the preferred one first': (arena) => flap(arena, quickPace, killed, 500),
  'both nodes freeze alternately': (arena) => flap(arena, { ...quickPace, fault: 3000 }, frozen, 1000),
  'the preferred node answers 429': (arena) => storm(arena, { ...quickPace, fault: 2000 }, '1'),
  'both nodes are killed': (arena) => failBoth(arena, recovering, killed, rule),
  'both nodes freeze': (arena) => failBoth(arena, recovering, frozen, rule),
  'both nodes answer with garbage of every kind': (arena) =>
    saltWithGarbage(arena, { ...quickPace, fault: 3000 }, 3, rule),
  'both nodes answer with 100 MB': (arena) => sendHugeBodies(arena, quickPace, rule),
};

test('The service tells which nodes it uses, and why not the others', async (t) => {
  assertMet(t, await measureInArena(t, { environment }, tellTruth));
});

for (const [what, scenario] of Object.entries(scenarios)) {
  test(`The service holds when ${what}`, async (t) => {
    assertMet(t, await measureInArena(t, { environment }, scenario));
  });
}

test('The service does not start on nodes of two clusters', async (t) => {
  assertMet(t, await startOnTwoClusters(t, {}));
});

test('The service starts while one node is down, and does not believe it when it comes up on another cluster', async (t) => {
  assertMet(t, await startWithOneDown(t, quickPace, {}));
});
