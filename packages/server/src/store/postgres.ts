import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely';
import { type ClientConfig, Pool, type PoolClient, types } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { migrateToLatest } from './schema/migrate.ts';
import type { StoreTables } from './schema/tables.ts';
import type { SqlDatabase } from './sql-database.ts';
import { databaseError } from './store-faults.ts';

const timeoutsOf = {
  // Together less than the time between the refresh of a key in use and the moment at which its last answer no longer counts.
  service: { connectTimeoutMs: 1000, queryTimeoutMs: 1500 },
  command: { connectTimeoutMs: 10_000, queryTimeoutMs: 30_000 },
} as const satisfies Record<string, PostgresTimeouts>;

const maxConnections = 10;
/** A number that no other lock of the database has: "splwrigh" in ASCII. */
const migrationLock = 0x73706c7772696768n;

/** Opens a PostgreSQL database that exists. Throws a `KeyStoreError`. */
export async function openPostgres(databaseUrl: string, use: keyof typeof timeoutsOf): Promise<SqlDatabase> {
  try {
    await migrate(databaseUrl);
  } catch (error) {
    throw databaseError(addressOf(databaseUrl), 'opened', error);
  }
  const db = new Kysely<StoreTables>({ dialect: postgresDialect(databaseUrl, timeoutsOf[use], maxConnections) });
  // A server that does not answer has not lost its database.
  return { db, whenNotBusy: (write) => write(), locksRows: true, isGone: () => false, close: () => db.destroy() };
}

/**
 * Migrates under a lock: the second of two processes finds the newest schema.
 *
 * One transaction on one connection does it all, so that it works behind a pooler, however few connections that has.
 */
async function migrate(databaseUrl: string): Promise<void> {
  const db = new Kysely<StoreTables>({ dialect: postgresDialect(databaseUrl, timeoutsOf.command, 1) });
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
      await migrateToLatest(transaction);
    });
  } finally {
    await db.destroy();
  }
}

/** Returns the host and the name of a database, without user and password. */
function addressOf(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${host || 'the local socket'}${pathname}`;
}

/** How long connecting may take, and the answer to a query. */
interface PostgresTimeouts {
  connectTimeoutMs: number;
  queryTimeoutMs: number;
}

/**
 * Makes a dialect with up to `maxConnections` connections, which Kysely closes when it is destroyed.
 *
 * After an error that says that its server is not the primary any more, no connection made before is used again. Throws a
 * `PostgresUrlError`.
 */
export function postgresDialect(
  databaseUrl: string,
  timeouts: PostgresTimeouts,
  maxConnections: number,
): PostgresDialect {
  const pool = new Pool({
    application_name: 'splwright',
    ...readPostgresUrl(databaseUrl),
    max: maxConnections,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    connectionTimeoutMillis: timeouts.connectTimeoutMs,
    query_timeout: timeouts.queryTimeoutMs,
    // Queries are sent one by one here, so this changes one thing: a connection whose query was not answered in time is
    // closed. Otherwise it would be used again, and every later query on it would wait for the lost answer.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: {
      getTypeParser: (type, format) => (type === types.builtins.INT8 ? toInteger : types.getTypeParser(type, format)),
    },
  });
  // A broken connection is replaced when the next one is needed, and its query fails by itself. Without a listener the event
  // would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new PostgresDialect({ pool: withoutLostConnections(pool) });
}

// After a failover connections may stay on the old primary: read_only_sql_transaction, admin_shutdown, connection_failure
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const leavingCodes = new Set<unknown>(['25006', '57P01', '08006']);

// A connection whose query timed out is released before its `end` event: it must not be used again.
function withoutLostConnections(pool: Pool): PostgresPool {
  /** The connections that were made since a server was left. */
  let current = new WeakSet<PoolClient>();
  pool.on('connect', (client) => {
    current.add(client);
    // The driver reports what the server says at the connection, whoever asked.
    client.connection.on('errorMessage', ({ code }: { code?: unknown }) => {
      if (leavingCodes.has(code) && current.has(client)) current = new WeakSet();
    });
  });
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      let client = await pool.connect();
      while (!current.has(client)) {
        client.release(true);
        client = await pool.connect();
      }
      const { release } = client;
      client.release = (discarded) => release(discarded || client.connection.stream.destroyed || !current.has(client));
      return client;
    },
  };
}

// The driver returns a bigint as text; all columns of this type are times in milliseconds and counts.
function toInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`the key database holds ${text}, which is not a time or a count`);
  return value;
}

/** A `DATABASE_URL` that asks for what cannot be had. The message has no secrets. */
export class PostgresUrlError extends Error {
  override readonly name = 'PostgresUrlError';
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
      throw new PostgresUrlError(`the parameter ${name} is not supported`);
    }
    if (name === 'sslmode' && value !== 'disable' && value !== 'verify-full') {
      throw new PostgresUrlError('sslmode must be verify-full, or disable for no TLS');
    }
  }
  try {
    const config = parseIntoClientConfig(databaseUrl);
    // PGSSLMODE, which can turn the checks off, counts only where this is undefined.
    return { ...config, ssl: config.ssl ?? false };
  } catch (error) {
    throw new PostgresUrlError(`the URL cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
