import { PostgresAdapter, PostgresDialect, type PostgresPool } from 'kysely';
import { type ClientConfig, Pool, types } from 'pg';
import { readPostgresUrl } from './postgres-url.ts';

/** How long connecting may take, and the answer to a query. */
export interface PostgresTimeouts {
  connectTimeoutMs: number;
  queryTimeoutMs: number;
}

/** Returns the settings of every connection. Throws a `PostgresUrlError`. */
export function connectionConfig(databaseUrl: string, timeouts: PostgresTimeouts): ClientConfig {
  return {
    application_name: 'splwright',
    ...readPostgresUrl(databaseUrl),
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
  };
}

/** Makes a dialect with up to `maxConnections` connections, which Kysely closes when it is destroyed. */
export function postgresDialect(
  databaseUrl: string,
  timeouts: PostgresTimeouts,
  maxConnections: number,
): PostgresDialect {
  const pool = new Pool({
    ...connectionConfig(databaseUrl, timeouts),
    max: maxConnections,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  });
  // A broken connection is replaced when the next one is needed, and its query fails by itself. Without a listener the event
  // would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new OneTransactionDialect({ pool: withoutClosedConnections(pool) });
}

/**
 * A dialect whose migrations take no lock of their own.
 *
 * The one of Kysely belongs to a session, of which a pooler knows nothing: it would be taken on one connection and given
 * back on another. Whoever migrates takes a lock that ends with the transaction.
 */
class OneTransactionDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new LockedAdapter();
  }
}

class LockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {
    // It is held already.
  }

  override async releaseMigrationLock(): Promise<void> {
    // It ends with the transaction.
  }
}

// A connection whose query timed out is released before its `end` event: it must not be used again.
function withoutClosedConnections(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      const { release } = client;
      client.release = (discarded) => release(discarded || client.connection.stream.destroyed);
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
