import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { FastifyInstance } from 'fastify';
import type { WorkTracer } from '../../chain/chain-observer.ts';
import { CallSpans } from './call-spans.ts';
import { traceRequests } from './request-spans.ts';
import { runningRequests, type TraceFields, workTracer } from './traced-request.ts';

/** Where traces are sent, and of which requests. */
export interface TracesOptions extends ExportReports {
  /** The URL that traces are posted to. */
  url: string;
  /** `undefined`: that of the resource attributes in the environment, or `splwright`. */
  serviceName: string | undefined;
  version: string;
  sampler: string;
  /** The part of the requests that a ratio sampler takes, from 0 to 1. */
  ratio: number;
  scheduleDelayMs: number;
  /** How many spans may wait; more are dropped. */
  maxQueueSize: number;
  /** How many spans are sent at once. */
  maxBatchSize: number;
}

// How long a stop waits for the collector to take the last spans: a part of the seconds that a stop may take after its drain.
const maxFlushMs = 1_000;

// How many batches a slow collector gets at a time. Further ones are dropped, so that memory stays bounded.
const maxBatchesUnderWay = 4;

/**
 * Traces requests by OpenTelemetry, and sends the spans in batches, by OTLP over HTTP.
 *
 * Nothing of it is global. A collector that is away or slow costs a bounded queue, and no request waits for it. The certificates,
 * headers, compression and timeout of the exporter, and the resource attributes, are those of the environment, which the
 * libraries of OpenTelemetry read.
 */
export class Traces {
  /** The spans of calls to nodes, the database and Redis. */
  readonly calls: CallSpans;
  /** Follows requests into the calls that they share. */
  readonly work: WorkTracer = workTracer;
  readonly #provider: TracerProvider;
  readonly #watch: (app: FastifyInstance) => void;

  /** Connects to nothing before there are spans to send. */
  constructor(options: TracesOptions) {
    const exporter = new OTLPTraceExporter({ url: options.url, concurrencyLimit: maxBatchesUnderWay });
    this.#provider = new TracerProvider({
      resource: resourceOf(options),
      sampler: samplerOf(options),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: new WatchedExporter(exporter, options),
          scheduledDelayMillis: options.scheduleDelayMs,
          maxQueueSize: options.maxQueueSize,
          maxExportBatchSize: options.maxBatchSize,
        }),
      ],
    });
    const tracer = this.#provider.getTracer('splwright', options.version);
    this.calls = new CallSpans(tracer);
    this.#watch = (app) => traceRequests(app, tracer);
  }

  /** Gives each request of a server a span; to be called before other hooks are added. */
  watch(app: FastifyInstance): void {
    this.#watch(app);
  }

  /** Returns what names the trace of the running request in a log line; nothing outside requests. */
  logFields(): TraceFields | object {
    for (const { fields } of runningRequests()) return fields;
    return {};
  }

  /** Sends the last spans; gives up after a second. */
  async close(): Promise<void> {
    const isOver = new AbortController();
    const flushed = this.#provider.shutdown().catch(() => undefined);
    await Promise.race([flushed, sleep(maxFlushMs, undefined, { signal: isOver.signal })]);
    isOver.abort();
  }
}

function resourceOf({ serviceName, version }: TracesOptions): Resource {
  const own = resourceFromAttributes({
    'service.name': 'splwright',
    'service.version': version,
    'service.instance.id': randomUUID(),
    'process.pid': process.pid,
  });
  const given = detectResources({ detectors: [resourceAttributesEnvDetector] });
  const named = resourceFromAttributes(serviceName === undefined ? {} : { 'service.name': serviceName });
  return defaultResource().merge(own).merge(given).merge(named);
}

function samplerOf({ sampler, ratio }: TracesOptions): Sampler {
  const root = rootSamplerOf(sampler.replace(/^parentbased_/, ''), ratio);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSamplerOf(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}

/** What an exporter reports. */
export interface ExportReports {
  /** Called once when spans are no longer accepted. `reason` is a code such as `ECONNREFUSED` or `HTTP 401`. */
  onLoss: (reason: string) => void;
  /** Called once when they are accepted again, with the number of spans that were lost with their batches. */
  onRecovery: (lostSpans: number) => void;
}

/** An exporter that reports when it begins to lose spans and when it no longer does, however many batches it loses. */
class WatchedExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #reports: ExportReports;
  #lostSpans = 0;

  /** Spans go to `exporter`. */
  constructor(exporter: SpanExporter, reports: ExportReports) {
    this.#exporter = exporter;
    this.#reports = reports;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      this.#note(spans.length, result);
      done(result);
    });
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #note(spans: number, { code, error }: ExportResult): void {
    if (code === ExportResultCode.SUCCESS) {
      if (this.#lostSpans > 0) this.#reports.onRecovery(this.#lostSpans);
      this.#lostSpans = 0;
      return;
    }
    if (this.#lostSpans === 0) this.#reports.onLoss(reasonOf(error));
    this.#lostSpans += spans;
  }
}

// Not the message: it may name the URL, or repeat what the collector answered.
function reasonOf(error: Error | undefined): string {
  if (error && 'code' in error && typeof error.code === 'number') return `HTTP ${error.code}`;
  if (error && 'code' in error && typeof error.code === 'string') return error.code;
  if (error?.message.includes('timed out')) return 'timeout';
  return error?.message.includes('retryable') ? 'unavailable' : (error?.name ?? 'unknown');
}
