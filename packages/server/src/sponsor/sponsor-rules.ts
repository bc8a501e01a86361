import {
  type Address,
  associatedTokenProgram,
  decodeTransaction,
  type Mint,
  systemProgram,
  type TransferPlan,
} from 'splwright-core';
import { type Static, Type } from 'typebox';
import { AppError } from '../problems.ts';

const texts = Type.Array(Type.String());
const allOrSome = Type.Union([Type.Literal('All'), texts]);

/** The members of the answer to `getConfig` that are read here; Kora leaves out what is off. */
export const configSchema = Type.Object({
  fee_payers: texts,
  validation_config: Type.Object({
    max_allowed_lamports: Type.Number({ minimum: 0 }),
    max_signatures: Type.Number({ minimum: 0 }),
    allowed_programs: allOrSome,
    allowed_spl_paid_tokens: allOrSome,
    disallowed_accounts: texts,
    require_one_of_programs: Type.Optional(texts),
    allow_durable_transactions: Type.Optional(Type.Boolean()),
    fee_payer_policy: Type.Optional(
      Type.Object({
        system: Type.Optional(Type.Object({ allow_create_account: Type.Optional(Type.Boolean()) })),
      }),
    ),
    price: Type.Optional(Type.Object({ type: Type.String() })),
    token_2022: Type.Optional(
      Type.Object({
        blocked_mint_extensions: Type.Optional(texts),
        transfer_hook_policy: Type.Optional(Type.String()),
      }),
    ),
  }),
});

/** The rules by which a sponsor signs. */
export type SponsorRules = Static<typeof configSchema>['validation_config'];

/** A transaction as it is, and the plan and the mint that it was built from. */
export interface Draft {
  plan: TransferPlan;
  bytes: Uint8Array;
  mint: Mint;
  /** Lamports that a token account of the mint must hold. */
  tokenAccountRent: bigint;
}

/**
 * Returns the lamports of rent that a transaction costs the sponsor at most.
 *
 * Whoever has one signed may close a token account that exists, and take its lamports, before the transaction creates it again.
 */
export function mostRentOf({ plan: { payments }, tokenAccountRent }: Pick<Draft, 'plan' | 'tokenAccountRent'>): bigint {
  const created = payments.filter(({ createsRecipientTokenAccount }) => createsRecipientTokenAccount);
  return BigInt(created.length) * tokenAccountRent;
}

/** Whether the sponsor signs without being paid. Kora asks for its costs where no price is set. */
export function isFree({ price }: SponsorRules): boolean {
  return price?.type === 'free';
}

/** Throws `sponsor_refused` where fees cannot be paid in a token. */
export function assertTakesFeesIn({ allowed_spl_paid_tokens: allowed }: SponsorRules, mint: Address): void {
  if (allowed === 'All' || allowed.includes(mint)) return;
  const others =
    allowed.length > 0 ? `Send sponsor_fee_token_mint_address: it takes ${allowed.join(', ')}` : 'It takes none';
  throw refusal(`takes no fees in ${mint}`, 'allowed_spl_paid_tokens', `${others}. The operator adds the mint to it.`);
}

