import type { Errand } from './trial.ts';

/** A payment, and whose it can be. */
interface Claim {
  signature: string;
  errands: readonly Errand[];
}

/**
 * Gives each payment to one of those whose it can be, nobody two of them; returns the payments that are too many.
 *
 * Two requests that were answered with the same bytes cannot be told apart by what landed.
 */
export function claimsWithoutErrand(claims: readonly Claim[]): readonly Claim[] {
  const payments = new Map<Errand, Claim>();
  const place = (claim: Claim, tried: Set<Errand>): boolean =>
    claim.errands.some((errand) => {
      if (tried.has(errand)) return false;
      tried.add(errand);
      const other = payments.get(errand);
      if (other && !place(other, tried)) return false;
      payments.set(errand, claim);
      return true;
    });
  return claims.filter((claim) => !place(claim, new Set()));
}
