import { type Attributes, type Link, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { ChainObserver } from '../../chain/chain-observer.ts';
import type { QueryReport } from '../../store/query-reports.ts';
import { runningRequests, type TracedRequest } from './traced-request.ts';

/** A call to another program that has ended. */
interface EndedCall {
  name: string;
  attributes: Attributes;
  durationMs: number;
  /** What went wrong in a word, if anything did. */
  errorType: string | undefined;
}

// Of a call that more requests share, the others are not named.
const maxLinks = 128;

/**
 * Writes the spans of calls to nodes, the database and Redis, by the conventions of OpenTelemetry.
 *
 * A call belongs to the first sampled request that waits for it, and is linked with the others, as they are with it. A call that
 * is made for no request, or for one that has been answered, has no span.
 */
export class CallSpans {
  readonly #tracer: Tracer;

  /** The spans are those of the tracer. */
  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** Returns an observer that also writes a span of each attempt to call a node, named as in the log and never by URL. */
  observing(observer: ChainObserver): ChainObserver {
    return {
      ...observer,
      attempted: (upstream, method, fault, durationMs) => {
        observer.attempted(upstream, method, fault, durationMs);
        const attributes = { 'rpc.system': 'jsonrpc', 'rpc.method': method, 'peer.service': upstream };
        this.#write({ name: method, attributes, durationMs, errorType: fault });
      },
    };
  }

  /** Writes the span of a statement, named by its kind and its table, without its text and its values. */
  readonly noteQuery = ({ database, operation, table, durationMs, isFailed }: QueryReport): void => {
    const attributes = {
      'db.system.name': database,
      'db.operation.name': operation,
      ...(table !== undefined && { 'db.collection.name': table }),
    };
    const name = table === undefined ? operation : `${operation} ${table}`;
    this.#write({ name, attributes, durationMs, errorType: isFailed ? 'failed' : undefined });
  };

  /** Writes the span of the wait for a count in Redis, which one script does for the requests of one turn. */
  readonly noteCount = (durationMs: number, isFailed: boolean): void => {
    const attributes = { 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA' };
    this.#write({ name: 'EVALSHA', attributes, durationMs, errorType: isFailed ? 'failed' : undefined });
  };

  #write({ name, attributes, durationMs, errorType }: EndedCall): void {
    const waiting = recordedAmong(runningRequests());
    const [parent, ...others] = waiting;
    if (!parent) return;
    const endedAt = performance.now();
    const linked = others.slice(0, maxLinks);
    const links = linked.map(({ span }): Link => ({ context: span.spanContext() }));
    const span = this.#tracer.startSpan(
      name,
      { kind: SpanKind.CLIENT, attributes, links, startTime: parent.timeOf(endedAt - durationMs) },
      parent.context,
    );
    if (errorType !== undefined) {
      span.setAttribute('error.type', errorType);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    for (const other of linked) other.span.addLink({ context: span.spanContext() });
    span.end(parent.timeOf(endedAt));
  }
}

function recordedAmong(requests: Iterable<TracedRequest>): readonly TracedRequest[] {
  return [...requests].filter(({ span }) => span.isRecording());
}
