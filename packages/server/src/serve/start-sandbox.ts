import type { Sandbox } from 'splwright-sandbox';
import type { Config } from '../config.ts';
import { openListener } from './listen.ts';

/** A sandbox as its users over the network see it. */
export interface SandboxEndpoint extends Pick<Sandbox, 'rpcUrl' | 'webSocketUrl' | 'world'> {
  /** Of its ledger, which begins empty at each start. */
  genesisHash: string;
}

/** The optional package `splwright-sandbox`, or a part of it, is not installed; the message is a sentence with the remedy. */
export class SandboxMissingError extends Error {
  override readonly name = 'SandboxMissingError';
}

/** Starts the sandbox on the configured port, at the address at which the service listens too. Throws a `ListenError` or a `SandboxMissingError`. */
export async function listenSandbox({ sandboxRpcPort: port, sandboxStrictPreflight, host }: Config): Promise<Sandbox> {
  const { startSandbox } = await loadSandbox();
  return openListener({ variable: 'SANDBOX_RPC_PORT', port, hostVariable: 'HOST', host }, () =>
    startSandbox({ rpcPort: port, host, strictPreflight: sandboxStrictPreflight }),
  );
}

/** Returns what users of a sandbox need. */
export function endpointOf({ rpcUrl, webSocketUrl, world, ledger: { genesisHash } }: Sandbox): SandboxEndpoint {
  return { rpcUrl, webSocketUrl, world, genesisHash };
}

// Loaded only when used: the programs of the ledger take time and memory, which workers and a service on a real network
// do not need.
async function loadSandbox(): Promise<typeof import('splwright-sandbox')> {
  try {
    return await import('splwright-sandbox');
  } catch (error) {
    if (!isNotInstalled(error)) throw error;
    throw new SandboxMissingError(
      'SOLANA_RPC_URLS is not set and the sandbox is not installed: set SOLANA_RPC_URLS to a Solana RPC endpoint, ' +
        'or install the package splwright-sandbox, as npm ci does without --omit=optional.',
      { cause: error },
    );
  }
}

/** Returns whether a package, or the native library of LiteSVM for this machine, is missing. */
function isNotInstalled(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isPackageMissing = 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  return isPackageMissing || error.message.startsWith('Cannot find native binding');
}
