import { after, type TestContext } from 'node:test';
import { type DatabaseServer, sharedPostgres } from '../../../../test/setup/postgres.ts';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import type { Store } from '../../src/serve/store/store.ts';

/** A kind of database that keys are kept in. */
export interface KeyDatabase {
  name: 'an SQLite file' | 'PostgreSQL';
  /** The `DATABASE_URL` of a new one without keys, gone when the test ends. */
  newUrl(t: TestContext): Promise<string>;
}

let postgres: Promise<DatabaseServer> | undefined;
const finishers: (() => Promise<void>)[] = [];

// Said here and not where the server is first needed: inside a test the databases would end with that test.
after(async () => {
  for (const finish of finishers) await finish();
});

/** The PostgreSQL server on which this test file makes databases. Others make theirs on it at the same time. */
export function postgresOfThisFile(): Promise<DatabaseServer> {
  postgres ??= sharedPostgres({ after: (finish) => finishers.push(finish) });
  return postgres;
}

/** The database that needs nothing installed. */
export const sqliteFile: KeyDatabase = {
  name: 'an SQLite file',
  newUrl: async (t) => `sqlite:${temporaryFolder(t)}/keys.db`,
};

const postgresDatabase: KeyDatabase = {
  name: 'PostgreSQL',
  newUrl: async () => (await postgresOfThisFile()).createStore(),
};

/** Every kind, and in `npm test` SQLite alone: for what a database could do in its own way. */
export const keyDatabases: readonly KeyDatabase[] =
  process.env.TEST_QUICK === undefined ? [sqliteFile, postgresDatabase] : [sqliteFile];

/** An empty database with its store, which is closed when the test ends. */
export async function newKeyStore(
  t: TestContext,
  database = sqliteFile,
): Promise<{ databaseUrl: string; store: Store }> {
  const databaseUrl = await database.newUrl(t);
  const store = await openKeyStore(databaseUrl);
  t.after(() => store.close());
  return { databaseUrl, store };
}

/**
 * Opens a store as a service does, but waits longer for PostgreSQL: on a busy machine a connection may take more than its second.
 * The store is closed with the test, if one is given.
 */
export async function openPatiently(url: string, t?: TestContext): Promise<Store> {
  const store = await openKeyStore(url, { use: url.startsWith('sqlite:') ? 'service' : 'command' });
  t?.after(() => store.close());
  return store;
}
