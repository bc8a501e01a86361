import { PostgresDialect, type PostgresPool } from 'kysely';
import { type ClientConfig, Pool, types } from 'pg';

/** How long a connection may take to be made, and a query to be answered. */
export interface PostgresPatience {
  connectMs: number;
  queryMs: number;
}

/** What every connection is made with. */
export function connectionConfig(databaseUrl: string, patience: PostgresPatience): ClientConfig {
  return {
    connectionString: databaseUrl,
    application_name: 'splwright',
    connectionTimeoutMillis: patience.connectMs,
    query_timeout: patience.queryMs,
    // For the one thing that it changes here, where queries come one by one: a connection whose query was not answered in
    // time is closed. Otherwise it would be used again, and every later query on it would wait for the lost answer.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: {
      getTypeParser: (type, format) => (type === types.builtins.INT8 ? toInteger : types.getTypeParser(type, format)),
    },
  };
}

/** Lets Kysely run its queries on at most so many connections, which Kysely closes when it is destroyed. */
export function postgresDialect(databaseUrl: string, patience: PostgresPatience, connections: number): PostgresDialect {
  const pool = new Pool({
    ...connectionConfig(databaseUrl, patience),
    max: connections,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  });
  // A connection that breaks is replaced when the next one is needed, and its query fails by itself. Unheard, the event
  // would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new PostgresDialect({ pool: withoutClosedConnections(pool) });
}

// A connection closed for want of an answer is given back before its end is heard of: it must not be given out again.
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

// The driver gives a bigint as text; what is kept here are times in milliseconds and counts.
function toInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`the key database holds ${text}, which is no time or count`);
  return value;
}
