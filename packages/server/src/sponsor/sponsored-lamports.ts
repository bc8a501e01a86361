import type { KeyRestrictions } from '../keys/authenticated-key.ts';
import { type BuiltAmount, sponsoredLamports } from '../keys/usage/daily-amounts.ts';
import { AppError } from '../problems.ts';

/** The lamports that a sponsor pays at most for some transactions. */
export interface SponsoredCosts {
  /** Network fees, priority fees and rent. */
  lamports: bigint;
  /** Part of them, for token accounts that would be created. */
  rent: bigint;
}

/** Throws `key_not_allowed` where a sponsor would pay rent that it may not pay for the API key. */
export function assertRentAllowed(
  { rent }: SponsoredCosts,
  { sponsorsRent }: Pick<KeyRestrictions, 'sponsorsRent'>,
): void {
  if (rent === 0n || sponsorsRent) return;
  const detail =
    `This API key may not have the sponsor pay rent, which is ${rent} lamports for the token accounts that would be created. Have the ` +
    'recipient create the token account first, and leave out create_token_account "always"; or ask the operator to allow it: keys update ' +
    '--sponsor-rent.';
  throw new AppError('key_not_allowed', detail, {
    findings: [{ code: 'key_not_allowed', pointer: '/fee_payer', detail }],
  });
}

/** Returns the costs of what a request builds, as they count towards the daily limit of its API key. */
export function countedCosts({ lamports }: SponsoredCosts): BuiltAmount {
  return { mint: sponsoredLamports, amount: lamports, pointer: '/fee_payer' };
}
