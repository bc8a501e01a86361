import { pino } from 'pino';
import { RpcChainReader } from '../chain/rpc-chain-reader.ts';
import type { Config } from '../config.ts';
import { buildApp } from '../http/build-app.ts';
import { createAuthenticator } from '../keys/authenticator.ts';
import { openKeyStore } from '../keys/open-key-store.ts';
import { sandboxApiKey } from '../keys/sandbox-key.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { TransferBuilder } from '../service/transfer-builder.ts';

/** A service that listens. */
export interface RunningService {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  url: string;
  /** The embedded sandbox, when no upstream is configured. */
  sandbox: Sandbox | undefined;
  /** Whether any stored key would be accepted now. */
  hasActiveKey: boolean;
  /** Finishes what is in flight, then releases everything. */
  close(): Promise<void>;
}

/** A listener that cannot be opened, in one sentence with the variable to change. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/**
 * Starts the whole service from its configuration.
 *
 * Throws a `ListenError`, or a `KeyStoreError` when the key store cannot be opened; nothing is left running then.
 */
export async function startService(
  config: Config,
  version: string,
  logLine: (line: string) => void,
): Promise<RunningService> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const store = await openKeyStore(config.databaseUrl);
    closers.push(() => store.close());
    const [configuredUrl] = config.solanaRpcUrls;
    const sandbox = configuredUrl === undefined ? await listenSandbox(config) : undefined;
    if (sandbox) closers.push(() => sandbox.close());

    const reader = new RpcChainReader({
      url: configuredUrl ?? sandbox?.rpcUrl ?? '',
      timeoutMilliseconds: config.rpcTimeoutMilliseconds,
      blockhashMaxAgeMilliseconds: config.blockhashMaxAgeMilliseconds,
      now: () => performance.now(),
    });
    closers.push(() => reader.close());
    const app = buildApp({
      builder: new TransferBuilder(reader, { maximumPriorityFee: BigInt(config.priorityFeeMaximumLamports) }),
      authenticator: createAuthenticator({ store, now: () => new Date(), acceptsSandboxKey: sandbox !== undefined }),
      logger: pino({ level: config.logLevel }, { write: logLine }),
      version,
      config,
      readinessChecks: {
        upstream: (deadline) => reader.checkHealth(deadline),
        keys: async () => {
          await store.hasActiveKey(new Date());
        },
      },
      ...(sandbox && { sandboxWorld: { api_key: sandboxApiKey, rpc_url: sandbox.rpcUrl, ...sandbox.world } }),
    });
    closers.push(() => app.close());
    const url = await inPort('PORT', config, () => app.listen({ host: config.host, port: config.port }));
    return { url, sandbox, hasActiveKey: await store.hasActiveKey(new Date()), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function listenSandbox(config: Config): Promise<Sandbox> {
  return inPort('SANDBOX_RPC_PORT', config, () => startSandbox({ rpcPort: config.sandboxRpcPort }));
}

type PortVariable = 'PORT' | 'SANDBOX_RPC_PORT';

async function inPort<T>(variable: PortVariable, config: Config, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    const configured = variable === 'PORT' ? config.port : config.sandboxRpcPort;
    const port = 'port' in error ? error.port : configured;
    switch (error.code) {
      case 'EADDRINUSE':
        throw new ListenError(`Port ${port} is in use: set ${variable} to another one, or to 0 for any free one.`);
      case 'EACCES':
        throw new ListenError(`Port ${port} is not for this user: set ${variable} to one above 1023, or to 0.`);
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
        throw new ListenError(`HOST ${config.host} is no address of this machine: set it to one, such as 127.0.0.1.`);
      default:
        throw error;
    }
  }
}
