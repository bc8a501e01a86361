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

/** How a warning is shown: as one, or as a note that is kept apart so that warnings are read. */
export type WarningLevel = 'warning' | 'note';

/**
 * The level of every warning, in the order of a summary: who may never have it, what the payment itself may lose, who may take it,
 * what else to look at; then, as notes, what the issuers of many mints may do, and what the network intends to.
 */
export const warningLevels = {
  for_import_into_multisig: 'warning',
  recipient_never_used: 'warning',
  transfer_fee: 'warning',
  scheduled_transfer_fee: 'warning',
  recipient_delegate: 'warning',
  recipient_close_authority: 'warning',
  permanent_delegate: 'warning',
  transfer_hook: 'warning',
  token_account_thawed: 'warning',
  unknown_extension: 'warning',
  sender_is_delegate: 'warning',
  sender_delegate: 'warning',
  sender_close_authority: 'warning',
  repeated_recipient: 'warning',
  scaled_ui_amount: 'warning',
  interest_bearing: 'warning',
  durable_nonce: 'warning',
  facilitator_compute_limit: 'warning',
  memo_control_characters: 'warning',
  memo_direction_characters: 'warning',
  memo_invisible_characters: 'warning',
  mutable_transfer_fee: 'note',
  mutable_transfer_hook: 'note',
  freeze_authority: 'note',
  mint_can_be_paused: 'note',
  mint_can_be_closed: 'note',
  durable_nonces_will_be_removed: 'note',
  amount_is_max: 'note',
} as const satisfies Record<string, WarningLevel>;

/** The stable code of a warning. */
export type WarningCode = keyof typeof warningLevels;

/** What was found, by code: everything that a sentence about it needs. Amounts in base units. */
export interface WarningContexts extends Record<WarningCode, object> {
  /** `transferFee`: what the mint withholds of this transfer; `receivedAmount`: what arrives. */
  transfer_fee: OfMint & { transferFee: bigint; receivedAmount: bigint; decimals: number };
  /** `transferFee`: what the mint withholds of such a transfer from `epoch` on; `receivedAmount`: what arrives then. */
  scheduled_transfer_fee: OfMint & { epoch: bigint; transferFee: bigint; receivedAmount: bigint; decimals: number };
  /** `authority`: can set what is withheld from a later epoch on. */
  mutable_transfer_fee: OfMint & { authority: Address };
  /**
   * At each of these addresses there is no account, and neither is there a token account of the mint for it. `offCurve`: those of them
   * for which no key can exist.
   */
  recipient_never_used: { recipients: readonly Address[]; offCurve: readonly Address[] };
  permanent_delegate: OfMint & { delegate: Address };
  /** `authority`: can pause all transfers. */
  mint_can_be_paused: OfMint & { authority: Address };
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
  /** `gateProgram`: decides whether the token accounts may be thawed, each of which is named once. */
  token_account_thawed: OfMint & { gateProgram: Address; tokenAccounts: readonly Address[] };
  /** `owner`: of the tokens that the sender sends. */
  sender_is_delegate: OfTokenAccount & { owner: Address };
  sender_delegate: DelegateContext;
  sender_close_authority: OfTokenAccount & { closeAuthority: Address };
  recipient_delegate: DelegateContext;
  recipient_close_authority: OfTokenAccount & { closeAuthority: Address };
  durable_nonce: { nonceAccount: Address };
  durable_nonces_will_be_removed: { nonceAccount: Address };
  /** What "max" is, of what the sender holds; `left`: what stays, since a delegation does not cover it; `mint` may be `sol`. */
  amount_is_max: OfMint & { amount: bigint; held: bigint; left: bigint; decimals: number };
  for_import_into_multisig: { vault: Address };
  /** `refusedFrom`: the least compute limit that hosted x402 facilitators refuse. */
  facilitator_compute_limit: { computeUnitLimit: number; refusedFrom: number };
  /** The transfers of a batch that pay the same recipient, by their indices. */
  repeated_recipient: { recipient: Address; transfers: readonly number[] };
  /** The characters that the warning is about, each once. */
  memo_control_characters: { characters: readonly string[] };
  memo_direction_characters: { characters: readonly string[] };
  memo_invisible_characters: { characters: readonly string[] };
}

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

const order: readonly string[] = Object.keys(warningLevels);
/** What token programs take for an approval without limit. */
const noLimit = 2n ** 64n - 1n;

/**
 * Returns the level of a warning.
 *
 * A delegate that may send without limit is a note: programs that owners keep using, such as those for subscriptions, are approved for
 * the highest amount there is. Who is to take one payment is approved for some amount.
 */
export function levelOf({ code, context }: Warning): WarningLevel {
  return 'amount' in context && context.amount === noLimit ? 'note' : warningLevels[code];
}

/** Returns the warnings in the order of `warningLevels`, notes last; those of one code keep theirs. */
export function sortWarnings(warnings: readonly Warning[]): readonly Warning[] {
  const rank = (warning: Warning): number =>
    order.indexOf(warning.code) + (levelOf(warning) === 'note' ? order.length : 0);
  return warnings.toSorted((one, other) => rank(one) - rank(other));
}
