import type { Config } from '../config.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { openListener } from './listen.ts';

/** A sandbox as those see it who use it over the network. */
export type SandboxEndpoint = Pick<Sandbox, 'rpcUrl' | 'world'>;

/** Starts the sandbox on the configured port. Throws a `ListenError`. */
export async function listenSandbox({ sandboxRpcPort: port, host }: Config): Promise<Sandbox> {
  // Loaded only where it runs: the programs of the ledger take time and memory that workers, and a service on a real
  // network, can spare.
  const { startSandbox } = await import('../sandbox/index.ts');
  return openListener({ variable: 'SANDBOX_RPC_PORT', port, hostVariable: 'HOST', host }, () =>
    startSandbox({ rpcPort: port }),
  );
}
