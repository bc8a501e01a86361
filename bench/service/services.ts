import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { preparePool, workFolder } from './pool.ts';
import { repository, type ServerProcess, startServer } from './server-process.ts';

/** The upstream, its pool of transfers, and a key of the service. */
export interface Stage {
  poolPath: string;
  /** The upstream that answers at once, and the one that answers after `slowMilliseconds`. */
  upstreamUrl: string;
  slowUpstreamUrl: string;
  /** The process of both. */
  upstreamProcess: number;
  apiKey: string;
  /** Starts splwright by its command, in the environment in which it is deployed, with all checks and its log on. */
  startSplwright(upstreamUrl: string, nodeArguments?: readonly string[], variant?: Variant): Promise<ServerProcess>;
  /** Starts one of `peers/` with an upstream, or with the answer that it gives. */
  startPeer(name: string, environment: Readonly<Record<string, string>>): Promise<ServerProcess>;
  /** Ends everything that was started. */
  close(): Promise<void>;
}

/** How long the slow upstream takes. */
export const slowMilliseconds = 50;

/** Splwright with something else in its environment; `undefined` takes a variable away. */
export interface Variant {
  name: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** What the image and the systemd unit set for little memory (`docs/operate/capacity.md`). */
export const littleMemory: Readonly<Record<string, string>> = {
  MALLOC_MMAP_THRESHOLD_: '12288',
  MALLOC_TOP_PAD_: '1048576',
};

/** Without that. */
export const memoryAsItComes: Variant = {
  name: 'splwright-memory-as-it-comes',
  environment: { MALLOC_MMAP_THRESHOLD_: undefined, MALLOC_TOP_PAD_: undefined },
};

/** Two processes that share the port, and the one that started them. */
export const twoWorkers: Variant = { name: 'splwright-two-workers', environment: { WORKERS: '2' } };

const splwright = 'packages/server/bin/splwright.js';

/** Prepares what every measurement of the service needs; the service is that of the worktree at `root`, by default of this one. */
export async function openStage(root = repository): Promise<Stage> {
  const poolPath = await preparePool();
  const folder = mkdtempSync(join(workFolder, 'stage-'));
  const databaseUrl = `sqlite:${join(folder, 'keys.db')}`;
  const servers: ServerProcess[] = [];
  const start = async (...command: Parameters<typeof startServer>): Promise<ServerProcess> => {
    const server = await startServer(...command);
    servers.push(server);
    return server;
  };
  const upstream = await start({
    name: 'upstream',
    arguments: ['bench/service/upstream.ts', poolPath, '0', String(slowMilliseconds)],
  });
  const [upstreamUrl = '', slowUpstreamUrl = ''] = upstream.urls;
  const stage: Stage = {
    poolPath,
    upstreamUrl,
    slowUpstreamUrl,
    upstreamProcess: upstream.pid,
    apiKey: createApiKey(root, databaseUrl),
    startSplwright: async (url, nodeArguments = [], variant = undefined) =>
      start({
        name: variant?.name ?? (root === repository ? 'splwright' : 'other-splwright'),
        root,
        arguments: [...nodeArguments, splwright, 'serve'],
        environment: {
          PORT: '0',
          METRICS_PORT: String(await freePort()),
          SOLANA_RPC_URLS: url,
          DATABASE_URL: databaseUrl,
          DRAIN_MS: '0',
          // The limit stays on; the one key of the load is allowed what all the clients of a service send together.
          RATE_LIMIT_PER_MINUTE: '100000000',
          ...littleMemory,
          ...variant?.environment,
        },
      }),
    startPeer: (name, environment) => start({ name, arguments: [`bench/peers/${name}.ts`], environment }),
    async close() {
      for (const server of servers) await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
  // A process that ends keeps its compiled code: those that are measured find it, as every start but the first.
  const first = await stage.startSplwright(upstreamUrl);
  await first.stop();
  return stage;
}

/** Writes what the bare servers answer into a file, and returns its path. */
export function writeAnswer(answer: string): string {
  const path = join(workFolder, 'answer.json');
  writeFileSync(path, answer);
  return path;
}

function createApiKey(root: string, databaseUrl: string): string {
  const create = [splwright, 'keys', 'create', '--name', 'bench', '--expires', '1d', '--json'];
  const output = execFileSync(process.execPath, create, {
    cwd: root,
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    encoding: 'utf8',
  });
  return String(JSON.parse(output).key);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
