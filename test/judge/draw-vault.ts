import { drawMemo } from './draw-transfer.ts';
import { Random } from './random.ts';
import { tokenAclOf } from './token-acl.ts';
import type { LamportLevel, World } from './world.ts';

// A vault pays rent alone, and no fee.
const levels: readonly LamportLevel[] = [
  'none',
  'one',
  'fee_and_rent_less_one',
  'fee_and_rent',
  'fee_and_rent_and_one',
  'all_less_one',
  'all',
  'plenty',
];

/** Lets some transfers be from a vault, without what a proposal has not, from draws of their own: all others stay what they are. */
export function drawVault(world: World): World {
  const { transfer, mint, options, senderTokenAccount } = world;
  if (!transfer || transfer.layout || transfer.wraps || transfer.unwraps || transfer.amountText === 'max') return world;
  // Only a simulation shows that a gate program thaws nothing, and a proposal has none.
  if (tokenAclOf(mint) === 'blocking') return world;
  const random = new Random(`splwright judge seed ${world.seed} world ${world.number} vault`);
  if (!random.chance(0.12)) return world;
  const { feePayer: _, priorityFee: __, nonceAccount: ___, ...others } = options;
  return {
    ...world,
    senderWallet: 'vault',
    lamports: random.chance(0.5) ? 'plenty' : random.pick(levels),
    // No program may turn this guard on.
    senderTokenAccount: senderTokenAccount === 'cpi_guard' ? 'open' : senderTokenAccount,
    memo: drawMemo(random, false),
    // The program that stands for a multisig is made for so many accounts.
    transfer: { ...transfer, splits: transfer.splits.slice(0, 2) },
    options: { ...others, transactionVersion: random.pick(['legacy', 0] as const) },
  };
}
