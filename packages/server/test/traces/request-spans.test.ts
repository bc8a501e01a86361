import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { type FastifyRequest, fastify } from 'fastify';
import type { ProblemCode } from '../../src/errors.ts';
import { acceptJsonBodies } from '../../src/http/json-body.ts';
import { traceRequests } from '../../src/traces/request-spans.ts';
import { runningRequests } from '../../src/traces/traced-request.ts';
import { callerTraceId, startRecording } from './recorded-spans.ts';

const callerSpanId = '00f067aa0ba902b7';
const traceparent = `00-${callerTraceId}-${callerSpanId}-01`;
const unsampledTraceparent = `00-${callerTraceId}-${callerSpanId}-00`;
const apiKey = `swk_${'a'.repeat(39)}`;

interface Reply {
  status: number;
  problem: ProblemCode | null;
  isReplay: boolean;
}

/** Sets the wall clock ahead by an hour until the test ends. */
function setClockAhead(t: TestContext): void {
  const { now } = Date;
  t.mock.method(Date, 'now', () => now() + 3_600_000);
}

/** Asserts that a span lasted at least so long, and not an hour. */
function assertLasts(span: ReadableSpan | undefined, minNanos: number): void {
  const [seconds, nanos] = span?.duration ?? [];
  assert.ok(seconds !== undefined && nanos !== undefined);
  assert.ok(seconds > 0 || nanos >= minNanos, `${seconds} s ${nanos} ns`);
  assert.ok(seconds < 600, `${seconds} s`);
}

/** A server whose requests are traced, and that answers as told. */
function start(t: TestContext, changes: Partial<Reply> = {}) {
  const { tracer, spans } = startRecording();
  const { status, problem, isReplay }: Reply = { status: 200, problem: null, isReplay: false, ...changes };
  const app = fastify({ genReqId: () => 'request-7' });
  app.decorateRequest('problemCode', null);
  app.decorateRequest('isReplay', false);
  traceRequests(app, tracer);
  /** For which requests each part of the way ran: a request is there itself, or not. */
  const ways: [string, boolean][] = [];
  const note = (name: string, request: FastifyRequest): void => {
    const [only, ...others] = runningRequests();
    ways.push([name, only !== undefined && only === request.traced && others.length === 0]);
  };
  for (const name of ['onRequest', 'preValidation', 'onSend', 'onResponse'] as const) {
    app.addHook(name, async (request: FastifyRequest) => note(name, request));
  }
  app.post('/pay/:id', async (request, reply) => {
    note('handler', request);
    request.problemCode = problem;
    request.isReplay = isReplay;
    return reply.code(status).send({});
  });
  t.after(() => app.close());
  const post = (headers: Record<string, string> = {}) =>
    app.inject({ method: 'POST', url: '/pay/secret?key=secret', headers, payload: { secret: 'secret' } });
  return { app, spans, ways, post };
}

describe('the span of a request', () => {
  it('is named by its route, and has neither its path nor its query', async (t) => {
    const { spans, post } = start(t);
    await post();
    const [span, ...more] = spans;
    assert.deepEqual(more, [], 'it ends once');
    assert.deepEqual([span?.name, span?.kind], ['POST /pay/:id', SpanKind.SERVER]);
    assert.deepEqual(span?.attributes, {
      'http.request.method': 'POST',
      'url.scheme': 'http',
      'network.protocol.version': '1.1',
      'http.route': '/pay/:id',
      'http.response.status_code': 200,
      'splwright.request_id': 'request-7',
    });
    assert.deepEqual([span?.status.code, span?.parentSpanContext], [SpanStatusCode.UNSET, undefined]);
  });

  it('without a route is named by its method', async (t) => {
    const { app, spans } = start(t);
    await app.inject('/nothing/secret');
    assert.equal(spans[0]?.name, 'GET');
    assert.equal(spans[0]?.attributes['http.response.status_code'], 404);
    assert.ok(!('http.route' in (spans[0]?.attributes ?? {})));
  });

  it('lasts from its head to the end of its reply, also when the wall clock is set in between', async (t) => {
    const { app, spans } = start(t);
    app.get('/slow', async () => {
      setClockAhead(t);
      const until = performance.now() + 20;
      while (performance.now() < until);
      return {};
    });
    await app.inject('/slow');
    assertLasts(spans[0], 20_000_000);
  });

  it('says which problem a refusal was, which is no error', async (t) => {
    const { spans, post } = start(t, { status: 499, problem: 'recipient_is_mint' });
    await post();
    assert.equal(spans[0]?.attributes['splwright.problem'], 'recipient_is_mint');
    assert.equal(spans[0]?.status.code, SpanStatusCode.UNSET);
    assert.ok(!('error.type' in (spans[0]?.attributes ?? {})));
  });

  it('is an error from status 500 on, of the type of its problem, or else of its status', async (t) => {
    for (const [problem, type] of [
      ['internal_error', 'internal_error'],
      [null, '500'],
    ] as const) {
      const { spans, post } = start(t, { status: 500, problem });
      await post();
      assert.deepEqual([spans[0]?.status.code, spans[0]?.attributes['error.type']], [SpanStatusCode.ERROR, type]);
    }
  });

  it('says that a reply was given before', async (t) => {
    const { spans, post } = start(t, { isReplay: true });
    await post();
    assert.equal(spans[0]?.attributes['splwright.replay'], true);
  });

  it('ends when the caller hangs up before there is a reply, which is an error, and only then', async (t) => {
    const { app, spans } = start(t);
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<object>();
    app.get('/late', async () => {
      asked.resolve();
      return answer.promise;
    });
    const closed = Promise.withResolvers<void>();
    app.addHook('onRequest', async (_request, reply) => void reply.raw.once('close', closed.resolve));
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /late HTTP/1.1\r\nhost: here\r\n\r\n');
    await asked.promise;
    assert.deepEqual(spans, []);
    setClockAhead(t);
    socket.destroy();
    await closed.promise;
    assert.deepEqual(
      spans.map(({ name, attributes }) => [name, attributes['error.type'], attributes['http.response.status_code']]),
      [['GET /late', 'caller_hung_up', undefined]],
    );
    assertLasts(spans[0], 1);
    answer.resolve({});
  });
});

