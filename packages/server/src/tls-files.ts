import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';

/** The PEM files of a client of TLS; without `ca` the authorities of Node count, and those of `NODE_EXTRA_CA_CERTS`. */
export interface TlsFiles {
  /** The authorities of which one must have signed the server's certificate. */
  ca?: string;
  /** The client's own certificate, and the private key to it. */
  cert?: string;
  key?: string;
}

/** Returns why the files cannot be used: one does not exist, holds something else, or the key is not that of the certificate. */
export function tlsFilesFault(files: TlsFiles): string | undefined {
  try {
    readContext(files);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Returns options of `tls.connect` that read the files for each connection, so that renewed ones need no restart.
 *
 * While they cannot be used, such as halfway through their renewal, the last ones that could be are used. Throws when there
 * were none.
 */
export function tlsOptions(files: TlsFiles): { secureContext: SecureContext } {
  let last = readContext(files);
  return {
    get secureContext() {
      try {
        last = readContext(files);
      } catch {
        // The last one then.
      }
      return last;
    },
  };
}

function readContext({ ca, cert, key }: TlsFiles): SecureContext {
  return createSecureContext({
    ...(ca !== undefined && { ca: readFileSync(ca) }),
    ...(cert !== undefined && { cert: readFileSync(cert) }),
    ...(key !== undefined && { key: readFileSync(key) }),
  });
}
