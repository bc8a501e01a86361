import type { Sandbox } from '../../packages/sandbox/src/index.ts';
import type { Environment } from '../../packages/server/src/config/variables.ts';
import { type Bounds, parseConfig } from '../../packages/server/src/config.ts';
import { sandboxApiKey } from '../../packages/server/src/keys/authenticated-key.ts';
import { type RunningService, startService } from '../../packages/server/src/serve/start-service.ts';

/** A service under test, over real HTTP, with what a test needs to talk to it. */
export interface TestService {
  url: string;
  /** Every line of its log so far. */
  log: readonly string[];
  /** Its embedded sandbox; throws when it was started against another upstream. */
  sandbox: Sandbox;
  /** Posts a JSON body with the sandbox key. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** Whatever ends what a test started: a test's context, or `node:test` itself for a whole file. */
export interface Cleanup {
  after(finish: () => Promise<void>): void;
}

/** Starts the whole service on free ports with keys in memory, and ends it with the test. */
export async function startTestService(
  t: Cleanup,
  environment: Environment = {},
  bounds: Partial<Bounds> = {},
): Promise<TestService> {
  const parsed = parseConfig({
    PORT: '0',
    SANDBOX_RPC_PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    METRICS_PORT: '0',
    // Tests make more requests than people do; those of the limit set their own.
    RATE_LIMIT_PER_MINUTE: '1000000',
    ...environment,
  });
  if ('faults' in parsed) throw new Error(parsed.faults.join('\n'));
  const log: string[] = [];
  // Tests move their ledgers by hand: a blockhash of a moment ago may be dead.
  const config = { ...parsed.config, blockhashMaxAgeMs: 0, ...bounds };
  const service: RunningService = await startService(config, '0.0.0-test', (line) => log.push(line));
  t.after(() => service.close());
  return {
    url: service.url,
    log,
    get sandbox() {
      if (!service.sandbox) throw new Error('this service has no sandbox of its own');
      return service.sandbox;
    },
    post: (path, body, headers = {}) =>
      fetch(service.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${sandboxApiKey}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}
