import { type TokenMintKind, tokenMintKinds } from '../setup/token-mint-kinds.ts';
import type { SupportRow } from './support-row.ts';

const oneFeeUnit: readonly SupportRow[] = [
  {
    id: 'mint-2022-fee-rounds-up',
    words: 'transfer fee of 1 %, 1 base unit sent: all of it is the fee',
    plan: { kind: tokenMintKinds['2022-fee-1-percent'], amount: 1n },
  },
  {
    id: 'mint-2022-fee-at-most',
    words: 'transfer fee of 1 %, at most 5,000: a million sent',
    plan: { kind: tokenMintKinds['2022-fee-1-percent'], amount: 1_000_000n },
  },
];

/** A row for every mint kind: into an account that is there, or one that is created. */
export const mintRows: readonly SupportRow[] = [
  ...Object.entries<TokenMintKind>(tokenMintKinds).map(([name, kind]) => ({
    id: `mint-${name}`,
    words: kind.words.replace('Token-2022, ', ''),
    plan: kind.finish === 'add_unknown_extension' ? { kind, recipientHasTokenAccount: true } : { kind },
  })),
  ...oneFeeUnit,
];
