import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { type Kysely, sql } from 'kysely';
import { Client, type ClientConfig } from 'pg';
import { connectionConfig, type PostgresTimeouts } from './postgres-connection.ts';
import type { StoreTables } from './schema/tables.ts';
import type { KeyChanges } from './sql-database.ts';

const channel = 'splwright_api_keys';
const firstPauseMs = 250;
const maxPauseMs = 5000;

/**
 * Notices changes to keys at once, through PostgreSQL's `LISTEN` and `NOTIFY` on a connection of its own.
 *
 * A broken connection is replaced after a pause that doubles up to 5 s. Changes in the meantime go unnoticed: they count once
 * earlier answers of the store are too old.
 */
export class PostgresKeyChanges implements KeyChanges {
  /** A database server that does not answer has not lost its database. */
  readonly isGone = false;
  readonly #config: ClientConfig;
  #onChange: (hash?: string) => void = () => undefined;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = firstPauseMs;
  #isClosed = false;

  /** Does not connect before `watch`. */
  constructor(databaseUrl: string, timeouts: PostgresTimeouts) {
    this.#config = connectionConfig(databaseUrl, timeouts);
  }

  async tell(db: Kysely<StoreTables>, hash: string): Promise<void> {
    await sql`select pg_notify(${channel}, ${hash})`.execute(db);
  }

  watch(onChange: (hash?: string) => void): void {
    this.#onChange = onChange;
    void this.#listen();
  }

  /** Listens on a new connection: the old one may lead to a server that is not the primary any more. */
  reconnect(): void {
    void this.#client?.end();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // Not awaited: a server that hangs does not answer the goodbye.
    void this.#client?.end();
  }

  async #listen(): Promise<void> {
    // The connection does not keep the process alive.
    const socket = new Socket().unref();
    const client = new Client({ ...this.#config, stream: () => socket });
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

const waitMs = 1000;

/** Whether a listening connection gets the notifications of another one; behind a pooler in transaction mode it does not. */
export async function hearsNotifications(databaseUrl: string, timeouts: PostgresTimeouts): Promise<boolean> {
  const channel = `splwright_doctor_${randomUUID().replaceAll('-', '')}`;
  const config = connectionConfig(databaseUrl, timeouts);
  const [listener, speaker] = [new Client(config), new Client(config)];
  for (const client of [listener, speaker]) client.on('error', () => undefined);
  const heard = Promise.withResolvers<boolean>();
  listener.on('notification', () => heard.resolve(true));
  try {
    await Promise.all([listener.connect(), speaker.connect()]);
    await listener.query(`listen ${channel}`);
    await speaker.query('select pg_notify($1, $2)', [channel, '']);
    const timer = setTimeout(() => heard.resolve(false), waitMs);
    return await heard.promise.finally(() => clearTimeout(timer));
  } finally {
    await Promise.all([listener.end(), speaker.end()]);
  }
}
