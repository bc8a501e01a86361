import { tokenMintKinds } from '../setup/token-mint-kinds.ts';
import type { SituationPlan } from './situation.ts';

/** A row of the table of token support. */
export interface SupportRow {
  /** Stable, and the name of its test. */
  id: string;
  /** The mint kind or account state, in words. */
  words: string;
  plan: SituationPlan;
}

/** Two rows: the same state of an account of SPL Token, and of Token-2022. */
export function underBothPrograms(id: string, words: string, plan: Omit<SituationPlan, 'kind'>): SupportRow[] {
  return [
    { id: `${id}-classic`, words: `${words} (SPL Token)`, plan: { kind: tokenMintKinds['classic-6'], ...plan } },
    { id: `${id}-2022`, words: `${words} (Token-2022)`, plan: { kind: tokenMintKinds['2022-plain'], ...plan } },
  ];
}
