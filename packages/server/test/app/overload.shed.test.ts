import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fastify } from 'fastify';
import { type OverloadOptions, shedOverload } from '../../src/app/overload.ts';
import { handleError } from '../../src/app/problem-replies.ts';

function startApp(t: TestContext, load: { inFlight: number; delayMs: number }) {
  const sheds: string[] = [];
  const options: OverloadOptions = {
    maxInFlight: 10,
    inFlight: () => load.inFlight,
    maxDelayMs: 500,
    delayMs: () => load.delayMs,
    onShed: (reason) => sheds.push(reason),
  };
  const app = fastify();
  t.after(() => app.close());
  app.decorateRequest('problemCode', null);
  app.setErrorHandler(handleError);
  app.register(async (scope) => {
    shedOverload(scope, options);
    scope.get('/', async () => 'served');
  });
  app.get('/livez', async () => 'alive');
  const statusOf = async (path: string): Promise<number> => (await app.inject(path)).statusCode;
  return { app, sheds, statusOf };
}

test('Requests are refused past either bound, and only past it', async (t) => {
  const load = { inFlight: 9, delayMs: 500 };
  const { statusOf, sheds } = startApp(t, load);
  assert.equal(await statusOf('/'), 200);
  load.inFlight = 10;
  assert.equal(await statusOf('/'), 503);
  load.inFlight = 9;
  load.delayMs = 501;
  assert.equal(await statusOf('/'), 503);
  load.delayMs = 0;
  assert.equal(await statusOf('/'), 200);
  assert.deepEqual(sheds, ['in_flight', 'event_loop_delay']);
});

test('A request is also refused when others filled the service while its body arrived', async (t) => {
  const load = { inFlight: 9, delayMs: 0 };
  const { app, sheds } = startApp(t, load);
  app.addHook('preParsing', (_request, _reply, payload, done) => {
    load.inFlight = 10;
    done(null, payload);
  });
  assert.equal((await app.inject('/')).statusCode, 503);
  assert.deepEqual(sheds, ['in_flight']);
});

test('/livez is answered in any case', async (t) => {
  const { statusOf } = startApp(t, { inFlight: 1_000, delayMs: 10_000 });
  assert.equal(await statusOf('/livez'), 200);
});

test('A request that is refused learns when to try again', async (t) => {
  const { app } = startApp(t, { inFlight: 10, delayMs: 0 });
  const { headers, body } = await app.inject('/');
  assert.equal(headers['retry-after'], '1');
  assert.equal(headers['content-type'], 'application/problem+json');
  assert.equal(JSON.parse(body).code, 'overloaded');
});
