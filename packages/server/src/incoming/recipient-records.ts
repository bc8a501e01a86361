import type { Kysely } from 'kysely';
import { type Address, toAddress } from 'splwright-core';
import type { RecipientRow, StoreTables } from '../store/schema/tables.ts';
import type { SqlDatabase } from '../store/sql-database.ts';

/** A token account of which an owner wants to know what arrives. */
export interface Recipient {
  wallet: Address;
  mint: Address;
  tokenAccount: Address;
  createdAt: Date;
  /** When its history was last read; `null` before the first time. */
  scannedAt: Date | null;
  /** Why it could not be read the last time. */
  fault: string | null;
}

/** A token account to watch. */
export type WatchedToken = Pick<Recipient, 'mint' | 'tokenAccount'>;

/** How many wallets one owner may watch. */
export const maxRecipients = 100;

/** Which recipients owners watch. */
export class RecipientRecords {
  readonly #database: SqlDatabase;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /**
   * Makes an owner watch just these token accounts of a wallet, from a slot on; those that it watches already from when it began.
   *
   * Resolves to false when the owner watches as many wallets as it may.
   */
  put(
    ownerId: string,
    wallet: Address,
    tokens: readonly WatchedToken[],
    { slot, now }: { slot: bigint; now: Date },
  ): Promise<boolean> {
    const at = now.getTime();
    const sinceSlot = Number(slot);
    return this.#write(async (db) => {
      const accounts = tokens.map(({ tokenAccount }) => tokenAccount);
      await db
        .deleteFrom('recipients')
        .where('owner_id', '=', ownerId)
        .where('wallet', '=', wallet)
        .$if(accounts.length > 0, (query) => query.where('token_account', 'not in', accounts))
        .execute();
      for (const { mint, tokenAccount } of tokens) {
        await db
          .insertInto('recipients')
          .values({ owner_id: ownerId, wallet, mint, token_account: tokenAccount, since_slot: sinceSlot, created_at: at })
          .onConflict((conflict) => conflict.columns(['owner_id', 'token_account']).doNothing())
          .execute();
        await db
          .insertInto('watched_accounts')
          .values({ ...unread, token_account: tokenAccount, mint, wallet, since_slot: sinceSlot, due_at: at })
          .onConflict((conflict) => conflict.column('token_account').doNothing())
          .execute();
      }
      const { wallets } = await db
        .selectFrom('recipients')
        .select(({ fn }) => fn.count<number>('wallet').distinct().as('wallets'))
        .where('owner_id', '=', ownerId)
        .executeTakeFirstOrThrow();
      if (Number(wallets) > maxRecipients) throw new TooManyRecipients();
    }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof TooManyRecipients) return false;
        throw error;
      },
    );
  }

  /** The token accounts that an owner watches, of one wallet if it is given, in the order in which they were added. */
  async list(ownerId: string, wallet?: Address): Promise<readonly Recipient[]> {
    const rows = await this.#database.db
      .selectFrom('recipients as recipient')
      .leftJoin('watched_accounts as account', 'account.token_account', 'recipient.token_account')
      .selectAll('recipient')
      .select(['account.scanned_at', 'account.fault'])
      .where('recipient.owner_id', '=', ownerId)
      .$if(wallet !== undefined, (query) => query.where('recipient.wallet', '=', wallet ?? ''))
      .orderBy('recipient.created_at')
      .orderBy('recipient.token_account')
      .execute();
    return rows.map(toRecipient);
  }

  #write(action: (db: Kysely<StoreTables>) => Promise<void>): Promise<void> {
    const { db, whenNotBusy } = this.#database;
    return whenNotBusy(() => db.transaction().execute(action));
  }
}

class TooManyRecipients extends Error {}

/** The columns of a token account whose history was not read yet. */
export const unread = {
  known_signature: null,
  resume_before: null,
  resume_newest: null,
  taken_until: null,
  scanned_at: null,
  fault: null,
} as const;

function toRecipient(row: RecipientRow & { scanned_at: number | null; fault: string | null }): Recipient {
  return {
    wallet: toAddress(row.wallet),
    mint: toAddress(row.mint),
    tokenAccount: toAddress(row.token_account),
    createdAt: new Date(row.created_at),
    scannedAt: row.scanned_at === null ? null : new Date(row.scanned_at),
    fault: row.fault,
  };
}
