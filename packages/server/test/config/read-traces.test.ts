import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Environment } from '../../src/config/variables.ts';
import { parseConfig } from '../../src/config.ts';

const endpoint = 'OTEL_EXPORTER_OTLP_ENDPOINT';

function tracesOf(environment: Environment) {
  const parsed = parseConfig(environment);
  if ('faults' in parsed) assert.fail(parsed.faults.join('\n'));
  return parsed.config.traces;
}

function faultsOf(environment: Environment): readonly string[] {
  const parsed = parseConfig({ [endpoint]: 'http://collector:4318', ...environment });
  return 'faults' in parsed ? parsed.faults : [];
}

describe('traces', () => {
  it('are off without a collector, whatever else is set for other programs', () => {
    assert.equal(tracesOf({}), undefined);
    const others = { OTEL_TRACES_SAMPLER: 'xray', OTEL_TRACES_EXPORTER: 'console', OTEL_BSP_SCHEDULE_DELAY: 'soon' };
    assert.equal(tracesOf(others), undefined);
  });

  it('are off with a collector when OpenTelemetry is told so', () => {
    const collector = { [endpoint]: 'no URL' };
    for (const off of [
      { OTEL_SDK_DISABLED: 'true' },
      { OTEL_SDK_DISABLED: 'TRUE' },
      { OTEL_TRACES_EXPORTER: 'none' },
    ]) {
      assert.equal(tracesOf({ ...collector, ...off }), undefined);
    }
    assert.ok(tracesOf({ [endpoint]: 'http://a', OTEL_SDK_DISABLED: 'false' }));
  });

  it('have the defaults of the specification', () => {
    assert.deepEqual(tracesOf({ [endpoint]: 'http://collector:4318' }), {
      url: 'http://collector:4318/v1/traces',
      serviceName: undefined,
      sampler: 'parentbased_always_on',
      ratio: 1,
      scheduleDelayMs: 5_000,
      maxQueueSize: 2_048,
      maxBatchSize: 512,
    });
  });

  it('name every wrong value, and none of a URL', () => {
    const wrong = 'ftp://user:SECRET@collector';
    assert.deepEqual(faultsOf({ [endpoint]: wrong }), [
      `${endpoint} must be an http:// or https:// URL, such as http://127.0.0.1:4318.`,
    ]);
    assert.match(
      faultsOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: wrong }).join(),
      /^OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must/,
    );
    assert.match(faultsOf({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).join(), /^OTEL_EXPORTER_OTLP_PROTOCOL must be/);
    assert.match(faultsOf({ OTEL_TRACES_EXPORTER: 'zipkin' }).join(), /^OTEL_TRACES_EXPORTER must be one of otlp,/);
    assert.match(faultsOf({ OTEL_TRACES_SAMPLER: 'xray' }).join(), /^OTEL_TRACES_SAMPLER must be one of always_on,/);
    for (const part of ['1.1', '-1', 'x', '1e-2', '.']) {
      assert.match(faultsOf({ OTEL_TRACES_SAMPLER_ARG: part }).join(), /^OTEL_TRACES_SAMPLER_ARG must be a number/);
    }
    for (const part of ['0', '1', '0.5', '.5', '1.0'])
      assert.deepEqual(faultsOf({ OTEL_TRACES_SAMPLER_ARG: part }), []);
    assert.match(faultsOf({ OTEL_BSP_MAX_QUEUE_SIZE: '0' }).join(), /^OTEL_BSP_MAX_QUEUE_SIZE must be a whole number/);
  });
});
