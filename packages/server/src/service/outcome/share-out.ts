/** A transaction that wants one of the landed ones, of which each is only one of them. */
export interface Claim {
  /** The landed ones that it can be, as indices, the oldest first. */
  options: readonly number[];
}

/**
 * Gives each claim at most one of its options, no option to two claims, and as many claims as possible one.
 *
 * Earlier claims get older options where that is possible. Returns the option of each claim, undefined for none.
 */
export function shareOut(claims: readonly Claim[]): readonly (number | undefined)[] {
  const ownerOf = new Map<number, number>();
  // Kuhn's algorithm: a claim takes an option that is free, or whose owner finds another one.
  const tryToOwn = (claim: number, tried: Set<number>): boolean =>
    claims[claim]?.options.some((option) => {
      if (tried.has(option)) return false;
      tried.add(option);
      const owner = ownerOf.get(option);
      if (owner !== undefined && !tryToOwn(owner, tried)) return false;
      ownerOf.set(option, claim);
      return true;
    }) ?? false;
  for (const claim of claims.keys()) tryToOwn(claim, new Set());
  const given: (number | undefined)[] = claims.map(() => undefined);
  for (const [option, owner] of ownerOf) given[owner] = option;
  return given;
}
