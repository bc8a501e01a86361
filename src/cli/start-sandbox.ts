import type { Config } from '../config.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { inPort } from './start-errors.ts';

/** A sandbox as those see it who use it over the network. */
export type SandboxEndpoint = Pick<Sandbox, 'rpcUrl' | 'world'>;

/** Starts the sandbox on the configured port. Throws a `ListenError`. */
export async function listenSandbox(config: Config): Promise<Sandbox> {
  // Loaded only where it runs: a service on a real network, or a worker, spares the time and memory of its programs.
  const { startSandbox } = await import('../sandbox/index.ts');
  return inPort('SANDBOX_RPC_PORT', config, () => startSandbox({ rpcPort: config.sandboxRpcPort }));
}
