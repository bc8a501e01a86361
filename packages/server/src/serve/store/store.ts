import { IdempotencyRecords } from '../../idempotency/records/idempotency-records.ts';
import { WatchedTransactions } from '../../idempotency/records/watched-transactions.ts';
import { CreditRecords } from '../../incoming/credit-records.ts';
import { RecipientRecords } from '../../incoming/recipient-records.ts';
import { WatchedAccounts } from '../../incoming/watched-accounts.ts';
import type { ChangeAuthor } from '../../keys/api-key-record.ts';
import { KeyRecords } from '../../keys/records/key-records.ts';
import { cancelLinksOfKey, LinkRecords } from '../../links/records/link-records.ts';
import { assertWritable } from '../../store/cluster.ts';
import type { SqlDatabase } from '../../store/sql-database.ts';
import { DeliveryRecords } from '../../webhooks/delivery-records.ts';
import { EndpointRecords } from '../../webhooks/endpoint-records.ts';
import { EventRecords } from '../../webhooks/event-records.ts';

/** The database of a service: its API keys, and the records of the other capabilities beside them. */
export class Store extends KeyRecords {
  readonly database: SqlDatabase;
  readonly idempotency: IdempotencyRecords;
  readonly watched: WatchedTransactions;
  readonly links: LinkRecords;
  readonly incoming: { recipients: RecipientRecords; credits: CreditRecords; accounts: WatchedAccounts };
  readonly webhooks: { endpoints: EndpointRecords; events: EventRecords; deliveries: DeliveryRecords };

  /** Takes over `database`, which `close` ends; changes to keys are recorded with their time and author. */
  constructor(database: SqlDatabase, changedBy: { now: () => Date; author: ChangeAuthor }) {
    super(database, { ...changedBy, cancelLinks: cancelLinksOfKey });
    this.database = database;
    this.idempotency = new IdempotencyRecords(database);
    this.watched = new WatchedTransactions(database);
    this.links = new LinkRecords(database);
    this.incoming = {
      recipients: new RecipientRecords(database),
      credits: new CreditRecords(database),
      accounts: new WatchedAccounts(database),
    };
    this.webhooks = {
      endpoints: new EndpointRecords(database),
      events: new EventRecords(database),
      deliveries: new DeliveryRecords(database),
    };
  }

  /** Whether the database itself is gone, such as a file that was deleted or replaced: the operator must act. */
  get isGone(): boolean {
    return this.database.isGone();
  }

  /** Rejects as the database does when it takes no writes. */
  assertWritable(): Promise<void> {
    return assertWritable(this.database, Date.now());
  }

  /** Releases the database, which must not be used afterwards. */
  close(): Promise<void> {
    return this.database.close();
  }
}
