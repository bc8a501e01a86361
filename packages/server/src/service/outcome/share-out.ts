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
  // Kuhn's algorithm: a claim takes the first free option, or else one whose owner finds another one.
  const tryToOwn = (claim: number, tried: Set<number>): boolean => {
    const options = claims[claim]?.options ?? [];
    const free = options.find((option) => !ownerOf.has(option));
    const taken = free ?? options.find((option) => !tried.has(option) && canBeLeft(option, tried));
    if (taken === undefined) return false;
    ownerOf.set(taken, claim);
    return true;
  };
  const canBeLeft = (option: number, tried: Set<number>): boolean => {
    const owner = ownerOf.get(option);
    return owner !== undefined && tryToOwn(owner, tried.add(option));
  };
  for (const claim of claims.keys()) tryToOwn(claim, new Set());
  const given: (number | undefined)[] = claims.map(() => undefined);
  for (const [option, owner] of ownerOf) given[owner] = option;
  return given;
}
