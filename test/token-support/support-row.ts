import { tokenMintKinds } from '../setup/token-mint-kinds.ts';
import type { SituationPlan } from './situation.ts';

/** A row of the table of token support. */
export interface SupportRow {
  /** Stable, and the name of its test. */
  id: string;
  /** The mint kind or account state, in words. Rows of a table with the same words have the same cells, and are one line. */
  words: string;
  plan: SituationPlan;
}

/** Two rows: the same state of an account of SPL Token, and of Token-2022, which treat it alike. */
export function underBothPrograms(id: string, words: string, plan: Omit<SituationPlan, 'kind'>): SupportRow[] {
  return [
    { id: `${id}-classic`, words, plan: { kind: tokenMintKinds['classic-6'], ...plan } },
    { id: `${id}-2022`, words, plan: { kind: tokenMintKinds['2022-plain'], ...plan } },
  ];
}

/** Two rows as those of `underBothPrograms`, where the programs fail with different errors. */
export function underEachProgram(id: string, words: string, plan: Omit<SituationPlan, 'kind'>): SupportRow[] {
  const programs = ['SPL Token', 'Token-2022'];
  return underBothPrograms(id, words, plan).map((row, index) => ({ ...row, words: `${words} (${programs[index]})` }));
}
