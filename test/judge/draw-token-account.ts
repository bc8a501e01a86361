import { addExtension } from './draw-mint.ts';
import type { Random } from './random.ts';
import type { MintWorld, RecipientTokenAccount, SenderTokenAccount } from './world.ts';

function isToken2022(mint: MintWorld): boolean {
  return mint.kind === 'token_2022' || (mint.kind !== 'classic' && mint.tokenProgram === 'token_2022');
}

/** The odd states that a sender's token account can have with a mint. */
export function senderTokenAccountsOf(mint: MintWorld): readonly SenderTokenAccount[] {
  const everywhere = [
    'missing',
    'prefunded',
    'frozen',
    'delegate',
    'delegate_is_owner_for_less',
    'delegate_is_owner_for_enough',
  ] as const;
  // The owner of an associated account cannot be changed under Token-2022, which alone has extensions.
  return isToken2022(mint) ? [...everywhere, 'cpi_guard', 'memo_required'] : [...everywhere, 'owner_changed'];
}

/** Draws an odd state of a recipient's token account; the mint may need an extension for it. */
export function drawOddTokenAccount(
  random: Random,
  mint: MintWorld,
): { state: RecipientTokenAccount; mint: MintWorld } {
  const states: RecipientTokenAccount[] = ['missing', 'missing', 'prefunded_less', 'prefunded_more', 'frozen'];
  if (isToken2022(mint)) states.push('memo_required', 'memo_required', 'memo_not_required', 'cpi_guard');
  else states.push('owner_changed', 'owner_changed');
  if (mint.kind === 'token_2022') states.push('confidential', 'confidential_only');
  const state = random.pick(states);
  const isConfidential = state === 'confidential' || state === 'confidential_only';
  if (mint.kind !== 'token_2022' || !isConfidential) return { state, mint };
  const extensions = [...mint.extensions];
  addExtension(extensions, { kind: 'confidential_transfer' });
  return { state, mint: { ...mint, extensions } };
}
