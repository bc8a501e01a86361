import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { commandLine, onlyJson } from './command-line.ts';

describe(`keys usage`, () => {
  async function used(test: Parameters<typeof commandLine>[0]) {
    const line = commandLine(test);
    const acme = onlyJson(await line.keys('create', '--name', 'acme', '--json'));
    const zeta = onlyJson(await line.keys('create', '--name', 'zeta', '--json'));
    const store = await openKeyStore(await line.databaseUrl);
    const usage = [
      { keyId: acme.id, day: '2026-10-22', outcome: 'built', requests: 1 },
      { keyId: acme.id, day: '2026-10-23', outcome: 'built', requests: 2 },
      { keyId: acme.id, day: '2026-11-21', outcome: 'built', requests: 3 },
      { keyId: acme.id, day: '2026-11-21', outcome: 'replayed', requests: 7 },
      { keyId: acme.id, day: '2026-11-21', outcome: 'answered', requests: 8 },
      { keyId: acme.id, day: '2026-11-21', outcome: 'insufficient_sol', requests: 4 },
      { keyId: acme.id, day: '2026-11-21', outcome: 'invalid_request', requests: 5 },
      { keyId: zeta.id, day: '2026-11-20', outcome: 'rate_limited', requests: 6 },
    ];
    await store.addUsage({ writer: 'w', number: 1, usage, lastUsedAt: new Map() });
    await store.close();
    const today = {
      day: '2026-11-21',
      id: acme.id,
      name: 'acme',
      requests: 27,
      builds: 3,
      replays: 7,
      answers: 8,
      refusals: { insufficient_sol: 4, invalid_request: 5 },
    };
    const ofZeta = {
      day: '2026-11-20',
      id: zeta.id,
      name: 'zeta',
      requests: 6,
      builds: 0,
      replays: 0,
      answers: 0,
      refusals: { rate_limited: 6 },
    };
    const answered = { requests: 2, builds: 2, replays: 0, answers: 0 };
    const before = { day: '2026-10-23', id: acme.id, name: 'acme', ...answered, refusals: {} };
    return { ...line, acme, today, ofZeta, before };
  }

  it('says what keys were used for in 30 days, and up to when it counts, as JSON', async (test) => {
    const { keys, today, ofZeta, before } = await used(test);
    const usage = [before, ofZeta, today];
    assert.deepEqual(onlyJson(await keys('usage', '--json')), { counted_until: '2026-11-21T11:59:57.000Z', usage });
  });

  it('of one client, and of other spans of days', async (test) => {
    const { keys, acme, today, ofZeta, before } = await used(test);
    for (const selector of [['acme'], ['--name', 'acme'], [acme.id], [acme.key]]) {
      assert.deepEqual(onlyJson(await keys('usage', ...selector, '--json')).usage, [before, today]);
    }
    assert.deepEqual(onlyJson(await keys('usage', '--days', '2', '--json')).usage, [ofZeta, today]);
    assert.deepEqual(onlyJson(await keys('usage', '--days', '1', '--json')).usage, [today]);
    assert.equal(onlyJson(await keys('usage', 'acme', '--days', '31', '--json')).usage.length, 3);
  });

  it('as a table, or a sentence when there is no usage, and up to when it counts', async (test) => {
    const { keys, acme } = await used(test);
    const { stdout } = await keys('usage', 'acme', '--days', '1');
    const [heading, row, ...rest] = stdout.trimEnd().split('\n');
    assert.match(heading ?? '', /^DAY +ID +NAME +REQUESTS +BUILDS +REPLAYS +ANSWERS +REFUSALS$/);
    const cells = ['2026-11-21', acme.id, 'acme', '27', '3', '7', '8', 'insufficient_sol 4, invalid_request 5'];
    const until = 'Counted until 2026-11-21T11:59:57.000Z: a running service adds what is newer within 3 seconds.';
    assert.deepEqual([row?.split(/ {2,}/), rest], [cells, [until]]);
    const { stdout: none } = await keys('usage', 'zeta', '--days', '1');
    assert.equal(none, `No request with these keys was counted in a day.\n${until}\n`);
    assert.equal((await keys('usage', 'nobody')).status, 1);
  });
});
