import type { Address, TransferFeeTerms, UiAmountConfig } from 'splwright-core';
import type { Metadata } from '../../app/metadata.ts';
import type { KeyRestrictions } from '../../keys/authenticated-key.ts';
import type { SponsorFeeJson } from '../../problems.ts';

/** A token in which a link can be paid, and how much of it. Amounts are base units of its mint. */
export interface LinkToken {
  mint: Address;
  tokenProgram: Address;
  decimals: number;
  /** The recipient's associated token address. */
  destination: Address;
  minAmount: bigint;
  /** The same as `minAmount` when the amount is fixed. */
  maxAmount: bigint;
  /** The token's name and symbol as the mint itself carries them. */
  tokenName: string | null;
  tokenSymbol: string | null;
  /**
   * The fees that the mint could withhold from a payment when the link was made: none, one, or two where its schedule had another one
   * for a later epoch. The link promises its recipient what is left by the higher one.
   */
  transferFees: readonly TransferFeeTerms[];
  /** How wallets show amounts of the mint, as of the making of the link; `null` where they show them as they are. */
  uiAmountConfig: UiAmountConfig | null;
}

/** A payment link: the recipient, and the token and the amount, which are those that its payer has chosen where it accepts several. */
export interface PaymentLink extends LinkToken {
  /** 16 random characters of base58. */
  id: string;
  /** The `rootId` of the API key that made it: a key made by rotation finds the links of its predecessors. */
  ownerId: string;
  keyId: string;
  /** The random address by which its payments are found on chain. */
  reference: Address;
  recipient: Address;
  /** Whether neither the recipient's wallet nor its token account was on the chain when the link was made. */
  wasRecipientNeverUsed: boolean;
  memo: string | null;
  label: string;
  message: string | null;
  icon: string | null;
  redirect: string | null;
  metadata: Metadata;
  /** The other tokens in which it can be paid. One of them closes it. */
  otherTokens: readonly LinkToken[];
  /** Whether one payment closes it. */
  isSingleUse: boolean;
  allowsOffCurveRecipient: boolean;
  /**
   * The most that the sponsor may take of one payment, in base units of the token that is paid; `null` where the payers pay the network
   * fee, and no sponsor signs.
   */
  maxSponsorFee: bigint | null;
  createdAt: Date;
  /** The slot of the facts that it was made from: a node that has forgotten it cannot say that nothing was paid. */
  createdSlot: bigint;
  expiresAt: Date;
  cancelledAt: Date | null;
  /** When the chain was asked last. */
  checkedAt: Date | null;
  /** When a payer was last given a transaction, some seconds early; `null` before the first. */
  handedOutAt: Date | null;
  /** The height of the last block that takes any transaction given to payers as it was built; `null` before the first. */
  handedOutHeight: bigint | null;
  /** When what is stored became final: the chain is not asked again. */
  settledAt: Date | null;
  /** A finalized signature: it and every older one of the reference were examined, and need not be read again. */
  examinedUntil: string | null;
}

/** Returns a link in each of its tokens, beginning with its own. */
export function inEachToken(link: PaymentLink): readonly [PaymentLink, ...PaymentLink[]] {
  const tokens = [tokenOf(link), ...link.otherTokens];
  const others = tokens.slice(1).map((token) => {
    return { ...link, ...token, otherTokens: tokens.filter((other) => other !== token) };
  });
  return [link, ...others];
}

/** Returns a link in the token of a mint; `undefined` where it is not paid in that. */
export function inToken(link: PaymentLink, mint: string): PaymentLink | undefined {
  return inEachToken(link).find((each) => each.mint === mint);
}

function tokenOf({ mint, tokenProgram, decimals, destination, minAmount, maxAmount, ...link }: PaymentLink): LinkToken {
  const { tokenName, tokenSymbol, transferFees, uiAmountConfig } = link;
  return {
    ...{ mint, tokenProgram, decimals, destination, minAmount, maxAmount },
    ...{ tokenName, tokenSymbol, transferFees, uiAmountConfig },
  };
}

/** Why a transaction that names the reference of a link does not count as its payment. */
export const paymentFlaws = [
  'too_little',
  'elsewhere',
  'other_mint',
  'other_link',
  'nothing_stayed',
  'no_transfer',
  'not_shown',
] as const;

