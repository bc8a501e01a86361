import type { Finding } from '../../packages/core/src/findings/finding.ts';
import { type ProblemCode, problems } from '../../packages/server/src/problems.ts';
import { payeesOf } from './asked.ts';
import type { ReferenceWorld } from './options-world.ts';
import type { Outcome } from './outcome.ts';
import { fittingCodes, isOfFailedPayment, sizeCodes } from './reason-fits.ts';
import type { RecipientWallet, World } from './world.ts';

// What is refused also without checks: there are no bytes, or none that can ever land, whatever funding and time change.
const unbuildable: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'mint_not_found',
  'not_a_mint',
  'amount_not_representable',
  'mint_non_transferable',
  'sender_token_account_not_owned',
  'nonce_account_not_found',
  'not_a_nonce_account',
  'nonce_account_not_initialized',
  'nonce_authority_not_a_signer',
  'transaction_too_large',
]);

/** Says whether a reason holds without checks, too: neither funding nor time can change it. */
export function holdsWithoutChecks(code: ProblemCode): boolean {
  return unbuildable.has(code) || safetyRefusals.has(code);
}

/** Says whether there are keys for all who must sign: an address off the curve has none. */
export function canBeSigned({ senderWallet, options }: World): boolean {
  return senderWallet !== 'off_curve' && options.feePayer?.wallet !== 'off_curve';
}

/** Judges a refusal by what came of its transaction. `isPoor` says that the payer was below the minimum from the start. */
export function judgeRefusal(world: World, findings: readonly Finding[], outcome: Outcome, isPoor: boolean): string[] {
  const codes: readonly ProblemCode[] = findings.map(({ code }) => code);
  if (codes.length === 0) return ['refused without a reason'];
  if (outcome.kind === 'too_large' && outcome.leaner) {
    const isRefusedForSize = codes.some((code) => sizeCodes.includes(code));
    if (!isRefusedForSize) return judgeRefusal(world, findings, outcome.leaner, isPoor);
    // With a hook the size is known exactly, unless it is an estimate whether the memo needs a compute limit.
    const isExact = world.options.priorityFee?.kind === 'level' || !world.memo.costly;
    if (isExact && codes.includes('transaction_too_large')) return ['refused for its size, and it fits'];
  }
  const faults: string[] = [];
  // Where the request itself is at fault, the chain is not asked.
  const isAboutRequest = codes.some((code) => problems[code].status === 400);
  const isUnchecked = world.options.checks === 'none';
  if (isUnchecked && !isAboutRequest) {
    const unasked = codes.filter((code) => !holdsWithoutChecks(code));
    if (unasked.length > 0) faults.push(`refused for ${unasked.join(', ')}, which was not to be checked`);
  }
  if (outcome.kind === 'landed') {
    const excused = new Set(safetyRefusals);
    if (isPoor) excused.add('insufficient_sol');
    if (countsAddressesTwice(world)) excused.add('memo_too_long');
    const unfounded = codes.filter((code) => !excused.has(code));
    if (unfounded.length > 0) faults.push(`refused for ${unfounded.join(', ')}, and it lands`);
    return faults;
  }
  const fitting = fittingCodes(outcome, world);
  if (fitting === undefined || isAboutRequest) return faults;
  if (findings.some((finding) => fitting.includes(finding.code) && isOfFailedPayment(finding, outcome))) return faults;
  // Without checks only what nothing can change must be named.
  const mustBeNamed =
    !isUnchecked || fitting.every((code) => holdsWithoutChecks(code) || problems[code].status === 400);
  if (!mustBeNamed) return faults;
  return [...faults, `none of the reasons fits the error; one of ${fitting.join(', ')} should be there`];
}

// How long a memo may be is said before the mint is read. What is known only then counts as an address of its own, also when
// it is the recipient or a reference, too; and so do the token accounts of one wallet that sends to itself.
function countsAddressesTwice(world: World): boolean {
  const ofRecipients: readonly RecipientWallet[] = ['sender', 'own_token_account', 'token_program'];
  const ofReferences: readonly ReferenceWorld[] = ['token_program', 'sender_token_account', 'recipient_token_account'];
  return (
    payeesOf(world).some(({ wallet }) => ofRecipients.includes(wallet)) ||
    (world.options.references ?? []).some((each) => ofReferences.includes(each))
  );
}

/** The codes of refusals of what could land: each is marked as such in the table of problems, with its reason. */
export const safetyRefusals: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'memo_too_costly',
  'memo_holds_api_key',
  'same_wallet',
  'sender_not_a_wallet',
  'fee_payer_not_a_wallet',
  'priority_fee_too_high',
  'recipient_token_account_not_owned',
  'recipient_is_token_account',
  'recipient_is_mint',
  'recipient_is_program',
  'recipient_multisig_of_other_program',
  'recipient_not_a_wallet',
  'recipient_off_curve',
  'recipient_is_reserved',
  'tip_account_not_payable',
  'sponsor_not_configured',
  'sponsor_refused',
  'sponsor_fee_too_high',
  'transfer_hook_unresolvable',
  'transfer_hook_names_signer',
  'transaction_too_costly',
  'mint_too_large',
  'layout_conflict',
  'layout_not_possible',
  'nonce_for_several_transactions',
  'nothing_received',
  'blockhash_not_valid',
]);
