import { ROOT_CONTEXT, SpanKind, TraceFlags, type Tracer, trace } from '@opentelemetry/api';
import { AlwaysOnSampler, ParentBasedSampler, type ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';
import { TracedRequest } from '../../src/traces/traced-request.ts';

/** A tracer, and its spans that have ended, in the order of their ends. */
export interface Recording {
  tracer: Tracer;
  spans: readonly ReadableSpan[];
}

/** Starts a tracer that keeps every span but those of a trace that somebody began and does not sample. */
export function startRecording(): Recording {
  const spans: ReadableSpan[] = [];
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [
      {
        onStart: () => undefined,
        onEnd: (span) => void spans.push(span),
        forceFlush: async () => undefined,
        shutdown: async () => undefined,
      },
    ],
  });
  return { tracer: provider.getTracer('test'), spans };
}

/** So many spans that have ended. */
export function endedSpans(count: number): ReadableSpan[] {
  const { tracer, spans } = startRecording();
  for (let index = 0; index < count; index += 1) tracer.startSpan(`span ${index}`).end();
  return [...spans];
}

/** The trace that `unsampledRequest` belongs to. */
export const callerTraceId = '4bf92f3577b34da6a3ce929d0e0e4736';

/** A request that is recorded. */
export function sampledRequest(tracer: Tracer, name = 'POST /v1/transfers'): TracedRequest {
  return new TracedRequest(tracer, name, { kind: SpanKind.SERVER }, ROOT_CONTEXT);
}

/** A request of a trace that its caller does not sample. */
export function unsampledRequest(tracer: Tracer): TracedRequest {
  const caller = { traceId: callerTraceId, spanId: '00f067aa0ba902b7', traceFlags: TraceFlags.NONE };
  return new TracedRequest(tracer, 'unsampled', {}, trace.setSpanContext(ROOT_CONTEXT, caller));
}