/** Throws `sponsor_refused`, with the rule and what its operator would set, for a transaction that the sponsor would not sign. */
export function assertSponsorAccepts(rules: SponsorRules, draft: Draft): void {
  const { plan, bytes } = draft;
  if (plan.version === 1) {
    throw new AppError(
      'sponsor_refused',
      'The sponsor reads no transactions of version 1. Leave transaction_version out.',
    );
  }
  const { instructions, accounts, signers } = decodeTransaction(bytes);
  const programs = new Set<string>(instructions.map(({ program }) => program));
  const creates = programs.has(associatedTokenProgram);
  // The program that creates token accounts calls it.
  if (creates) programs.add(systemProgram);
  const { allowed_programs: allowed, disallowed_accounts: disallowed, require_one_of_programs: required = [] } = rules;
  const foreign = allowed === 'All' ? undefined : [...programs].find((program) => !allowed.includes(program));
  if (foreign !== undefined) {
    throw refusal(
      `signs nothing that calls the program ${foreign}`,
      'allowed_programs',
      'The operator adds it to the list.',
    );
  }
  if (required.length > 0 && !required.some((program) => programs.has(program))) {
    throw refusal(
      `signs only what calls ${required.join(' or ')}`,
      'require_one_of_programs',
      'The operator empties the list.',
    );
  }
  const banned = accounts.find(({ address }) => disallowed.includes(address));
  if (banned) {
    throw refusal(
      `signs nothing that names ${banned.address}`,
      'disallowed_accounts',
      'The operator takes it off the list.',
    );
  }
  if (signers.length > rules.max_signatures) {
    const remedy = `The operator sets it to ${signers.length} or more.`;
    throw refusal(`signs nothing with ${signers.length} signatures`, 'max_signatures', remedy);
  }
  if (plan.nonce && !rules.allow_durable_transactions) {
    throw refusal('signs nothing that lives by a nonce', 'allow_durable_transactions', 'The operator sets it to true.');
  }
  assertTakesMint(rules, draft);
  assertPaysRent(rules, mostRentOf(draft), creates);
}

/** Returns the extensions that a mint is known to have, by their names in Kora's configuration. */
function extensionsOf(mint: Mint): readonly string[] {
  const has: Readonly<Record<string, boolean>> = {
    transfer_fee_config: mint.transferFeeConfig !== undefined,
    mint_close_authority: mint.hasCloseAuthority,
    interest_bearing_config: mint.isInterestBearing,
    permanent_delegate: mint.permanentDelegate !== undefined,
    transfer_hook: mint.transferHookProgram !== undefined || mint.transferHookAuthority !== undefined,
    scaled_ui_amount: mint.hasScaledUiAmount,
    pausable: mint.pauseAuthority !== undefined,
  };
  return Object.keys(has).filter((name) => has[name]);
}

// As Kora 2.2 does: extensions are blocked of the token that it is paid in, a hook in every token that is sent.
function assertTakesMint({ token_2022: rules = {} }: SponsorRules, { plan, mint }: Draft): void {
  const { blocked_mint_extensions: blocked = [], transfer_hook_policy: policy = 'allow_all' } = rules;
  const isPaidInIt = plan.sponsorFee?.mint === plan.mint;
  const found = isPaidInIt ? extensionsOf(mint).find((name) => blocked.includes(name)) : undefined;
  if (found !== undefined) {
    const remedy = 'Send sponsor_fee_token_mint_address. The operator takes it off the list.';
    throw refusal(`takes no fees in a token with ${found}`, 'token_2022.blocked_mint_extensions', remedy);
  }
  // What it signs now is submitted later, when the hook may be another.
  if (mint.transferHookAuthority === undefined || policy === 'allow_all') return;
  const what = `signs no transfer of a token whose transfer hook ${mint.transferHookAuthority} can change`;
  throw refusal(what, 'token_2022.transfer_hook_policy', 'The operator sets it to allow_all.');
}

const createdBefore = 'the recipient creates the token account first, and create_token_account is not "always"';

function assertPaysRent(rules: SponsorRules, rent: bigint, creates: boolean): void {
  if (creates && !rules.fee_payer_policy?.system?.allow_create_account) {
    const rule = 'fee_payer_policy.system.allow_create_account';
    throw refusal('creates no token accounts', rule, `The operator sets it to true, or ${createdBefore}.`);
  }
  if (rent > BigInt(Math.floor(rules.max_allowed_lamports))) {
    const remedy = `The operator sets it to ${rent} or more, or ${createdBefore}.`;
    throw refusal(
      `pays at most ${rules.max_allowed_lamports} lamports, and the rent is ${rent}`,
      'max_allowed_lamports',
      remedy,
    );
  }
}

function refusal(what: string, rule: string, remedy: string): AppError {
  return new AppError('sponsor_refused', `The sponsor ${what}, by its rule ${rule}. ${remedy}`);
}
