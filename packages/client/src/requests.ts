import type * as api from './api-types.ts';

/** The members that `Names` lists: exactly one of them. */
type OneOf<Type, Names extends keyof Type> = Omit<Type, Names> &
  { [Name in Names]: Required<Pick<Type, Name>> & { [Other in Exclude<Names, Name>]?: never } }[Names];

/** The same with the words of `priority_fee`, or micro-lamports per compute unit. */
type WithPriority<Type> = Omit<Type, 'priority_fee'> & {
  priority_fee?: 'none' | 'low' | 'medium' | 'high' | `${number}` | bigint;
};

/** A transfer to be built: `amount` in base units, or `amount_decimal` in tokens; or what must arrive, in either. */
export type TransferRequest = OneOf<
  WithPriority<api.TransferRequest>,
  Amounts | 'amount_received' | 'amount_received_decimal'
>;

/** One of the transfers of a batch: `amount` in base units, or `amount_decimal` in tokens. */
export type BatchTransfer = OneOf<api.BatchTransfer, Amounts>;

/** A batch to be built. */
export type BatchRequest = WithPriority<Omit<api.BatchRequest, 'transfers'>> & {
  transfers: readonly BatchTransfer[];
};

/** A transfer with `memo`, or with `yid`, an identifier that becomes the memo. */
export type TokenTransferRequest = OneOf<WithPriority<Omit<api.TokenTransferRequest, 'encoding'>>, 'memo' | 'yid'>;

/** A transfer that creates the recipient's token account if it is missing. */
export type CreateTokenAccountTransferRequest = WithPriority<Omit<api.CreateTokenAccountTransferRequest, 'encoding'>>;

/** A link to be made: for one amount, as in a transfer, for what the payer chooses from `amount_min` to `amount_max`, or for one of several tokens. */
export type CreatePaymentLinkRequest =
  | (OneOf<InOneToken<Omit<api.CreatePaymentLinkRequest, Bounds>>, Amounts> & { [Name in Bounds]?: never })
  | (InOneToken<Omit<api.CreatePaymentLinkRequest, Amounts>> &
      Required<Pick<api.CreatePaymentLinkRequest, Bounds>> & { [Name in Amounts]?: never })
  | (Omit<api.CreatePaymentLinkRequest, Amounts | Bounds | 'token_mint_address' | 'accepts'> & {
      accepts: readonly OneOf<api.TokenToAccept, Amounts>[];
    } & { [Name in Amounts | Bounds | 'token_mint_address']?: never });

type InOneToken<Link> = Omit<Link, 'accepts' | 'token_mint_address'> & { token_mint_address: string; accepts?: never };

type Amounts = 'amount' | 'amount_decimal';
type Bounds = 'amount_min' | 'amount_max';

/** Which payment links to list: those that all of these take. */
export interface PaymentLinkFilter {
  state?: api.PaymentLink['state'] | undefined;
  /** Made at this time or later, as `2026-11-28T00:00:00Z`. */
  created_from?: string | undefined;
  /** Made before this time. */
  created_to?: string | undefined;
  /** A name in `metadata`, a colon, and its text: `order:1001`. */
  metadata?: string | undefined;
  reference?: string | undefined;
}

/** A refund of a payment link: the transfer that is expected, with the recipient of the link as its sender. */
export interface RefundRequest {
  from_address: string;
  /** Who paid. */
  to_address: string;
  token_mint_address: string;
  /** Base units. */
  amount: string;
  /** The payment, where the link has received several. */
  signature?: string | undefined;
}
