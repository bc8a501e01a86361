import type { CreditRow } from '../store/schema/tables.ts';
import type { CreditJson } from './incoming-schema.ts';

/** A credit, with the recipient that it belongs to. */
export type CreditOfRecipient = CreditRow & { wallet: string; mint: string };

/** Returns a credit as JSON, with exactly the members of its schema. */
export function creditJson(credit: CreditOfRecipient): CreditJson {
  return {
    signature: credit.signature,
    recipient: credit.wallet,
    token_mint_address: credit.mint,
    token_account: credit.token_account,
    amount: credit.amount,
    payer: credit.payer,
    memo: credit.memo,
    references: JSON.parse(credit.reference_addresses),
    state: credit.commitment,
    slot: credit.slot.toString(),
    block_time: credit.block_time,
    seen_at: new Date(credit.seen_at).toISOString(),
  };
}