/** A successful transaction that names the reference of a link. */
export interface LinkPayment {
  signature: string;
  /** The wallet that authorized the transfer, otherwise the fee payer. */
  payer: Address;
  /** Who paid the network fee, such as a sponsor; absent where the payer did. */
  feePayer?: Address | undefined;
  /** The mint of the link's token that it pays in; where it does not count, of the one that it is closest to. */
  mint: Address;
  /** Base units that left the payer. */
  amount: bigint;
  /** Base units of it by which the recipient's token account holds more; zero where the node does not say. */
  received: bigint;
  /** The owner of the token account that it came from: who gets it back. `null` where there are several, or no node says it. */
  owner: Address | null;
  slot: bigint;
  /** Seconds since the Unix epoch. */
  blockTime: bigint | null;
  commitment: 'confirmed' | 'finalized';
  /** Why it does not count; `undefined` when it does. */
  flaw: (typeof paymentFlaws)[number] | undefined;
}

export interface StoredPaymentLink {
  link: PaymentLink;
  payments: readonly LinkPayment[];
  /** The oldest first; absent where there are none. */
  refunds?: readonly LinkRefund[];
}

/** A transfer that gives some of a payment back. */
export interface LinkRefund {
  /** The random address by which it is found on chain. */
  reference: Address;
  linkId: string;
  /** The `Idempotency-Key` under which it was built. */
  key: string;
  /** The signature of the payment. */
  payment: string;
  to: Address;
  mint: Address;
  /** Base units. */
  amount: bigint;
  /** Unsigned. */
  bytes: Uint8Array;
  lastValidBlockHeight: bigint;
  /** `issued`: it may still land. `expired`: it never does. */
  state: 'issued' | 'confirmed' | 'finalized' | 'expired';
  /** Of the transaction on chain. */
  signature: string | null;
  createdAt: Date;
}

/** Which links a list has; a filter that is left out holds for all. */
export interface LinkFilter {
  /** As it is at a time, in milliseconds since the Unix epoch. */
  state?: { name: 'open' | 'paid' | 'expired' | 'cancelled'; at: number } | undefined;
  /** The first moment at which they were made, in milliseconds since the Unix epoch. */
  createdFrom?: number | undefined;
  /** The first moment after those at which they were made. */
  createdTo?: number | undefined;
  /** A name of their metadata, a colon, and its value. */
  metadata?: string | undefined;
  reference?: string | undefined;
}

/** A link of a list, with only the payments that count. */
export interface ListedPaymentLink extends StoredPaymentLink {
  /** How many others name its reference. */
  flawedCount: number;
}

export interface LinkCheck {
  /** New payments, and known ones that changed. */
  payments: readonly LinkPayment[];
  /** The signatures of payments that a fork has dropped. */
  dropped: readonly string[];
  checkedAt: Date;
  /** `null` while the chain has to be asked again. */
  settledAt: Date | null;
  /** See `PaymentLink`; left out when it stays as it is. */
  examinedUntil?: string;
}

/** The transaction that a payer of a link was given for one amount. */
export interface IssuedTransaction {
  linkId: string;
  payer: Address;
  mint: Address;
  /** Base units. */
  amount: bigint;
  /** How many payments of this payer to the link were known: of this amount; of a sponsored link all. */
  paymentsBefore: number;
  /** Signed by the sponsor of a sponsored link alone. */
  bytes: Uint8Array;
  lastValidBlockHeight: bigint;
  /** Absent where the payer pays the sponsor nothing. */
  sponsorFee?: SponsorFeeJson | undefined;
}

/** The bounds of a new link; one that is left out does not hold. */
export interface LinkBounds {
  /** How much its key may build on a day (in UTC, as `2026-11-21`), in base units by mint: the most that it takes of each is counted. */
  daily?: { day: string; limits: ReadonlyMap<string, bigint> };
  /** How many open links its owner may have, this one included. */
  maxOpen?: number;
  /** Whether its key must still be accepted: not that of the sandbox, which is in no store. */
  needsKey?: boolean;
}

/** Whether a link was stored, or which bound refuses it. */
export type LinkInsertion =
  | { kind: 'inserted' }
  /** `builtToday` is the sum of the day, in base units as the limit. */
  | { kind: 'daily_limit_reached'; mint: Address; builtToday: bigint; limit: bigint }
  /** `open` is how many the owner has. */
  | { kind: 'too_many_open'; open: number; maxOpen: number }
  /** The key was revoked or has expired. */
  | { kind: 'key_ended' };

export interface OwnerKey {
  id: string;
  restrictions: KeyRestrictions;
}
