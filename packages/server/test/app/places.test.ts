import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fastify, type onRequestHookHandler } from 'fastify';
import { acceptJsonBodies } from '../../src/app/json-body.ts';
import { Places, RequestPlaces } from '../../src/app/places.ts';
import { handleError } from '../../src/app/problem-replies.ts';
import { Work, type WorkOptions } from '../../src/app/work.ts';
import { isAppError } from '../../src/problems.ts';
import { apiKeyWith } from './keyed-scene.ts';

/** Starts calls of keys with two places each, which end when they are told to, and notes which have begun. */
class Calls {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();
  readonly #places = new Places(2);

  /** Of the key that the name begins with. */
  start(name: string, options: WorkOptions = {}): Promise<string> {
    const tooLate = () => new RangeError('too late');
    return this.#places.run(name.slice(0, 1), new Work(options), tooLate, async () => {
      this.begun.push(name);
      await new Promise<void>((end) => this.#ends.set(name, end));
      return name;
    });
  }

  async end(name: string): Promise<void> {
    await nextTurn();
    this.#ends.get(name)?.();
    await nextTurn();
  }
}

describe('the places of a key', () => {
  it('are its own: what finds none waits for one of its key, in order', async () => {
    const calls = new Calls();
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map((name) => calls.start(name));
    await nextTurn();
    assert.deepEqual(calls.begun, ['a1', 'a2', 'b1', 'c1']);
    for (const name of ['b1', 'a2', 'a1', 'c1', 'a3', 'a4']) await calls.end(name);
    assert.deepEqual(calls.begun, ['a1', 'a2', 'b1', 'c1', 'a3', 'a4']);
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1', 'c1']);
  });

  it('are waited for until the deadline', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const calls = new Calls();
    for (const name of ['a1', 'a2']) void calls.start(name);
    const late = assert.rejects(calls.start('a3', { deadline: performance.now() + 50 }), /too late/);
    t.mock.timers.tick(50);
    await late;
    await calls.end('a1');
    assert.deepEqual(calls.begun, ['a1', 'a2']);
  });

  it('are not given to a client that has hung up meanwhile, but to the next', async () => {
    const calls = new Calls();
    for (const name of ['a1', 'a2']) void calls.start(name);
    let isGone = false;
    const gone = calls.start('a3', { isClientGone: () => isGone });
    void calls.start('a4');
    isGone = true;
    const refused = assert.rejects(gone, (error) => isAppError(error, 'malformed_http'));
    await calls.end('a1');
    await refused;
    assert.deepEqual(calls.begun, ['a1', 'a2', 'a4']);
  });

  it('are free again after a call that fails', async () => {
    const places = new Places(1);
    const run = (call: () => Promise<unknown>) => places.run('a', new Work(), () => new Error('too late'), call);
    await assert.rejects(
      run(() => Promise.reject(new RangeError('failed'))),
      RangeError,
    );
    assert.equal(await run(async () => 1), 1);
  });
});

