import { type ProblemCode, problems } from '../../packages/server/src/errors.ts';
import { holdsWithoutChecks } from './judge-refusal.ts';
import { nonceCodes } from './reason-fits.ts';
import type { MintExtension, RecipientWallet, World } from './world.ts';

/** Codes of which a refusal must name one. */
type Reason = readonly ProblemCode[];

/**
 * Says which reasons a refusal does not name, though the world has them for certain, whatever else it has.
 *
 * Not every reason of a world is known so: what a transaction comes to says the others.
 */
export function judgeCompleteness(world: World, codes: readonly ProblemCode[]): string[] {
  const isAboutRequest = codes.some((code) => problems[code].status === 400);
  const known = [...requestReasons(world), ...(isAboutRequest ? [] : chainReasons(world))];
  const asked = world.options.checks === 'none' ? known.filter((reason) => reason.every(holdsWithoutChecks)) : known;
  const unnamed = asked.filter((reason) => !reason.some((code) => codes.includes(code)));
  return unnamed.map((reason) => `${reason.join(' or ')} is not named`);
}

function requestReasons({ recipientWallet, senderWallet, options }: World): Reason[] {
  return [
    ...when(recipientWallet === 'sender', 'same_wallet'),
    ...when(senderWallet === 'off_curve', 'sender_off_curve'),
    ...when(options.feePayer?.wallet === 'off_curve', 'fee_payer_off_curve'),
  ];
}

function chainReasons(world: World): Reason[] {
  const { mint, options } = world;
  const nonce = nonceCodes(options.nonceAccount?.state);
  const ofAnyMint = [
    ...(nonce.length > 0 ? [nonce] : []),
    ...recipientReasons(world),
    ...priceReasons(world),
    ...payerReasons(world),
  ];
  if (mint.kind === 'oddity') {
    return [[mint.oddity === 'missing' ? 'mint_not_found' : 'not_a_mint'], ...ofAnyMint];
  }
  return [
    ...ofAnyMint,
    ...extensionsOf(world).flatMap(extensionReasons),
    ...senderReasons(world),
    ...recipientTokenAccountReasons(world),
  ];
}

const programs: readonly RecipientWallet[] = ['program', 'token_program', 'system_program'];
const offCurve: readonly RecipientWallet[] = ['off_curve', 'off_curve_funded', 'foreign_account_off_curve'];
const ofAnotherProgram: readonly RecipientWallet[] = ['sysvar', 'foreign_account', 'foreign_account_off_curve'];

function recipientReasons(world: World): Reason[] {
  const { mint, recipientWallet: wallet, options } = world;
  const isMint = wallet === 'mint' || (wallet === 'the_mint' && mint.kind !== 'oddity');
  const isTokenAccount = wallet === 'token_account' || wallet === 'uninitialized_token_account';
  const isMadeOffCurve = world.operation === 'create_transfer' && offCurve.includes(wallet);
  return [
    ...when(programs.includes(wallet), 'recipient_is_program'),
    ...when(isMint, 'recipient_is_mint'),
    ...when(isTokenAccount, 'recipient_is_token_account'),
    ...when(isMadeOffCurve && !options.allowOffCurveRecipient, 'recipient_off_curve', 'recipient_not_a_wallet'),
  ];
}

// With any mint, and the least compute units, a price of 10^9 comes to more than the maximum.
const surelyTooHigh = 10n ** 9n;

function priceReasons({ mint, options: { priorityFee } }: World): Reason[] {
  if (priorityFee?.kind === 'price') return when(priorityFee.price >= surelyTooHigh, 'priority_fee_too_high');
  const isAbove = priorityFee?.kind === 'at_maximum' && priorityFee.above > 0n && mint.kind !== 'oddity';
  // A hook that cannot be resolved leaves the compute units unknown.
  return when(isAbove, 'priority_fee_too_high', 'transfer_hook_unresolvable');
}

