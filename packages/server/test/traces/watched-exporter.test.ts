import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { WatchedExporter } from '../../src/traces/traces.ts';
import { endedSpans } from './recorded-spans.ts';

const taken: ExportResult = { code: ExportResultCode.SUCCESS };
const failedWith = (error?: Error): ExportResult => ({ code: ExportResultCode.FAILED, ...(error && { error }) });
const errorWith = (code: string | number, message = 'of http://collector/SECRET'): Error =>
  Object.assign(new Error(message), { code });

/** A watched exporter whose collector answers as told, and what it reported. */
function startExporter() {
  const reports: (string | number)[] = [];
  const sent: ReadableSpan[][] = [];
  const calls: string[] = [];
  let result = taken;
  const inner: SpanExporter = {
    export: (spans, done) => {
      sent.push(spans);
      done(result);
    },
    forceFlush: async () => void calls.push('forceFlush'),
    shutdown: async () => void calls.push('shutdown'),
  };
  const exporter = new WatchedExporter(inner, {
    onLoss: (reason) => reports.push(reason),
    onRecovery: (lostSpans) => reports.push(lostSpans),
  });
  /** Exports so many spans to a collector that answers with this result. */
  const send = (count: number, answer: ExportResult): void => {
    result = answer;
    const told: ExportResult[] = [];
    const spans = endedSpans(count);
    exporter.export(spans, (each) => told.push(each));
    assert.deepEqual(told, [answer], 'the caller hears of it');
    assert.equal(sent.at(-1), spans);
  };
  return { exporter, reports, calls, send };
}

describe('a watched exporter', () => {
  it('says nothing while spans are taken', () => {
    const { reports, send } = startExporter();
    send(3, taken);
    send(2, taken);
    assert.deepEqual(reports, []);
  });

  it('reports a loss once, however many batches are lost, and then how many spans were', () => {
    const { reports, send } = startExporter();
    send(1, taken);
    for (const count of [3, 2, 4]) send(count, failedWith(errorWith('ECONNREFUSED')));
    assert.deepEqual(reports, ['ECONNREFUSED']);
    send(5, taken);
    send(1, taken);
    assert.deepEqual(reports, ['ECONNREFUSED', 9]);
  });

  it('reports that spans are taken again also when a single one was lost', () => {
    const { reports, send } = startExporter();
    send(1, failedWith(errorWith(503)));
    send(1, taken);
    assert.deepEqual(reports, ['HTTP 503', 1]);
  });

  it('counts the next loss from zero', () => {
    const { reports, send } = startExporter();
    for (const count of [3, 2]) {
      send(count, failedWith(errorWith(401)));
      send(1, taken);
    }
    assert.deepEqual(reports, ['HTTP 401', 3, 'HTTP 401', 2]);
  });

  for (const [reason, error] of [
    ['HTTP 500', errorWith(500)],
    ['ECONNRESET', errorWith('ECONNRESET', 'Request timed out')],
    ['timeout', new Error('Request timed out')],
    ['unavailable', new Error('Export failed with retryable status')],
    ['TypeError', new TypeError('of http://collector/SECRET')],
    ['unknown', undefined],
  ] as const) {
    it(`gives ${reason} as the reason, and never a message, which may name the URL`, () => {
      const { reports, send } = startExporter();
      send(1, failedWith(error));
      assert.deepEqual(reports, [reason]);
    });
  }

  it('flushes and stops the exporter behind it', async () => {
    const { exporter, calls } = startExporter();
    await exporter.forceFlush();
    await exporter.shutdown();
    assert.deepEqual(calls, ['forceFlush', 'shutdown']);
  });
});
