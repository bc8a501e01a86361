import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { KeyTables } from './key-tables.ts';
import { createApiKeys } from './migrations/0001-create-api-keys.ts';
import { limitsAndUsage } from './migrations/0002-limits-and-usage.ts';
import { recipientsAndAmounts } from './migrations/0003-recipients-and-amounts.ts';
import { idempotentRequests } from './migrations/0004-idempotent-requests.ts';
import { idempotentMessages } from './migrations/0005-idempotent-messages.ts';
import { paymentLinks } from './migrations/0006-payment-links.ts';

/** Every version of the schema, run in the order of these names; once released, an entry never changes. */
const migrations: Record<string, Migration> = {
  '0001-create-api-keys': createApiKeys,
  '0002-limits-and-usage': limitsAndUsage,
  '0003-recipients-and-amounts': recipientsAndAmounts,
  '0004-idempotent-requests': idempotentRequests,
  '0005-idempotent-messages': idempotentMessages,
  '0006-payment-links': paymentLinks,
};

/** The names of the migrations, the oldest first. */
export const migrationNames: readonly string[] = Object.keys(migrations);

/**
 * Brings the key database to the newest schema; does nothing when it is there already.
 *
 * Throws what the failed migration threw, or when the database was made by a newer version.
 */
export async function migrateToLatest(db: Kysely<KeyTables>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
