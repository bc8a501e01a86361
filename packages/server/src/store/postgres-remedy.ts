import { PostgresUrlError } from './postgres-connection.ts';
import { NewerSchemaError } from './schema/migrate.ts';

const noAuthority = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

/** Returns what to do about an error of opening a database of PostgreSQL, as a sentence without its full stop. */
export function postgresRemedyOf(error: unknown): string {
  if (error instanceof NewerSchemaError || error instanceof PostgresUrlError) return error.remedy;
  // A host with several addresses gives an error for each.
  if (error instanceof AggregateError && error.errors.length > 0) return postgresRemedyOf(error.errors[0]);
  const { code, message } = partsOf(error);
  if (noAuthority.test(code)) {
    return 'Its certificate is not signed by an authority that is known here: name the file of the authority in sslrootcert of DATABASE_URL';
  }
  if (/does not support SSL/.test(message)) {
    return 'Turn TLS on at the server (ssl = on), or write sslmode=disable on a private network';
  }
  if (/no pg_hba\.conf entry/.test(message)) {
    return /no encryption|SSL off/.test(message)
      ? 'The server takes this user only with TLS: add sslmode=verify-full to DATABASE_URL'
      : 'Let the user in from this host, in pg_hba.conf of the server';
  }
  if (/client certificate/.test(message) || /ALERT|^ERR_OSSL_/.test(code)) {
    return 'Name a certificate that the server accepts and its key in sslcert and sslkey of DATABASE_URL';
  }
  return byCode[code] ?? (/^timeout|^Connection terminated/.test(message) ? reach : useAnotherDatabase);
}

const useAnotherDatabase =
  'Name a database that exists, whose user may create tables in it, or whose tables were made by this version or an older one';
const reach = 'Check host and port in DATABASE_URL, and whether the server runs and is reached from here';

const byCode: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate has another name than the host of DATABASE_URL: use that name',
  CERT_HAS_EXPIRED: 'Its certificate has expired: renew it, and check the clock of this machine',
  ECONNREFUSED: reach,
  ECONNRESET: reach,
  ENOTFOUND: reach,
  EAI_AGAIN: reach,
  ETIMEDOUT: reach,
  // https://www.postgresql.org/docs/current/errcodes-appendix.html
  '28P01': 'Check the user and the password in DATABASE_URL; special characters are percent-encoded',
  '3D000': 'Create the database, or name one that exists',
  '53300': 'It has no connection left: each process keeps up to five; allow more, or put PgBouncer in front',
};

function partsOf(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: '', message: '' };
  return { code: 'code' in error && typeof error.code === 'string' ? error.code : '', message: error.message };
}
