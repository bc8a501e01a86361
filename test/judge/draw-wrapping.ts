import { Random } from './random.ts';
import type { World } from './world.ts';

/** Lets most transfers of wrapped SOL wrap what is missing, or unwrap what is left, from draws of their own: all others stay what they are. */
export function drawWrapping(world: World): World {
  const { transfer, mint } = world;
  if (!transfer || transfer.layout !== undefined || mint.kind !== 'native') return world;
  const random = new Random(`splwright judge seed ${world.seed} world ${world.number} wrapping`);
  if (!random.chance(0.7)) return world;
  const wraps = transfer.amountText !== 'max' && random.chance(0.8);
  const asking: World = { ...world, transfer: { ...transfer, wraps, unwraps: !wraps || random.chance(0.5) } };
  if (!wraps || random.chance(0.3)) return asking;
  const guarded = mint.tokenProgram === 'token_2022' ? 1 : 0;
  asking.senderTokenAccount = random.weighted({ missing: 4, prefunded: 1, open: 4, cpi_guard: guarded });
  asking.balance = random.pick(['zero', 'one_less', 'exact', 'plenty'] as const);
  return asking;
}
