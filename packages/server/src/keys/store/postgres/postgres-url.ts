import type { ConnectionOptions } from 'node:tls';
import { type TlsFiles, tlsFilesFault, tlsOptions } from '../../../tls-files.ts';

/**
 * How a connection is protected: `verify-full` checks authority and name of the server, `verify-ca` the authority alone, and
 * `require` nothing, so that it holds off only who listens; `unsaid` leaves it to `PGSSLMODE`, without which there is no TLS.
 */
export type TlsMode = 'disable' | 'require' | 'verify-ca' | 'verify-full' | 'unsaid';

/** A `DATABASE_URL` of PostgreSQL, as the driver takes it. */
export interface PostgresUrl {
  /** The URL without what is said of TLS: the driver means other things by it. */
  connectionString: string;
  mode: TlsMode;
  /** Whether the server must have a certificate of an authority that is trusted. */
  checksAuthority: boolean;
  /** Undefined where the URL does not say. */
  ssl: ConnectionOptions | false | undefined;
}

/** A `DATABASE_URL` that asks for what cannot be had. The message has no secrets. */
export class PostgresUrlError extends Error {
  override readonly name = 'PostgresUrlError';
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

const modes: readonly string[] = ['disable', 'require', 'verify-ca', 'verify-full'] satisfies readonly TlsMode[];
/** The modes that drivers call otherwise. */
const modeOfSsl: Readonly<Record<string, TlsMode>> = {
  true: 'verify-full',
  1: 'verify-full',
  'no-verify': 'require',
  false: 'disable',
  0: 'disable',
};
const ownParameters = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat', 'channel_binding'];
/** The value of `sslrootcert` that means the authorities of the system, or here of Node. */
const publicAuthorities = 'system';

/**
 * Reads what a URL says of TLS as libpq does, and never as less than that.
 *
 * Throws a `PostgresUrlError` for what libpq takes and this driver would ignore.
 */
export function readPostgresUrl(databaseUrl: string): PostgresUrl {
  const url = new URL(databaseUrl);
  const given = [...url.searchParams.keys()];
  const ignored = given.find(
    (name) => /^ssl|^gssencmode$/.test(name) && ![...ownParameters, 'sslnegotiation'].includes(name),
  );
  if (ignored !== undefined) {
    throw new PostgresUrlError(`it has the parameter ${ignored}, which is not supported`, 'Leave it out');
  }
  const value = (name: string): string | undefined => url.searchParams.get(name) || undefined;
  const root = value('sslrootcert');
  const files = readFiles(root, value('sslcert'), value('sslkey'));
  const mode = readMode(value, Object.keys(files).length > 0 || root !== undefined);
  if (mode === 'verify-ca' && files.ca === undefined) {
    const message = 'sslmode=verify-ca needs an authority of your own: everybody has a certificate of a public one';
    throw new PostgresUrlError(message, 'Name its file in sslrootcert, or use sslmode=verify-full');
  }
  if (mode === 'require' && root === publicAuthorities) {
    const message = 'sslmode=require does not check the server, and sslrootcert=system asks for it';
    throw new PostgresUrlError(message, 'Use sslmode=verify-full');
  }
  const checksAuthority = mode.startsWith('verify-') || (mode === 'require' && files.ca !== undefined);
  if (!given.some((name) => ownParameters.includes(name))) {
    return { connectionString: databaseUrl, mode, checksAuthority, ssl: undefined };
  }
  for (const name of ownParameters) url.searchParams.delete(name);
  return {
    connectionString: url.href,
    mode,
    checksAuthority,
    ssl: mode === 'unsaid' ? undefined : sslOf(mode, files),
  };
}

function readMode(value: (name: string) => string | undefined, hasFiles: boolean): TlsMode {
  const [sslmode, ssl] = [value('sslmode'), value('ssl')];
  const mode = sslmode ?? (ssl === undefined ? undefined : modeOfSsl[ssl]);
  // What the driver cannot insist on protects from an impostor, and so does the check of the certificate.
  if (value('channel_binding') === 'require' && mode !== 'disable') return 'verify-full';
  if (mode === undefined && ssl === undefined) return hasFiles ? 'verify-full' : 'unsaid';
  if (isMode(mode)) return mode;
  // "prefer" and "allow" go on without TLS whenever somebody in between wants it.
  throw new PostgresUrlError(
    `sslmode must be one of ${modes.join(', ')}`,
    'Use sslmode=verify-full, with sslrootcert=<file> for an authority of your own',
  );
}

function isMode(text: string | undefined): text is TlsMode {
  return text !== undefined && modes.includes(text);
}

function readFiles(root: string | undefined, cert: string | undefined, key: string | undefined): TlsFiles {
  if ((cert === undefined) !== (key === undefined)) {
    throw new PostgresUrlError('sslcert and sslkey need each other', 'Name both files');
  }
  const files = { ...(root && root !== publicAuthorities && { ca: root }), ...(cert && { cert }), ...(key && { key }) };
  const fault = tlsFilesFault(files);
  if (fault === undefined) return files;
  throw new PostgresUrlError(
    `the files of sslrootcert, sslcert and sslkey cannot be used: ${fault}`,
    'Name PEM files that this user may read',
  );
}

function sslOf(mode: TlsMode, files: TlsFiles): ConnectionOptions | false {
  if (mode === 'disable') return false;
  const options: ConnectionOptions = tlsOptions(files);
  if (mode === 'verify-full') return options;
  // As libpq: an authority that is named is checked even where that was not asked for.
  if (files.ca === undefined) return Object.assign(options, { rejectUnauthorized: false });
  return Object.assign(options, { checkServerIdentity: () => undefined });
}