/** A service with a route of each kind, whose handlers end when the test says. */
async function startApp(t: TestContext, waitMs = 60_000) {
  const held: PromiseWithResolvers<void>[] = [];
  let isEnding = false;
  let sent = 0;
  let arrived = 0;
  const app = fastify();
  app.setErrorHandler(handleError);
  acceptJsonBodies(app);
  for (const name of ['problemCode', 'work', 'places', 'apiKey']) app.decorateRequest(name, null);
  app.addHook('onRequest', (request, _reply, done) => {
    arrived += 1;
    const { key } = request.headers;
    if (typeof key === 'string') request.apiKey = { ...apiKeyWith(), rootId: key };
    done();
  });
  const handler = async (): Promise<string> => {
    const end = Promise.withResolvers<void>();
    held.push(end);
    if (!isEnding) await end.promise;
    return 'done';
  };
  app.register(async (scope) => {
    new RequestPlaces().limit(scope, waitMs);
    scope.get('/plain', handler);
    for (const place of ['large', 'writing'] as const) {
      scope.get(`/${place}`, { config: { place } }, handler);
    }
    const untilGone: onRequestHookHandler = ({ raw }, _reply, done) => void raw.once('close', () => done());
    scope.post('/abandoned', { config: { place: 'large' }, onRequest: untilGone }, handler);
  });
  t.after(() => app.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const get = (path: string, headers: Record<string, string> = {}, signal?: AbortSignal) => {
    sent += 1;
    return fetch(url + path, { headers, ...(signal && { signal }) });
  };
  /** Sends a request of the key `a` with a part of its body, and hangs up once it has arrived. */
  const abandon = async (): Promise<void> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(
      `POST /abandoned HTTP/1.1\r\nHost: x\r\nKey: a\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{`,
    );
    sent += 1;
    await settled();
    socket.destroy();
  };
  /** How many requests have got to work once all that were sent have arrived. */
  const settled = async (): Promise<number> => {
    while (arrived < sent) await nextTurn();
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    return held.length;
  };
  const send = (count: number, path: string, headers?: Record<string, string>) =>
    Array.from({ length: count }, () => get(path, headers));
  const endAll = (): void => {
    isEnding = true;
    for (const { resolve } of held) resolve();
  };
  return { get, send, abandon, settled, held, endAll };
}

describe('requests in work at the same time', () => {
  it('are 128 of a key, of which 4 write and 2 are large, whatever other keys send', async (t) => {
    for (const [path, headers, most] of [
      ['/plain', {}, 128],
      ['/plain', { 'idempotency-key': 'x' }, 4],
      ['/writing', {}, 4],
      ['/large', {}, 2],
      ['/large', { 'idempotency-key': 'x' }, 2],
    ] as const) {
      const { send, settled, endAll } = await startApp(t);
      const sent = send(most + 3, path, { key: 'a', ...headers });
      assert.equal(await settled(), most, path);
      const others = send(1, path, { key: 'b', ...headers });
      assert.equal(await settled(), most + 1, path);
      endAll();
      for (const reply of await Promise.all([...sent, ...others])) assert.equal(reply.status, 200);
    }
  });

  it('that wait for a place to write or for a large one hold no other place', async (t) => {
    const { send, settled, endAll } = await startApp(t);
    const sent = [...send(140, '/writing', { key: 'a' }), ...send(3, '/large', { key: 'a' })];
    assert.equal(await settled(), 6);
    sent.push(...send(1, '/plain', { key: 'a' }));
    assert.equal(await settled(), 7);
    endAll();
    await Promise.all(sent);
  });

  it('are 8 of an address without a key', async (t) => {
    const { send, settled, endAll } = await startApp(t);
    const sent = send(10, '/plain');
    assert.equal(await settled(), 8);
    endAll();
    await Promise.all(sent);
  });

  it('that get no place until their deadline are refused with a 429', async (t) => {
    const { send, get, settled, endAll } = await startApp(t, 20);
    const sent = send(2, '/large', { key: 'a' });
    await settled();
    const refused = await get('/large', { key: 'a' });
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1']);
    assert.equal(Object(await refused.json()).code, 'rate_limited');
    endAll();
    for (const reply of await Promise.all(sent)) assert.equal(reply.status, 200);
  });

  it('keep their places when the client hangs up, until the work ends', async (t) => {
    const { send, get, settled, held, endAll } = await startApp(t);
    const controller = new AbortController();
    const gone = [1, 2].map(() => assert.rejects(get('/large', { key: 'a' }, controller.signal)));
    assert.equal(await settled(), 2);
    controller.abort();
    await Promise.all(gone);
    const sent = send(1, '/large', { key: 'a' });
    assert.equal(await settled(), 2);
    held[0]?.resolve();
    assert.equal(await settled(), 3);
    endAll();
    await Promise.all(sent);
  });

  it('give their places back when the client hangs up before its body is read', async (t) => {
    const { send, abandon, endAll } = await startApp(t, 10_000);
    for (let count = 0; count < 2; count++) await abandon();
    endAll();
    for (const reply of await Promise.all(send(2, '/large', { key: 'a' }))) assert.equal(reply.status, 200);
  });
});
