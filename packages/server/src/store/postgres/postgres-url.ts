import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

/** A `DATABASE_URL` that asks for what cannot be had. The message has no secrets. */
export class PostgresUrlError extends Error {
  override readonly name = 'PostgresUrlError';
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

const tlsParameter = /^ssl|^gssencmode$|^channel_binding$/;
const knownTlsParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'];

/**
 * Reads a URL as the driver does, with the certificate files that it names; `ssl` is false where it asks for no TLS.
 *
 * With TLS the certificate and the name of the server are always checked. Throws a `PostgresUrlError` where the URL asks for
 * less, for what the driver ignores, or for files that cannot be read.
 */
export function readPostgresUrl(databaseUrl: string): ClientConfig {
  for (const [name, value] of new URL(databaseUrl).searchParams) {
    if (tlsParameter.test(name) && !knownTlsParameters.includes(name)) {
      const remedy = 'Leave it out, and use sslmode=verify-full where there is TLS';
      throw new PostgresUrlError(`it has the parameter ${name}, which is not supported`, remedy);
    }
    if (name === 'sslmode' && value !== 'disable' && value !== 'verify-full') {
      throw new PostgresUrlError(
        'sslmode must be verify-full or disable',
        'Use sslmode=verify-full, with sslrootcert=FILE for an authority of your own; or sslmode=disable for no TLS',
      );
    }
  }
  try {
    const config = parseIntoClientConfig(databaseUrl);
    // PGSSLMODE, which can turn the checks off, counts only where this is undefined.
    return { ...config, ssl: config.ssl ?? false };
  } catch (error) {
    const remedy =
      'Name PEM files that this user may read in sslrootcert, sslcert and sslkey, and percent-encode the rest';
    const reason = error instanceof Error ? error.message : String(error);
    throw new PostgresUrlError(`it cannot be read: ${reason}`, remedy);
  }
}
