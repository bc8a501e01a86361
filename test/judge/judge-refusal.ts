import { type ProblemCode, problems } from '../../src/errors.ts';
import type { ReferenceWorld } from './options-world.ts';
import type { Outcome } from './outcome.ts';
import { fittingCodes } from './reason-fits.ts';
import { safetyRefusals } from './safety-refusals.ts';
import type { RecipientWallet, World } from './world.ts';

// What is refused also where balances and account states are not judged: without it there are no bytes, or none that live.
const unbuildable: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'mint_not_found',
  'not_a_mint',
  'nonce_account_not_found',
  'not_a_nonce_account',
  'nonce_account_not_initialized',
  'nonce_authority_not_a_signer',
  'transaction_too_large',
]);

/** Judges the refusal of what nobody can sign; undefined when everybody who must can. */
export function judgeUndeliverable(world: World, codes: readonly ProblemCode[]): string[] | undefined {
  const sender = world.senderWallet === 'off_curve' ? (['sender_off_curve'] as const) : [];
  const feePayer = world.options.feePayer?.wallet === 'off_curve' ? (['fee_payer_off_curve'] as const) : [];
  const expected: readonly ProblemCode[] = [...sender, ...feePayer];
  if (expected.length === 0) return undefined;
  return expected.filter((code) => !codes.includes(code)).map((code) => `${code} is not named`);
}

/** Judges a refusal by what came of its transaction. `isPoor` says that the payer was below the minimum from the start. */
export function judgeRefusal(world: World, codes: readonly ProblemCode[], outcome: Outcome, isPoor: boolean): string[] {
  if (codes.length === 0) return ['refused without a reason'];
  const faults: string[] = [];
  // Where the request itself is at fault, the chain is not asked.
  const isAboutRequest = codes.some((code) => problems[code].status === 400);
  const isUnchecked = world.options.checks === 'none';
  if (isUnchecked && !isAboutRequest) {
    const unasked = codes.filter((code) => !unbuildable.has(code) && !safetyRefusals.has(code));
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
  if (isUnchecked || fitting === undefined || isAboutRequest || codes.some((code) => fitting.includes(code)))
    return faults;
  return [...faults, `none of the reasons fits the error; one of ${fitting.join(', ')} should be there`];
}

// How long a memo may be is said before the mint is read. What is known only then counts as an address of its own, also when
// it is the recipient or a reference, too; and so do the token accounts of one wallet that sends to itself.
function countsAddressesTwice({ recipientWallet, options }: World): boolean {
  const ofRecipients: readonly RecipientWallet[] = ['sender', 'own_token_account', 'token_program'];
  const ofReferences: readonly ReferenceWorld[] = ['token_program', 'sender_token_account', 'recipient_token_account'];
  return (
    ofRecipients.includes(recipientWallet) || (options.references ?? []).some((each) => ofReferences.includes(each))
  );
}
