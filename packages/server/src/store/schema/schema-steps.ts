import type { Migration } from 'kysely/migration';
import { createApiKeys } from './migrations/0001-create-api-keys.ts';
import { limitsAndUsage } from './migrations/0002-limits-and-usage.ts';
import { recipientsAndAmounts } from './migrations/0003-recipients-and-amounts.ts';
import { idempotentRequests } from './migrations/0004-idempotent-requests.ts';
import { idempotentMessages } from './migrations/0005-idempotent-messages.ts';
import { paymentLinks } from './migrations/0006-payment-links.ts';
import { schemaCompatibility } from './migrations/0007-schema-compatibility.ts';
import { keyHistory } from './migrations/0008-key-history.ts';
import { retention } from './migrations/0009-retention.ts';
import { ledgers } from './migrations/0010-ledgers.ts';
import { tokenTerms } from './migrations/0011-token-terms.ts';
import { openLinks } from './migrations/0012-open-links.ts';
import { storedReplies } from './migrations/0013-stored-replies.ts';
import { handedOut } from './migrations/0014-handed-out.ts';
import { handedOutHeight } from './migrations/0015-handed-out-height.ts';
import { issuedTransactions } from './migrations/0016-issued-transactions.ts';

/** One version of the schema: the migration that leads to it, and which programs may still use the database after it. */
export interface SchemaStep {
  /** A number of four digits, one more than that of the step before, and words: what is stored of it. */
  name: string;
  migration: Migration;
  /**
   * The number of the oldest step that a program must know to use the database after this one. `additive` unless the migration
   * changes what older programs read or write. Absent where older programs use no database with steps that they do not know.
   */
  compatibleFrom?: number;
}

/** What `compatibleFrom` is of a migration that only adds: every program that reads it may go on. */
export const additive = 7;

/** Every version of the schema, in the order in which they are made; once released, an entry never changes. */
export const schemaSteps: readonly SchemaStep[] = [
  { name: '0001-create-api-keys', migration: createApiKeys },
  { name: '0002-limits-and-usage', migration: limitsAndUsage },
  { name: '0003-recipients-and-amounts', migration: recipientsAndAmounts },
  { name: '0004-idempotent-requests', migration: idempotentRequests },
  { name: '0005-idempotent-messages', migration: idempotentMessages },
  { name: '0006-payment-links', migration: paymentLinks },
  { name: '0007-schema-compatibility', migration: schemaCompatibility, compatibleFrom: additive },
  { name: '0008-key-history', migration: keyHistory, compatibleFrom: additive },
  { name: '0009-retention', migration: retention, compatibleFrom: additive },
  { name: '0010-ledgers', migration: ledgers, compatibleFrom: additive },
  { name: '0011-token-terms', migration: tokenTerms, compatibleFrom: additive },
  { name: '0012-open-links', migration: openLinks, compatibleFrom: additive },
  { name: '0013-stored-replies', migration: storedReplies, compatibleFrom: additive },
  { name: '0014-handed-out', migration: handedOut, compatibleFrom: additive },
  { name: '0015-handed-out-height', migration: handedOutHeight, compatibleFrom: additive },
  { name: '0016-issued-transactions', migration: issuedTransactions, compatibleFrom: additive },
];
