import { withheldOf } from './asked.ts';
import { Random } from './random.ts';
import type { World } from './world.ts';

/** Lets some worlds of the operation `transfer` ask for what must arrive, from draws of their own: all others stay what they are. */
export function drawAskedAmount(world: World): World {
  const { transfer } = world;
  const random = new Random(`splwright judge seed ${world.seed} world ${world.number} asked amount`);
  if (transfer?.amountText !== 'base_units' || !random.chance(0.3)) return world;
  const amountText = random.pick(['received', 'received_decimal'] as const);
  const amount = leastForSame(world);
  return amount === undefined ? world : { ...world, amount, transfer: { ...transfer, amountText } };
}

// Of a mint that withholds a share, the next base unit sent may be withheld. Undefined where nothing arrives.
function leastForSame(world: World): bigint | undefined {
  const arriving = (amount: bigint): bigint => amount - withheldOf(world, amount);
  const received = arriving(world.amount);
  if (received === 0n) return undefined;
  let { amount } = world;
  while (arriving(amount - 1n) === received) amount -= 1n;
  return amount;
}
