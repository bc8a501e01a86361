import { isMissing } from './asked.ts';
import type { OptionsWorld, PriorityFeeWorld } from './options-world.ts';
import { Random } from './random.ts';
import type { TransferWorld } from './transfer-world.ts';
import { type LamportLevel, lamportLevels, type MemoWorld, type World } from './world.ts';

/**
 * Makes some worlds of the operation `transfer` ask for the x402 layout, from draws of its own: all others stay what they are.
 *
 * What the layout has no room for is mostly taken out, and sometimes left, or put in.
 */
export function drawLayout(world: World): World {
  const { transfer } = world;
  if (!transfer) return world;
  const random = new Random(`splwright judge seed ${world.seed} world ${world.number} layout`);
  if (!random.chance(0.18)) return world;
  const asking: World = {
    ...world,
    memo: drawShortMemo(random),
    transfer: drawX402Transfer(random, transfer),
    options: drawX402Options(random, world.options),
  };
  // No token account is created; where there is no mint there are none.
  if (isMissing(world.recipientTokenAccount) && world.mint.kind !== 'oddity' && random.chance(0.9)) {
    asking.recipientTokenAccount = 'open';
  }
  return asking;
}

function drawX402Transfer(random: Random, transfer: TransferWorld): TransferWorld {
  const createTokenAccount = random.weighted({ if_missing: 20, never: 10, always: 1 });
  return { ...transfer, layout: 'x402', createTokenAccount, splits: random.chance(0.05) ? transfer.splits : [] };
}

function drawX402Options(random: Random, asked: OptionsWorld): OptionsWorld {
  const { feePayer, nonceAccount, transactionVersion, priorityFee: _, ...others } = asked;
  const options: OptionsWorld = { ...others };
  const hasFeePayer = random.chance(0.96);
  const lamports = random.chance(0.9) ? 'plenty' : random.pick(Object.keys(lamportLevels) as LamportLevel[]);
  const plainPayer = { wallet: 'wallet', lamports } as const;
  if (hasFeePayer) options.feePayer = random.chance(0.9) || !feePayer ? plainPayer : feePayer;
  if (nonceAccount && random.chance(0.15)) options.nonceAccount = nonceAccount;
  if (transactionVersion !== undefined && (transactionVersion !== 1 || random.chance(0.15))) {
    options.transactionVersion = transactionVersion;
  }
  if (random.chance(0.6)) options.priorityFee = drawPrice(random);
  if (random.chance(0.03)) options.references = [...(options.references ?? []).slice(0, 9), 'fee_payer'];
  return options;
}

function drawPrice(random: Random): PriorityFeeWorld {
  const kind = random.weighted({ none: 2, price: 5, level: 4 });
  switch (kind) {
    case 'none':
      return { kind };
    case 'price':
      return { kind, price: random.pick([0n, 0n, 1n, 1n, 999n, 50_000n, 1_000_000n, 5_000_000n, 5_000_001n]) };
    case 'level': {
      const max = random.pick([0, 1_000, 100_000, 10_000_000, 10 ** 9]);
      const length = random.pick([0, 1, 3, 20]);
      const recentPrices = Array.from({ length }, () => BigInt(random.integer(0, max)));
      return { kind, level: random.pick(['low', 'medium', 'high'] as const), recentPrices };
    }
  }
}

// Of the most bytes that the layout takes, and of some more or fewer.
function drawShortMemo(random: Random): MemoWorld {
  const character = random.pick(['a', 'é', '漢', '😀', '\u0001']);
  const bytes = random.weighted({ few: 22, at_maximum: 6, beyond: 1, far_beyond: 1 });
  const lengths = { few: random.integer(1, 40), at_maximum: 256, beyond: 257, far_beyond: random.integer(258, 700) };
  const size = Buffer.byteLength(character);
  const count = Math.max(1, Math.floor(lengths[bytes] / size));
  const rest = 'a'.repeat(Math.max(0, lengths[bytes] - count * size));
  return { text: `${character.repeat(count)}${rest}`, costly: size > 2 || character === '\u0001' };
}
