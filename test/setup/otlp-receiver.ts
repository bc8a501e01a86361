import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs';
import type { Cleanup } from './service.ts';

/** A span as it arrived, ids in hex. */
export interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  traceState: string;
  kind: string;
  startNanos: bigint;
  endNanos: bigint;
  attributes: Readonly<Record<string, unknown>>;
  links: readonly { traceId: string; spanId: string }[];
  /** Whether the span says that it failed. */
  isError: boolean;
  /** The attributes of the service that sent it. */
  resource: Readonly<Record<string, unknown>>;
}

/** One request to the collector. */
export interface ReceivedExport {
  path: string;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  spans: readonly ReceivedSpan[];
}

/** A collector of traces, as real as it must be: OTLP over HTTP, read by another decoder than the service's encoder. */
export interface OtlpReceiver {
  url: string;
  port: number;
  exports: readonly ReceivedExport[];
  /** All spans so far. */
  spans: readonly ReceivedSpan[];
  /** What it answers with; by default a 200. */
  answer: (response: ServerResponse) => void;
  /** Resolves once `find` finds something among the spans, with that. */
  until<T>(find: (spans: readonly ReceivedSpan[]) => T | undefined): Promise<T>;
  /** Closes it, and with it all its connections. */
  close(): Promise<void>;
}

const { root } = protobuf.parse(readFileSync(new URL('./otlp-trace.proto', import.meta.url), 'utf8'));
const requestType = root.lookupType('otlp.ExportTraceServiceRequest');

interface KeyValues {
  attributes?: { key: string; value: Record<string, unknown> }[];
}

interface DecodedSpan extends KeyValues {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  kind: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  links?: { traceId: string; spanId: string }[];
  status?: { code?: string };
}

interface DecodedRequest {
  resourceSpans: { resource: KeyValues; scopeSpans: { spans: DecodedSpan[] }[] }[];
}

const hex = (base64: string | undefined): string => Buffer.from(base64 ?? '', 'base64').toString('hex');

const valuesOf = ({ attributes = [] }: KeyValues): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** Decodes the body of an export. */
function spansOf(bytes: Uint8Array): ReceivedSpan[] {
  const { resourceSpans } = requestType.toObject(requestType.decode(bytes), {
    bytes: String,
    enums: String,
    longs: String,
  }) as DecodedRequest;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        name: span.name,
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId),
        traceState: span.traceState ?? '',
        kind: span.kind.replace('SPAN_KIND_', ''),
        startNanos: BigInt(span.startTimeUnixNano),
        endNanos: BigInt(span.endTimeUnixNano),
        attributes: valuesOf(span),
        links: (span.links ?? []).map((link) => ({ traceId: hex(link.traceId), spanId: hex(link.spanId) })),
        isError: span.status?.code === 'STATUS_CODE_ERROR',
        resource: valuesOf(resource),
      })),
  );
}

/** Starts a collector on a port, by default a free one, and ends it with the test. */
export async function startOtlpReceiver(t: Cleanup, port = 0): Promise<OtlpReceiver> {
  const exports: ReceivedExport[] = [];
  const spans: ReceivedSpan[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const received = spansOf(bytes);
    exports.push({ path: request.url ?? '', headers: request.headers, bytes, spans: received });
    spans.push(...received);
    receiver.answer(response);
    for (const look of waiting) look();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: actual } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  t.after(close);
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${actual}`,
    port: actual,
    exports,
    spans,
    answer: (response) => void response.end(),
    until: (find) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = find(spans);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    close,
  };
  return receiver;
}
