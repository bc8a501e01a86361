import type { Address } from 'splwright-core';
import { inTransaction, type SqlDatabase } from '../store/sql-database.ts';
import type { RecipientJson } from './incoming-schema.ts';

/** A token account to watch. */
export interface WatchedToken {
  mint: Address;
  tokenAccount: Address;
}

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
   * Resolves to false, and changes nothing, when the owner watches as many other wallets as it may.
   */
  put(
    ownerId: string,
    { wallet, tokens, slot }: { wallet: Address; tokens: readonly WatchedToken[]; slot: bigint },
    now: Date,
  ): Promise<boolean> {
    const at = now.getTime();
    return inTransaction(this.#database, async (transaction) => {
      const others = await transaction
        .selectFrom('recipients')
        .select('wallet')
        .distinct()
        .where('owner_id', '=', ownerId)
        .where('wallet', '!=', wallet)
        .execute();
      if (tokens.length > 0 && others.length >= maxRecipients) return false;
      const accounts = tokens.map(({ tokenAccount }) => tokenAccount);
      await transaction
        .deleteFrom('recipients')
        .where('owner_id', '=', ownerId)
        .where('wallet', '=', wallet)
        .$if(accounts.length > 0, (query) => query.where('token_account', 'not in', accounts))
        .execute();
      for (const { mint, tokenAccount } of tokens) {
        const account = { wallet, mint, token_account: tokenAccount };
        await transaction
          .insertInto('recipients')
          .values({ ...account, owner_id: ownerId, since_slot: Number(slot), created_at: at })
          .onConflict((conflict) => conflict.columns(['owner_id', 'token_account']).doNothing())
          .execute();
      }
      return true;
    });
  }

  /** The token accounts that an owner watches, of one wallet if it is given, in the order in which they were added. */
  async list(ownerId: string, wallet?: Address): Promise<readonly RecipientJson[]> {
    const rows = await this.#database.db
      .selectFrom('recipients as recipient')
      .leftJoin('watched_accounts as account', 'account.token_account', 'recipient.token_account')
      .selectAll('recipient')
      .select('account.fault')
      .where('recipient.owner_id', '=', ownerId)
      .$if(wallet !== undefined, (query) => query.where('recipient.wallet', '=', wallet ?? ''))
      .orderBy('recipient.created_at')
      .orderBy('recipient.token_account')
      .execute();
    return rows.map((row) => ({
      recipient: row.wallet,
      token_mint_address: row.mint,
      token_account: row.token_account,
      created_at: new Date(row.created_at).toISOString(),
      problem: row.fault,
    }));
  }
}
