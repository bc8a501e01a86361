import { Socket } from 'node:net';
import { type Kysely, sql } from 'kysely';
import { Client } from 'pg';
import type { KeyTables } from './key-tables.ts';
import { connectionConfig, type PostgresPatience } from './postgres-connection.ts';
import type { KeyChanges } from './sql-key-store.ts';

const channel = 'splwright_api_keys';
const firstPauseMs = 250;
const maxPauseMs = 5000;

/**
 * Tells of changes to keys through PostgreSQL's `LISTEN` and `NOTIFY`, at once, on a connection of its own.
 *
 * A connection that breaks is made again, after a pause that doubles up to 5 s. A change that was missed meanwhile is seen as
 * without it: when the answers from before it no longer count.
 */
export class PostgresKeyChanges implements KeyChanges {
  /** A database server that is away comes back with its database. */
  readonly isGone = false;
  readonly #databaseUrl: string;
  readonly #patience: PostgresPatience;
  #onChange: (hash?: string) => void = () => undefined;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = firstPauseMs;
  #isClosed = false;

  /** Connects to nothing until it is told to watch. */
  constructor(databaseUrl: string, patience: PostgresPatience) {
    this.#databaseUrl = databaseUrl;
    this.#patience = patience;
  }

  async tell(db: Kysely<KeyTables>, hash: string): Promise<void> {
    await sql`select pg_notify(${channel}, ${hash})`.execute(db);
  }

  watch(onChange: (hash?: string) => void): void {
    this.#onChange = onChange;
    void this.#listen();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // Not waited for: a server that hangs would not say goodbye.
    void this.#client?.end();
  }

  async #listen(): Promise<void> {
    // The process may end though it listens.
    const socket = new Socket().unref();
    const client = new Client({ ...connectionConfig(this.#databaseUrl, this.#patience), stream: () => socket });
    this.#client = client;
    client.on('error', () => undefined);
    client.on('notification', ({ payload }) => this.#onChange(payload));
    client.once('end', () => this.#listenAgain());
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      this.#pauseMs = firstPauseMs;
    } catch {
      socket.destroy();
    }
  }

  #listenAgain(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#listen(), this.#pauseMs).unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs);
  }
}