describe('a trace that a caller began', () => {
  it('is continued, with its state', async (t) => {
    const { spans, post } = start(t);
    await post({ traceparent, tracestate: 'vendor=a1,other=b2' });
    const [span] = spans;
    assert.ok(span);
    const { parentSpanContext: parent } = span;
    assert.deepEqual([parent?.traceId, parent?.spanId], [callerTraceId, callerSpanId]);
    const { traceId, traceState } = span.spanContext();
    assert.deepEqual([traceId, traceState?.serialize()], [callerTraceId, 'vendor=a1,other=b2']);
  });

  it('and does not sample has no span, and its requests are known all the same', async (t) => {
    const { spans, ways, post } = start(t);
    await post({ traceparent: unsampledTraceparent });
    assert.deepEqual(spans, []);
    assert.ok(ways.every(([, isItself]) => isItself));
  });

  it('is not continued without its id', async (t) => {
    const { spans, post } = start(t);
    await post({ tracestate: 'vendor=a1' });
    await post({ traceparent: 'none', tracestate: 'vendor=a1' });
    assert.equal(spans.length, 2);
    for (const span of spans) {
      assert.equal(span.parentSpanContext, undefined);
      assert.equal(span.spanContext().traceState, undefined);
    }
  });

  it('loses a state that has an API key in it', async (t) => {
    const { spans, post } = start(t);
    await post({ traceparent, tracestate: `vendor=${apiKey}` });
    const context = spans[0]?.spanContext();
    assert.deepEqual([context?.traceId, context?.traceState?.serialize() ?? ''], [callerTraceId, '']);
  });
});

describe('everything that is done for a request', () => {
  it('is done for it, hooks and the handler, before its body is read and after its reply', async (t) => {
    const { ways, post } = start(t);
    await Promise.all([post(), post({ traceparent })]);
    const names = ['onRequest', 'preValidation', 'handler', 'onSend', 'onResponse'];
    for (const name of names) {
      assert.deepEqual(
        ways.filter(([each]) => each === name),
        [
          [name, true],
          [name, true],
        ],
        name,
      );
    }
  });

  it('is done for it over a connection, too, whose events belong to nobody', async (t) => {
    const { app, ways } = start(t);
    acceptJsonBodies(app);
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const response = await fetch(`${url}/pay/1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'x'.repeat(300_000) }),
    });
    await response.text();
    await app.close();
    assert.deepEqual(
      ways.map(([, isItself]) => isItself),
      [true, true, true, true, true],
    );
  });

  it('is done for it also when its reply waits for that of another request on its connection', async (t) => {
    const { app, ways } = start(t);
    const isSecondDone = Promise.withResolvers<void>();
    app.get('/first', async () => {
      await isSecondDone.promise;
      return {};
    });
    app.get('/second', async () => {
      setImmediate(isSecondDone.resolve);
      return {};
    });
    const areAnswered = Promise.withResolvers<void>();
    let left = 2;
    app.addHook('onResponse', async () => {
      left -= 1;
      if (left === 0) areAnswered.resolve();
    });
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(['/first', '/second'].map((path) => `GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`).join(''));
    socket.resume();
    await areAnswered.promise;
    socket.destroy();
    assert.ok(
      ways.every(([, isItself]) => isItself),
      JSON.stringify(ways),
    );
    assert.equal(ways.filter(([name]) => name === 'onResponse').length, 2);
  });
});
