import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/** Runs one SQL statement on the database of a `DATABASE_URL`, past everything that the product does. */
export async function changeByHand(databaseUrl: string, sql: string): Promise<void> {
  await readByHand(databaseUrl, sql);
}

/** Runs one SQL statement on the database of a `DATABASE_URL`, and returns its rows. */
export async function readByHand(databaseUrl: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  if (databaseUrl.startsWith('sqlite:')) {
    const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length));
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  }
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
