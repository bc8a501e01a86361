import type * as api from './api-types.ts';

/** The members that `Names` lists: exactly one of them. */
type OneOf<Type, Names extends keyof Type> = Omit<Type, Names> &
  { [Name in Names]: Required<Pick<Type, Name>> & { [Other in Exclude<Names, Name>]?: never } }[Names];

/** The same with the words of `priority_fee`, or micro-lamports per compute unit. */
type WithPriority<Type> = Omit<Type, 'priority_fee'> & {
  priority_fee?: 'none' | 'low' | 'medium' | 'high' | `${number}` | bigint;
};

/** A transfer to be built: `amount` in base units, or `amount_decimal` in tokens. */
export type TransferRequest = OneOf<WithPriority<api.TransferRequest>, 'amount' | 'amount_decimal'>;

/** One of the transfers of a batch: `amount` in base units, or `amount_decimal` in tokens. */
export type BatchTransfer = OneOf<api.BatchTransfer, 'amount' | 'amount_decimal'>;

/** A batch to be built. */
export type BatchRequest = WithPriority<Omit<api.BatchRequest, 'transfers'>> & {
  transfers: readonly BatchTransfer[];
};

/** A transfer with `memo`, or with `yid`, an identifier that becomes the memo. */
export type TokenTransferRequest = OneOf<WithPriority<Omit<api.TokenTransferRequest, 'encoding'>>, 'memo' | 'yid'>;

/** A transfer that creates the recipient's token account if it is missing. */
export type CreateTokenAccountTransferRequest = WithPriority<Omit<api.CreateTokenAccountTransferRequest, 'encoding'>>;

/** A link to be made: for one `amount`, or for what the payer chooses from `amount_min` to `amount_max`. */
export type CreatePaymentLinkRequest = Omit<api.CreatePaymentLinkRequest, 'amount' | 'amount_min' | 'amount_max'> &
  (
    | { amount: string | bigint; amount_min?: never; amount_max?: never }
    | { amount?: never; amount_min: string | bigint; amount_max: string | bigint }
  );
