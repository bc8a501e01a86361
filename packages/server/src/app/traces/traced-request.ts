import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type HrTime,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { WorkTracer } from '../../chain/chain-observer.ts';

/** What names a trace in a log line, as OpenTelemetry spells it. */
export interface TraceFields {
  trace_id: string;
  span_id: string;
  trace_flags: string;
}

/** A request, and its span, which records nothing when the request is not sampled. */
export class TracedRequest {
  readonly span: Span;
  readonly #epochMs: number;
  #context: Context | undefined;
  #fields: TraceFields | undefined;

  /** Starts its span, in the trace of `parent`. */
  constructor(tracer: Tracer, name: string, options: SpanOptions, parent: Context) {
    const now = performance.now();
    this.#epochMs = Date.now() - now;
    this.span = tracer.startSpan(name, { ...options, startTime: this.timeOf(now) }, parent);
  }

  /** Returns a reading of `performance.now` as the wall clock would show it, by the same offset for all spans of this request. */
  timeOf(reading: number): HrTime {
    const ms = this.#epochMs + reading;
    const seconds = Math.floor(ms / 1000);
    return [seconds, Math.floor((ms - seconds * 1000) * 1_000_000)];
  }

  /** The context of which further spans are children. */
  get context(): Context {
    this.#context ??= trace.setSpan(ROOT_CONTEXT, this.span);
    return this.#context;
  }

  /** The trace fields of its log lines. */
  get fields(): TraceFields {
    this.#fields ??= fieldsOf(this.span);
    return this.#fields;
  }
}

function fieldsOf(span: Span): TraceFields {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { trace_id: traceId, span_id: spanId, trace_flags: traceFlags.toString(16).padStart(2, '0') };
}

const none: ReadonlySet<TracedRequest> = new Set();
const running = new AsyncLocalStorage<TracedRequest | ReadonlySet<TracedRequest>>();

/** Runs an action, and everything that it starts, on behalf of a request. */
export function runFor<T>(request: TracedRequest, action: () => T): T {
  return running.run(request, action);
}

/** The requests on whose behalf this code runs, which are several where they share a call. */
export function runningRequests(): Iterable<TracedRequest> {
  const current = running.getStore() ?? none;
  return current instanceof TracedRequest ? [current] : current;
}

/** Follows requests into the work that they share. */
export const workTracer: WorkTracer = {
  share: () => {
    const requests = new Set(runningRequests());
    return {
      join: () => {
        for (const request of runningRequests()) requests.add(request);
      },
      run: (work) => running.run(requests, work),
    };
  },
  // Less than what `AsyncLocalStorage.bind` does: there is no other context here to take along.
  bind: (action) => {
    const current = running.getStore();
    return current ? (...given) => running.run(current, action, ...given) : action;
  },
};
