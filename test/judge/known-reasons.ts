import type { Finding, FindingField } from '../../packages/core/src/findings/finding.ts';
import { type ProblemCode, problems } from '../../packages/server/src/problems.ts';
import {
  askedCreationOf,
  asksForMemo,
  callsHook,
  extensionsOf,
  isMissing,
  isMpp,
  isUnrepresentable,
  isX402,
  type Payee,
  type PaymentName,
  payeesOf,
  totalOf,
} from './asked.ts';
import { holdsWithoutChecks } from './judge-refusal.ts';
import { nonceCodes, paymentOf } from './reason-fits.ts';
import { isThawed } from './token-acl.ts';
import type { MintExtension, RecipientWallet, World } from './world.ts';

/** Codes of which a refusal must name one; of a payment or a field, if it is about one. */
interface Reason {
  codes: readonly ProblemCode[];
  payment?: PaymentName;
  field?: FindingField;
}

/**
 * Says which reasons a refusal does not name, though the world has them for certain, whatever else it has.
 *
 * Not every reason of a world is known so: what a transaction comes to says the others.
 */
export function judgeCompleteness(world: World, findings: readonly Pick<Finding, 'code' | 'field'>[]): string[] {
  const isAboutRequest = findings.some(({ code }) => problems[code].status === 400);
  const known = [...requestReasons(world), ...(isAboutRequest ? [] : chainReasons(world))];
  const asked = world.options.checks === 'none' ? known.filter(({ codes }) => codes.every(holdsWithoutChecks)) : known;
  const unnamed = asked.filter(({ codes, payment, field }) => {
    const fits = (finding: Pick<Finding, 'code' | 'field'>): boolean =>
      codes.includes(finding.code) &&
      (payment === undefined || paymentOf(finding) === payment) &&
      (field === undefined || finding.field === field);
    return !findings.some(fits);
  });
  return unnamed.map(({ codes, payment, field }) => {
    const place = payment === undefined ? field : `payment ${payment}`;
    return `${codes.join(' or ')} is not named${place === undefined ? '' : ` of ${place}`}`;
  });
}

function requestReasons(world: World): Reason[] {
  const { senderWallet, options } = world;
  return [
    ...payeesOf(world).flatMap((payee) => of(payee, when(payee.wallet === 'sender', 'same_wallet'))),
    ...when(senderWallet === 'off_curve', 'sender_off_curve'),
    ...when(options.feePayer?.wallet === 'off_curve', 'fee_payer_off_curve'),
    ...layoutConflictsOf(world).map((field): Reason => ({ codes: ['layout_conflict'], field })),
  ];
}

function chainReasons(world: World): Reason[] {
  const { mint, options } = world;
  const nonce = nonceCodes(options.nonceAccount?.state);
  const ofAnyMint = [
    ...when(nonce.length > 0, ...nonce),
    ...payeesOf(world).flatMap((payee) => of(payee, recipientReasons(world, payee))),
    ...priceReasons(world),
    ...payerReasons(world),
  ];
  if (mint.kind === 'oddity') {
    return [...when(true, mint.oddity === 'missing' ? 'mint_not_found' : 'not_a_mint'), ...ofAnyMint];
  }
  return [
    ...ofAnyMint,
    ...when(isUnrepresentable(world), 'amount_not_representable'),
    ...extensionsOf(world).flatMap((extension) => extensionReasons(world, extension)),
    ...senderReasons(world),
    ...payeesOf(world).flatMap((payee) => of(payee, recipientTokenAccountReasons(world, payee))),
  ];
}

const programs: readonly RecipientWallet[] = ['program', 'token_program', 'system_program'];
const offCurve: readonly RecipientWallet[] = ['off_curve', 'off_curve_funded', 'foreign_account_off_curve'];
const ofAnotherProgram: readonly RecipientWallet[] = ['sysvar', 'foreign_account', 'foreign_account_off_curve'];

function recipientReasons(world: World, { wallet, tokenAccount, creation }: Payee): Reason[] {
  const { mint, options } = world;
  const isMint = wallet === 'mint' || (wallet === 'the_mint' && mint.kind !== 'oddity');
  const isTokenAccount = wallet === 'token_account' || wallet === 'uninitialized_token_account';
  const isCreatable = mint.kind !== 'oddity' && creation === 'if_missing' && isMissing(tokenAccount);
  const isMadeOffCurve = (creation === 'always' || isCreatable) && offCurve.includes(wallet);
  return [
    ...when(programs.includes(wallet), 'recipient_is_program'),
    ...when(isMint, 'recipient_is_mint'),
    ...when(isTokenAccount, 'recipient_is_token_account'),
    ...when(wallet === 'other_multisig' && mint.kind !== 'oddity', 'recipient_multisig_of_other_program'),
    ...when(isMadeOffCurve && !options.allowOffCurveRecipient, 'recipient_off_curve', 'recipient_not_a_wallet'),
  ];
}

