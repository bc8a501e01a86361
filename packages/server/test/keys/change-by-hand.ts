import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/** Runs one SQL statement on the database of a `DATABASE_URL`, past everything that the product does. */
export async function changeByHand(databaseUrl: string, sql: string): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) {
    const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length));
    database.exec(sql);
    database.close();
    return;
  }
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
