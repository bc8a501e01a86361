/** A listener that cannot be opened; the message is a sentence with the variable to change. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Where to listen, and which variables configure it. */
export interface Listener {
  variable: 'PORT' | 'SANDBOX_RPC_PORT' | 'METRICS_PORT';
  port: number;
  hostVariable: 'HOST' | 'METRICS_HOST';
  host: string;
}

/** Opens a listener. Throws a `ListenError` when the system does not allow it. */
export async function openListener<T>(
  { variable, port, hostVariable, host }: Listener,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    const actual = 'port' in error ? error.port : port;
    const otherwise = variable === 'METRICS_PORT' ? 'for no metrics' : 'for any free one';
    switch (error.code) {
      case 'EADDRINUSE':
        throw new ListenError(`Port ${actual} is in use: set ${variable} to another one, or to 0 ${otherwise}.`);
      case 'EACCES':
        throw new ListenError(`Port ${actual} is not for this user: set ${variable} to one above 1023, or to 0.`);
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
        throw new ListenError(
          `${hostVariable} ${host} is no address of this machine: set it to one, such as 127.0.0.1.`,
        );
      default:
        throw error;
    }
  }
}
