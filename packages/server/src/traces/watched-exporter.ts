import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/** What an exporter reports. */
export interface ExportReports {
  /** Called once when spans are no longer accepted. `reason` is a code such as `ECONNREFUSED` or `HTTP 401`. */
  onLoss: (reason: string) => void;
  /** Called once when they are accepted again, with the number of spans that were lost with their batches. */
  onRecovery: (lostSpans: number) => void;
}

/** An exporter that reports when it begins to lose spans and when it no longer does, however many batches it loses. */
export class WatchedExporter implements SpanExporter {
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
