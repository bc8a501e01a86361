import type { VariableName } from './variables.ts';

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Where traces are sent, and of which requests. */
export interface TracesConfig {
  /** The URL that traces are posted to, which may hold secrets. */
  url: string;
  /** `undefined`: that of the resource attributes, or `splwright`. */
  serviceName: string | undefined;
  sampler: (typeof samplers)[number];
  /** The part of the requests that a ratio sampler takes, from 0 to 1. */
  ratio: number;
  /** How far apart batches are sent. */
  scheduleDelayMs: number;
  /** How many spans may wait. */
  maxQueueSize: number;
  /** How many spans are sent at once. */
  maxBatchSize: number;
}

/** Reads a value of the environment, or adds a sentence to the faults. */
export interface VariableReader {
  text: (name: VariableName) => string;
  integer: (name: VariableName, min: number, max: number) => number;
  oneOf: <T extends string>(name: VariableName, choices: readonly [T, ...T[]]) => T;
}

/**
 * Returns where traces are sent, or `undefined` when they are off: then nothing else of OpenTelemetry is looked at.
 *
 * Adds a sentence to `faults` for each wrong value, without the text of a URL.
 */
export function readTraces({ text, integer, oneOf }: VariableReader, faults: string[]): TracesConfig | undefined {
  const base = text('OTEL_EXPORTER_OTLP_ENDPOINT');
  const whole = text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const isOff = text('OTEL_SDK_DISABLED').toLowerCase() === 'true' || text('OTEL_TRACES_EXPORTER') === 'none';
  if (isOff || (base === '' && whole === '')) return undefined;
  const name = whole === '' ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
  const url = whole === '' ? `${base.replace(/\/$/, '')}/v1/traces` : whole;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    faults.push(`${name} must be an http:// or https:// URL, such as http://127.0.0.1:4318.`);
  }
  oneOf('OTEL_TRACES_EXPORTER', ['otlp']);
  oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', ['http/protobuf']);
  const ratio = text('OTEL_TRACES_SAMPLER_ARG');
  const isRatio = /^[0-9]*\.?[0-9]+$/.test(ratio) && Number(ratio) <= 1;
  if (!isRatio) faults.push(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not ${JSON.stringify(ratio)}.`);
  return Object.freeze({
    url,
    serviceName: text('OTEL_SERVICE_NAME') || undefined,
    sampler: oneOf('OTEL_TRACES_SAMPLER', samplers),
    ratio: Number(ratio),
    scheduleDelayMs: integer('OTEL_BSP_SCHEDULE_DELAY', 1, 600_000),
    maxQueueSize: integer('OTEL_BSP_MAX_QUEUE_SIZE', 1, 1_000_000),
    maxBatchSize: integer('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 1, 100_000),
  });
}
