import { totalOf, withheldOf } from './asked.ts';
import { Random } from './random.ts';
import type { World } from './world.ts';

/** Lets some worlds of the operation `transfer` ask for what must arrive, or for all there is, from draws of their own: all others stay what they are. */
export function drawAskedAmount(world: World): World {
  const { transfer } = world;
  const random = new Random(`splwright judge seed ${world.seed} world ${world.number} asked amount`);
  if (transfer?.amountText !== 'base_units' || !random.chance(0.3)) return world;
  const amountText = random.pick(['received', 'received_decimal', 'max', 'max'] as const);
  if (amountText === 'max') {
    return isAll(world) ? { ...world, balance: 'exact', transfer: { ...transfer, amountText } } : world;
  }
  const amount = leastForSame(world);
  return amount === undefined ? world : { ...world, amount, transfer: { ...transfer, amountText } };
}

// Whether the amount is what a balance of just the sum leaves to the recipient.
function isAll(world: World): boolean {
  const { senderTokenAccount, options } = world;
  return totalOf(world) < 2n ** 64n && senderTokenAccount !== 'delegate_is_owner_for_less' && options.checks !== 'none';
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
