import type { Config } from '../config.ts';

/** A listener that cannot be opened, in one sentence with the variable to change. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Upstreams of different clusters behind one list, in one sentence with the variable to change. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}

type PortVariable = 'PORT' | 'SANDBOX_RPC_PORT';

/** Opens a listener, and says of the usual failures which variable to change. Throws a `ListenError`, or what `listen` threw. */
export async function inPort<T>(variable: PortVariable, config: Config, listen: () => Promise<T>): Promise<T> {
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
