import type { TestContext } from 'node:test';
import type { Sandbox } from '../../../packages/sandbox/src/index.ts';
import type { Environment } from '../../../packages/server/src/config/variables.ts';
import { openKeyStore } from '../../../packages/server/src/serve/store/open-key-store.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../setup/otlp-receiver.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { startTestService, type TestService } from '../../setup/service.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

/** The part of the node's URL that must never leave. */
export const nodeSecret = 'NODE-SECRET-3f9a1c';

/** A service that sends its traces to a collector of the test's own. */
export interface TracedService {
  service: TestService;
  sandbox: Sandbox;
  collector: OtlpReceiver;
  apiKey: string;
  /** Posts with the key of the service. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The spans of the trace of the next request of a route, once the request's own has arrived, that one first. */
  traceOf(route: string): Promise<readonly ReceivedSpan[]>;
}

/** Starts a service on a node with a secret in its URL, whose spans are sent every 20 ms. */
export async function startTracedService(t: TestContext, environment: Environment = {}): Promise<TracedService> {
  const collector = await startOtlpReceiver(t);
  const sandbox = await startTestSandbox(t);
  const databaseUrl = environment.DATABASE_URL ?? `sqlite:${temporaryFolder(t)}/keys.db`;
  const store = await openKeyStore(databaseUrl);
  const { key } = await store.create({ name: 'test', expiresAt: null });
  await store.close();
  const service = await startTestService(t, {
    SOLANA_RPC_URLS: `${sandbox.rpcUrl}/${nodeSecret}?api-key=${nodeSecret}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    PUBLIC_URL: 'http://localhost:3000',
    ...environment,
    DATABASE_URL: databaseUrl,
  });
  const told = new Set<ReceivedSpan>();
  return {
    service,
    sandbox,
    collector,
    apiKey: key,
    post: (path, body, headers = {}) => service.post(path, body, { authorization: `Bearer ${key}`, ...headers }),
    traceOf: (route) =>
      collector.until((spans) => {
        const request = spans.find((span) => span.kind === 'SERVER' && span.name === route && !told.has(span));
        if (!request) return undefined;
        told.add(request);
        return [request, ...spans.filter((span) => span !== request && span.traceId === request.traceId)];
      }),
  };
}
