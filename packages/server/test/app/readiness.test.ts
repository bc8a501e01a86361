import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fastify } from 'fastify';
import { Check } from 'typebox/schema';
import { readinessSchema } from '../../src/app/public-schema.ts';
import { registerHealthRoutes, shareCheck } from '../../src/serve/public-routes.ts';

describe('/readyz', () => {
  it('asks the database and the upstreams at most four times a second, however often it is called', async (t) => {
    let databaseChecks = 0;
    let upstreamChecks = 0;
    const app = fastify();
    t.after(() => app.close());
    registerHealthRoutes(app, {
      readinessTimeoutMs: 1000,
      drain: { isDraining: false },
      readinessChecks: {
        keys: async () => {
          databaseChecks += 1;
        },
      },
      checkUpstreams: async () => {
        upstreamChecks += 1;
        return [{ name: 'upstream_1', reason: undefined, slotLag: 0n }];
      },
      readConsensus: async () => 'alpenglow',
    });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const startedAt = performance.now();
    for (let round = 0; round < 10; round++) {
      const replies = await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/readyz`)));
      for (const reply of replies) {
        assert.equal(reply.status, 200);
        const body: unknown = await reply.json();
        assert.ok(Check(readinessSchema, body));
        assert.equal(body.checks.keys, 'ok');
      }
    }
    const max = 1 + (performance.now() - startedAt) / 250;
    assert.ok(databaseChecks <= max, `500 calls asked the database ${databaseChecks} times`);
    assert.ok(upstreamChecks <= max, `500 calls asked the upstreams ${upstreamChecks} times`);
  });
});

describe('a shared check', () => {
  it('runs once for all who ask meanwhile, answers from memory for a moment, and then runs again', async () => {
    let now = 0;
    const pending: ((answer: string) => void)[] = [];
    const check = shareCheck(
      () => new Promise<string>((resolve) => pending.push(resolve)),
      250,
      () => now,
    );
    const [first, second] = [check(), check()];
    now = 10_000;
    const third = check();
    assert.equal(pending.length, 1);
    pending[0]?.('ok');
    assert.deepEqual(await Promise.all([first, second, third]), ['ok', 'ok', 'ok']);
    now += 249;
    assert.equal(await check(), 'ok');
    assert.equal(pending.length, 1);
    now += 1;
    const next = check();
    assert.equal(pending.length, 2);
    pending[1]?.('failed');
    assert.equal(await next, 'failed');
  });

  it('runs again after one that threw', async () => {
    let now = 0;
    let runs = 0;
    const check = shareCheck(
      async () => {
        runs += 1;
        if (runs === 1) throw new Error('away');
        return 'ok';
      },
      250,
      () => now,
    );
    await assert.rejects(check(), /away/);
    now += 250;
    assert.equal(await check(), 'ok');
  });
});