function payerReasons({ senderWallet, lamports: senderLamports, options, mint }: World): Reason[] {
  const payer = options.feePayer;
  const isSponsored = payer !== undefined && payer.wallet !== 'sender';
  const lamports = isSponsored ? payer.lamports : senderLamports;
  const isPlain = isSponsored ? payer.wallet === 'wallet' || payer.wallet === 'recipient' : senderWallet === 'system';
  const isMultisig = isSponsored && senderWallet === 'multisig' && senderLamports !== 'none' && mint.kind !== 'oddity';
  const leastLacking: readonly World['lamports'][] = ['none', 'one', ...(options.priorityFee ? [] : lackingOfUnpriced)];
  return [
    ...when(!isPlain && lamports !== 'none', isSponsored ? 'fee_payer_not_a_wallet' : 'sender_not_a_wallet'),
    ...when(isMultisig, 'sender_not_a_wallet'),
    ...when(isPlain && leastLacking.includes(lamports), 'insufficient_sol'),
  ];
}

const lackingOfUnpriced: readonly World['lamports'][] = ['fee_less_one', 'fee_and_one', 'fee_and_minimum_less_one'];

function extensionsOf({ mint }: World): readonly MintExtension[] {
  return mint.kind === 'token_2022' ? mint.extensions : [];
}

const unresolvableHooks: readonly string[] = [
  'program_missing',
  'list_missing',
  'signer',
  'one_extra_too_many',
  'one_too_many_of_five_seeds',
  'one_too_many_of_nine_seeds',
  'one_too_many_of_long_seeds',
  'extras_past_the_packet',
];

function extensionReasons(extension: MintExtension): Reason[] {
  switch (extension.kind) {
    case 'pausable':
      return when(extension.paused, 'mint_paused');
    case 'non_transferable':
      return when(true, 'mint_non_transferable');
    case 'transfer_hook':
      return when(unresolvableHooks.includes(extension.hook), 'transfer_hook_unresolvable');
    default:
      return [];
  }
}

function senderReasons(world: World): Reason[] {
  const { senderTokenAccount: state, balance } = world;
  if (state === 'missing' || state === 'prefunded') return when(true, 'sender_token_account_not_found');
  const isPermanentDelegate = extensionsOf(world).some(
    (extension) => extension.kind === 'permanent_delegate' && extension.delegate === 'sender',
  );
  const isShort =
    balance === 'zero' || balance === 'one_less' || (state === 'delegate_is_owner_for_less' && !isPermanentDelegate);
  return [
    ...when(state === 'frozen', 'sender_token_account_frozen'),
    ...when(state === 'owner_changed', 'sender_token_account_not_owned'),
    ...when(isShort, 'insufficient_token_balance'),
  ];
}

const wallets: readonly RecipientWallet[] = ['funded', 'unfunded', 'nonce', 'multisig'];

function recipientTokenAccountReasons(world: World): Reason[] {
  const { operation, recipientWallet, recipientTokenAccount: state, options } = world;
  const isMissing = state === 'missing' || state === 'prefunded_less' || state === 'prefunded_more';
  if (ofAnotherProgram.includes(recipientWallet)) return when(isMissing, 'recipient_not_a_wallet');
  if (!wallets.includes(recipientWallet)) return [];
  const creates = operation === 'create_transfer';
  const isMadeFrozen = extensionsOf(world).some(
    (extension) => extension.kind === 'default_account_state' && extension.frozen,
  );
  const hasMemo = !creates || options.memoField !== undefined;
  return [
    ...when(isMissing && !creates, 'recipient_token_account_not_found'),
    ...when(isMissing && creates && isMadeFrozen, 'new_token_account_would_be_frozen'),
    ...when(state === 'frozen', 'recipient_token_account_frozen'),
    ...when(state === 'owner_changed', 'recipient_token_account_not_owned'),
    ...when(state === 'confidential_only', 'recipient_refuses_public_credits'),
    ...when(state === 'memo_required' && !hasMemo, 'recipient_requires_memo'),
  ];
}

function when(holds: boolean, ...reason: ProblemCode[]): Reason[] {
  return holds ? [reason] : [];
}