// With any mint, and the least compute units, a price of 10^9 comes to more than the maximum.
const surelyTooHigh = 10n ** 9n;

function priceReasons({ mint, options: { priorityFee } }: World): Reason[] {
  if (priorityFee?.kind === 'price') return when(priorityFee.price >= surelyTooHigh, 'priority_fee_too_high');
  const isAbove = priorityFee?.kind === 'at_maximum' && priorityFee.above > 0n && mint.kind !== 'oddity';
  // A hook that cannot be resolved leaves the compute units unknown.
  return when(isAbove, 'priority_fee_too_high', 'transfer_hook_unresolvable', 'transfer_hook_names_signer');
}

function payerReasons({ senderWallet, lamports: senderLamports, options, mint, transfer }: World): Reason[] {
  // It pays no fee, and has any lamports while it pays no rent.
  if (senderWallet === 'vault') return [];
  const payer = options.feePayer;
  const isSponsored = payer !== undefined && payer.wallet !== 'sender';
  const lamports = isSponsored ? payer.lamports : senderLamports;
  const isOddWrapper = transfer?.wraps && senderWallet !== 'system' && senderLamports !== 'none';
  // What is unwrapped at the end may bring the sender above the minimum.
  const isRefilled = !isSponsored && transfer?.wraps && transfer.unwraps;
  const isPlain = isSponsored ? payer.wallet === 'wallet' || payer.wallet === 'recipient' : senderWallet === 'system';
  const isMultisig = isSponsored && senderWallet === 'multisig' && senderLamports !== 'none' && mint.kind !== 'oddity';
  const leastLacking: readonly World['lamports'][] = [
    'none',
    'one',
    ...(options.priorityFee || isRefilled ? [] : lackingOfUnpriced),
  ];
  return [
    ...when(!isPlain && lamports !== 'none', isSponsored ? 'fee_payer_not_a_wallet' : 'sender_not_a_wallet'),
    ...when(isMultisig, 'sender_not_a_wallet'),
    // Where a sender is no wallet that could wrap, lamports are not looked at.
    ...when(isPlain && !isOddWrapper && leastLacking.includes(lamports), 'insufficient_sol'),
  ];
}

const lackingOfUnpriced: readonly World['lamports'][] = ['fee_less_one', 'fee_and_one', 'fee_and_minimum_less_one'];

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

function extensionReasons(world: World, extension: MintExtension): Reason[] {
  switch (extension.kind) {
    case 'pausable':
      return when(extension.paused, 'mint_paused');
    case 'non_transferable':
      return when(true, 'mint_non_transferable');
    case 'transfer_hook':
      if (isX402(world)) return extension.hook === 'none' ? [] : [{ codes: ['layout_not_possible'], field: 'mint' }];
      if (extension.hook === 'fee_payer') return when(true, 'transfer_hook_names_signer');
      // A signer among the references is told in its place.
      return when(
        unresolvableHooks.includes(extension.hook),
        'transfer_hook_unresolvable',
        'transfer_hook_names_signer',
      );
    default:
      return [];
  }
}

function senderReasons(world: World): Reason[] {
  const { senderTokenAccount: state, balance } = world;
  const wraps = world.transfer?.wraps ?? false;
  if (state === 'missing' || state === 'prefunded') return when(!wraps, 'sender_token_account_not_found');
  const isPermanentDelegate = extensionsOf(world).some(
    (extension) => extension.kind === 'permanent_delegate' && extension.delegate === 'sender',
  );
  const isPoor = !wraps && (balance === 'zero' || balance === 'one_less');
  const isBelowTotal = isPoor || totalOf(world) >= 2n ** 64n;
  // Where the splits come to one less than all, the sender sends the rest as the owner.
  const isFreed = (world.transfer?.splits ?? []).length > 0 && world.amount === 1n;
  const isHeldToLess = state === 'delegate_is_owner_for_less' && !isPermanentDelegate && !isFreed;
  const isShort = isBelowTotal || isHeldToLess;
  return [
    ...when(state === 'frozen', 'sender_token_account_frozen'),
    ...when(state === 'owner_changed', 'sender_token_account_not_owned'),
    ...when(isShort && !isUnrepresentable(world), 'insufficient_token_balance'),
  ];
}

