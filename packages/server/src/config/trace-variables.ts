/**
 * The variables of OpenTelemetry that are read, by the names and meanings of its specification
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
 */
export const traceVariables = [
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    none: 'no traces',
    meaning: 'the OpenTelemetry collector that traces are sent to, by OTLP over HTTP, such as http://127.0.0.1:4318',
    mayHoldSecrets: true,
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    none: 'that of `OTEL_EXPORTER_OTLP_ENDPOINT`, with /v1/traces',
    meaning: 'the whole URL that traces are sent to',
    mayHoldSecrets: true,
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    none: 'no further headers',
    meaning: 'headers for the collector: name=value, separated by commas, percent-encoded',
    mayHoldSecrets: true,
  },
  {
    name: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    default: 'http/protobuf',
    meaning: 'how traces are written; there is no other way than this',
  },
  { name: 'OTEL_TRACES_EXPORTER', default: 'otlp', meaning: 'otlp, or none for no traces' },
  { name: 'OTEL_SDK_DISABLED', default: 'false', meaning: 'true: no traces' },
  { name: 'OTEL_SERVICE_NAME', none: 'splwright', meaning: 'the name of the service in traces' },
  {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    none: 'no further attributes',
    meaning: 'attributes of every trace: name=value, separated by commas, percent-encoded',
  },
  {
    name: 'OTEL_TRACES_SAMPLER',
    default: 'parentbased_always_on',
    meaning: 'which requests are traced: always_on, always_off, traceidratio, or these after parentbased_',
  },
  { name: 'OTEL_TRACES_SAMPLER_ARG', default: '1', meaning: 'the part of the requests for traceidratio, from 0 to 1' },
  { name: 'OTEL_BSP_SCHEDULE_DELAY', default: '5000', meaning: 'how many milliseconds apart traces are sent' },
  { name: 'OTEL_BSP_MAX_QUEUE_SIZE', default: '2048', meaning: 'how many spans may wait; more are dropped' },
  { name: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', default: '512', meaning: 'how many spans are sent at once' },
] as const;

/** The name of a variable of OpenTelemetry. */
export type TraceVariableName = (typeof traceVariables)[number]['name'];
