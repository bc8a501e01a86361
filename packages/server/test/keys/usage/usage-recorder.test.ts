import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { KeyUsage, UsageBatch } from '../../../src/keys/api-key-record.ts';
import { UsageRecorder } from '../../../src/keys/usage/usage-recorder.ts';

const noon = Date.parse('2026-11-21T12:00:00Z');

function startRecorder(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { now: noon };
  const tried: UsageBatch[] = [];
  const saved: UsageBatch[] = [];
  const told: string[] = [];
  const store = {
    error: undefined as Error | undefined,
    async addUsage(batch: UsageBatch): Promise<void> {
      tried.push(batch);
      if (store.error) throw store.error;
      saved.push(batch);
    },
  };
  const recorder = new UsageRecorder({
    store,
    now: () => clock.now,
    onFailure: (error) => told.push(String(error)),
    onLoss: (requests) => told.push(`lost ${requests}`),
  });
  const tick = async (durationMs: number): Promise<void> => {
    t.mock.timers.tick(durationMs);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { recorder, store, clock, tried, saved, told, tick };
}

const usage = (keyId: string, outcome: string, requests: number, day = '2026-11-21'): KeyUsage => ({
  keyId,
  day,
  outcome,
  requests,
});

describe('a usage recorder', () => {
  it('saves what was counted, by key and outcome, 3 s after the first request', async (t) => {
    const { recorder, clock, saved, tick } = startRecorder(t);
    recorder.count('key_a', 'built');
    recorder.count('key_a', 'built');
    recorder.count('key_a', 'insufficient_sol');
    clock.now += 1;
    recorder.count('key_b', 'built');
    await tick(2999);
    assert.equal(saved.length, 0);
    await tick(1);
    assert.deepEqual(saved[0]?.usage, [
      usage('key_a', 'built', 2),
      usage('key_a', 'insufficient_sol', 1),
      usage('key_b', 'built', 1),
    ]);
    assert.deepEqual(
      [...(saved[0]?.lastUsedAt ?? [])],
      [
        ['key_a', noon],
        ['key_b', noon + 1],
      ],
    );
  });

  it('writes nothing when nothing was counted', async (t) => {
    const { recorder, tried, tick } = startRecorder(t);
    await tick(60_000);
    recorder.count('key_a', 'built');
    await tick(3000);
    await tick(60_000);
    await recorder.close();
    assert.equal(tried.length, 1);
  });

  it('counts each day apart, also when the clock is set back', async (t) => {
    const { recorder, clock, saved } = startRecorder(t);
    for (const time of [
      '2026-11-21T23:59:59.999Z',
      '2026-11-22T00:00:00Z',
      '2026-11-21T23:00:00Z',
      '2026-11-22T01:00:00Z',
    ]) {
      clock.now = Date.parse(time);
      recorder.count('key_a', 'built');
    }
    await recorder.close();
    const byDay = saved.flatMap((batch) => batch.usage).sort((a, b) => (a.day < b.day ? -1 : 1));
    assert.deepEqual(byDay, [usage('key_a', 'built', 2), usage('key_a', 'built', 2, '2026-11-22')]);
  });

  it('keeps what cannot be saved, and tries the same batch until it is, before the next', async (t) => {
    const { recorder, store, tried, saved, told, tick } = startRecorder(t);
    store.error = new Error('away');
    recorder.count('key_a', 'built');
    await tick(3000);
    for (let count = 0; count < 5; count += 1) {
      recorder.count('key_a', 'built');
      await tick(3000);
    }
    assert.deepEqual(told, ['Error: away']);
    assert.equal(new Set(tried).size, 1);
    store.error = undefined;
    await tick(3000);
    await tick(3000);
    assert.deepEqual(
      saved.map((batch) => [batch.number, batch.usage]),
      [
        [1, [usage('key_a', 'built', 1)]],
        [2, [usage('key_a', 'built', 5)]],
      ],
    );
    assert.equal(saved[0]?.writer, saved[1]?.writer);
  });

  it('saves everything when it is closed, though a save is under way', async (t) => {
    const { recorder, store, saved, tick } = startRecorder(t);
    const gate = Promise.withResolvers<void>();
    const addUsage = store.addUsage;
    store.addUsage = async (batch) => {
      await gate.promise;
      await addUsage(batch);
    };
    recorder.count('key_a', 'built');
    await tick(3000);
    recorder.count('key_a', 'built');
    const closed = recorder.close();
    gate.resolve();
    await closed;
    assert.deepEqual(
      saved.flatMap((batch) => batch.usage),
      [usage('key_a', 'built', 1), usage('key_a', 'built', 1)],
    );
  });

  it('tries again when it is closed while the store is away for a moment', async (t) => {
    const { recorder, store, saved, told } = startRecorder(t);
    store.error = new Error('away');
    recorder.count('key_a', 'built');
    const closed = recorder.close();
    setImmediate(() => {
      store.error = undefined;
    });
    await closed;
    assert.deepEqual([saved.length, told], [1, ['Error: away']]);
  });

  it('says what was lost when it is closed and the store does not come back', async (t) => {
    const { recorder, store, told, tick } = startRecorder(t);
    store.error = new Error('away');
    recorder.count('key_a', 'built');
    await tick(3000);
    recorder.count('key_a', 'built');
    recorder.count('key_b', 'built');
    await recorder.close();
    assert.deepEqual(told, ['Error: away', 'lost 3']);
  });

  it('holds 100,000 keys at most, and says what it did not count', async (t) => {
    const { recorder, saved, told, tick } = startRecorder(t);
    for (let key = 0; key < 100_002; key += 1) recorder.count(`key_${key}`, 'built');
    recorder.count('key_0', 'built');
    await tick(3000);
    assert.equal(saved[0]?.usage.length, 100_000);
    assert.equal(saved[0]?.usage[0]?.requests, 2);
    assert.deepEqual(told, ['lost 2']);
  });
});
