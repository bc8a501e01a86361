import type { Migration } from 'kysely/migration';
import { baseline } from './baseline.ts';

/** One version of the schema: the migration that leads to it, and which programs may still use the database after it. */
export interface SchemaStep {
  /** A number of four digits, one more than that of the step before, and words: what is stored of it. */
  name: string;
  migration: Migration;
  /**
   * The number of the oldest step that a program must know to use the database after this one: `additive`, unless the migration
   * changes what older programs read or write.
   */
  compatibleFrom: number;
}

/** What `compatibleFrom` is of a migration that only adds: every program may go on. */
export const additive = 1;

/** Every version of the schema, in the order in which they are made; once released, an entry never changes. */
export const schemaSteps: readonly SchemaStep[] = [
  { name: '0001-baseline', migration: baseline, compatibleFrom: additive },
];
