import type { FeeWorld, World } from '../world.ts';

/** Says whether the mint of a world may withhold all of a payment: by the fee in force, or by the one that is in force later. */
export function takesAll({ mint }: World, amount: bigint): boolean {
  if (mint.kind !== 'token_2022') return false;
  return mint.extensions.some((extension) => {
    if (extension.kind !== 'transfer_fee') return false;
    const { older, newer, newerCounts } = extension;
    return takesAllBy(newer, amount) || (newerCounts === 'later' && takesAllBy(older, amount));
  });
}

function takesAllBy({ basisPoints, maximumFee }: FeeWorld, amount: bigint): boolean {
  // Rounded up: one base unit less than the amount is not enough.
  return maximumFee >= amount && BigInt(basisPoints) * amount > 10_000n * (amount - 1n);
}
