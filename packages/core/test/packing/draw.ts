/** Returns numbers from 0 up to a bound, the bound not included: the same for the same seed. */
export type Draw = (below: number) => number;

/** Returns what draws the numbers of a seed. */
export function drawFrom(seed: number): Draw {
  let state = seed;
  return (below) => {
    // A linear congruential generator with the constants of "Numerical Recipes"; its high bits are the random ones.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
