import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { maskApiKeys } from '../api-key.ts';
import { runFor, TracedRequest } from './traced-request.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request in its trace; `null` on a service that traces nothing. */
    traced: TracedRequest | null;
  }
}

const propagator = new W3CTraceContextPropagator();

// Only what the propagator asks for. A key in it would leave in every span.
const headers: TextMapGetter<FastifyRequest['headers']> = {
  keys: (carrier) => Object.keys(carrier),
  get: (carrier, name) => {
    const value = carrier[name];
    return typeof value === 'string' && maskApiKeys(value) !== value ? undefined : value;
  },
};

/**
 * Gives each request of a server a span, from its head to the last byte of its reply, in the trace of its `traceparent`.
 *
 * To be called before other hooks are added: what they do belongs to the request. The span names the route and not the path,
 * which may hold anything: no query string, body or header is in it.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('traced', null);
  app.addHook('onRequest', (request, reply, done) => {
    const traced = begin(request, tracer);
    request.traced = traced;
    if (traced.span.isRecording()) reply.raw.once('close', () => endUnanswered(traced));
    runFor(traced, done);
  });
  // The body is read by events of the connection, which belong to no request.
  app.addHook('onResponse', (request, reply, done) => {
    const { traced } = request;
    if (!traced) return done();
    end(traced, request, reply);
    // The end of a reply that waited for another one on its connection is an event of that one.
    runFor(traced, done);
  });
}

function begin(request: FastifyRequest, tracer: Tracer): TracedRequest {
  const { method, protocol, raw, routeOptions } = request;
  const route = routeOptions.url;
  const attributes: Attributes = {
    'http.request.method': method,
    'url.scheme': protocol,
    'network.protocol.version': raw.httpVersion,
    ...(route !== undefined && { 'http.route': route }),
  };
  const name = route === undefined ? method : `${method} ${route}`;
  return new TracedRequest(tracer, name, { kind: SpanKind.SERVER, attributes }, contextOf(request));
}

function contextOf(request: FastifyRequest): Context {
  return request.headers.traceparent === undefined
    ? ROOT_CONTEXT
    : propagator.extract(ROOT_CONTEXT, request.headers, headers);
}

function end(traced: TracedRequest, request: FastifyRequest, reply: FastifyReply): void {
  const { span } = traced;
  if (!span.isRecording()) return;
  const { problemCode } = request;
  span.setAttribute('http.response.status_code', reply.statusCode);
  span.setAttribute('splwright.request_id', request.id);
  if (problemCode !== null) span.setAttribute('splwright.problem', problemCode);
  if (request.isReplay) span.setAttribute('splwright.replay', true);
  // By the conventions, a refusal is no error of the server.
  if (reply.statusCode >= 500) {
    span.setAttribute('error.type', problemCode ?? String(reply.statusCode));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(traced.timeOf(performance.now()));
}

function endUnanswered(traced: TracedRequest): void {
  const { span } = traced;
  if (!span.isRecording()) return;
  span.setAttribute('error.type', 'caller_hung_up');
  span.end(traced.timeOf(performance.now()));
}
