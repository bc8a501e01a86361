import type { Address } from '../addresses/address.ts';

interface OfMint {
  mint: Address;
}

interface OfTokenAccount {
  /** That of the sender or of the recipient, as the code says. */
  tokenAccount: Address;
}

/** Who may send how much from a token account, in base units. */
interface DelegateContext extends OfTokenAccount {
  delegate: Address;
  amount: bigint;
  decimals: number;
}

/** What was found, by code: everything that a sentence about it needs. Amounts in base units. */
export interface WarningContexts {
  /** `transferFee`: what the mint withholds of this transfer. */
  transfer_fee: OfMint & { transferFee: bigint; decimals: number };
  permanent_delegate: OfMint & { delegate: Address };
  mint_can_be_closed: OfMint;
  interest_bearing: OfMint;
  scaled_ui_amount: OfMint;
  /** `authority`: can set another program to be called. */
  mutable_transfer_hook: OfMint & { authority: Address };
  freeze_authority: OfMint;
  /** The types of the extensions, as the mint numbers them. */
  unknown_extension: OfMint & { extensionTypes: readonly number[] };
  /** The program that is called, and the accounts that it may write, each once. */
  transfer_hook: OfMint & { program: Address; writableAccounts: readonly Address[] };
  /** `owner`: of the tokens that the sender sends. */
  sender_is_delegate: OfTokenAccount & { owner: Address };
  sender_delegate: DelegateContext;
  sender_close_authority: OfTokenAccount & { closeAuthority: Address };
  recipient_delegate: DelegateContext;
  recipient_close_authority: OfTokenAccount & { closeAuthority: Address };
  durable_nonce: { nonceAccount: Address };
  /** `refusedFrom`: the least compute limit that hosted x402 facilitators refuse. */
  facilitator_compute_limit: { computeUnitLimit: number; refusedFrom: number };
  /** The transfers of a batch that pay the same recipient, by their indices. */
  repeated_recipient: { recipient: Address; transfers: readonly number[] };
  /** The characters that the warning is about, each once. */
  memo_control_characters: { characters: readonly string[] };
  memo_direction_characters: { characters: readonly string[] };
  memo_invisible_characters: { characters: readonly string[] };
}

/** The stable code of a warning. */
export type WarningCode = keyof WarningContexts;

/** A warning of one of these codes. */
export type WarningOf<Code extends WarningCode> = {
  [Each in Code]: { code: Each; context: WarningContexts[Each] };
}[Code];

/**
 * Something that the payer or the recipient should know although the transfer lands, as data.
 *
 * It has no words, as a `Finding` has none.
 */
export type Warning = WarningOf<WarningCode>;