const wallets: readonly RecipientWallet[] = ['funded', 'unfunded', 'nonce', 'multisig'];

function recipientTokenAccountReasons(world: World, payee: Payee): Reason[] {
  const { wallet, tokenAccount: state, hasMemo, creation } = payee;
  if (ofAnotherProgram.includes(wallet)) return when(isMissing(state), 'recipient_not_a_wallet');
  if (!wallets.includes(wallet)) return [];
  const creates = creation !== 'never';
  const staysFrozen = !isThawed(world, payee);
  const isMadeFrozen = extensionsOf(world).some(
    (extension) => extension.kind === 'default_account_state' && extension.frozen,
  );
  return [
    ...when(isMissing(state) && !creates, 'recipient_token_account_not_found'),
    ...when(isMissing(state) && creates && isMadeFrozen && staysFrozen, 'new_token_account_would_be_frozen'),
    ...when(state === 'frozen' && staysFrozen, 'recipient_token_account_frozen'),
    ...when(state === 'owner_changed', 'recipient_token_account_not_owned'),
    ...when(state === 'confidential_only', 'recipient_refuses_public_credits'),
    ...when(state === 'memo_required' && !hasMemo, isX402(world) ? 'layout_not_possible' : 'recipient_requires_memo'),
  ];
}

function when(holds: boolean, ...codes: ProblemCode[]): Reason[] {
  return holds ? [{ codes }] : [];
}

function of({ name }: Payee, reasons: readonly Reason[]): Reason[] {
  return reasons.map((reason) => ({ ...reason, payment: name }));
}

// What facilitators of x402 and servers of MPP accept (`@x402/svm`, `@solana/mpp`).
const maxMemoBytes = { x402: 256, mpp: 566 };
const maxPrice = 5_000_000n;

/** The fields of a world's request that its layout has no room for; none in the default layout. */
function layoutConflictsOf(world: World): FindingField[] {
  const layout = world.transfer?.layout;
  if (layout === undefined) return [];
  const { priorityFee, nonceAccount, transactionVersion } = world.options;
  const conflicts: FindingField[] = [];
  if (asksForMemo(world) && Buffer.byteLength(world.memo.text) > maxMemoBytes[layout]) conflicts.push('memo');
  if (isX402(world)) {
    if (askedCreationOf(world) === 'always') conflicts.push('createTokenAccount');
    if ((world.transfer?.splits ?? []).length > 0) conflicts.push('splits');
    if (!isFeePayerApart(world)) conflicts.push('feePayer');
  }
  if (priorityFee?.kind === 'price' && priorityFee.price > maxPrice) conflicts.push('priorityFee');
  if (nonceAccount) conflicts.push('nonceAccount');
  if (transactionVersion === 1) conflicts.push('transactionVersion');
  return conflicts;
}

// The facilitator signs as the fee payer: no instruction may have that account.
function isFeePayerApart({ options }: World): boolean {
  const { feePayer, references = [], nonceAccount } = options;
  if (!feePayer || feePayer.wallet === 'sender') return false;
  const isRecipientToo = feePayer.wallet === 'recipient' && references.includes('recipient');
  const isNonceToo = nonceAccount?.state === 'fee_payer' && references.includes('nonce_account');
  return !references.includes('fee_payer') && !isRecipientToo && !isNonceToo;
}

/** Says which findings about a layout are unfounded: what another layout takes may land, so that the chain does not tell. */
export function judgeLayoutFindings(world: World, findings: readonly Pick<Finding, 'code' | 'field'>[]): string[] {
  const conflicts = layoutConflictsOf(world);
  return findings.flatMap(({ code, field }) => {
    const isUnfounded =
      (code === 'layout_conflict' && !conflicts.includes(field)) ||
      (code === 'layout_not_possible' && !isPossiblyImpossible(world, field));
    return isUnfounded ? [`${code} of ${JSON.stringify(field)} is unfounded`] : [];
  });
}

function isPossiblyImpossible(world: World, field: FindingField): boolean {
  if (isX402(world)) return field === 'mint' ? callsHook(world) : demandsMemo(world);
  // A hook, many splits or a memo can take more than the compute limit of MPP.
  return isMpp(world) && (callsHook(world) || field === 'splits' || field === 'memo');
}

function demandsMemo(world: World): boolean {
  return payeesOf(world).some(({ tokenAccount }) => tokenAccount === 'memo_required');
}
