import { drawLayout } from './draw-layout.ts';
import { drawMemo } from './draw-memo.ts';
import { drawMint } from './draw-mint.ts';
import { drawOptions } from './draw-options.ts';
import { drawOddTokenAccount, senderTokenAccountsOf } from './draw-token-account.ts';
import { drawTransfer } from './draw-transfer.ts';
import { Random } from './random.ts';
import {
  type BalanceLevel,
  type LamportLevel,
  lamportLevels,
  type MintWorld,
  recipientWallets,
  type World,
} from './world.ts';

// How often each aspect is the odd one.
const aspects = {
  mint: 4,
  memo: 2,
  sender_wallet: 1,
  lamports: 3,
  sender_token_account: 2,
  balance: 1,
  recipient_wallet: 3,
  recipient_token_account: 4,
} as const;
type Aspect = keyof typeof aspects;

/**
 * Draws a world, always the same one for a seed and a number. In about half of them the transfer lands.
 *
 * The options come last, so that all the rest is what it is without them; and then, from draws of its own, whether the world
 * is one of the operation `transfer` instead; and from others again, in which layout.
 */
export function drawWorld(seed: number, number: number): World {
  const random = new Random(`splwright judge seed ${seed} world ${number}`);
  const odd = drawOddAspects(random);
  const operation = random.weighted({ create_transfer: 4, memo_transfer: 4, yid_transfer: 2 });
  const mint = drawMint(random, odd.has('mint'));
  const world: World = {
    seed,
    number,
    operation,
    mint,
    amount: drawAmount(random, mint),
    memo: drawMemo(random, odd.has('memo') || (isHooked(mint) && random.chance(0.3))),
    senderWallet: 'system',
    lamports: 'plenty',
    senderTokenAccount: 'open',
    balance: random.pick<BalanceLevel>(['exact', 'plenty', 'plenty']),
    recipientWallet: random.pick(['funded', 'unfunded'] as const),
    recipientTokenAccount: operation === 'create_transfer' && random.chance(0.6) ? 'missing' : 'open',
    options: {},
  };
  if (odd.has('sender_wallet')) {
    world.senderWallet = random.weighted({ foreign_program: 3, nonce: 2, system_with_data: 2, off_curve: 1 });
  }
  if (odd.has('lamports')) world.lamports = random.pick(Object.keys(lamportLevels) as LamportLevel[]);
  if (odd.has('sender_token_account')) world.senderTokenAccount = random.pick(senderTokenAccountsOf(mint));
  if (odd.has('balance')) world.balance = random.pick<BalanceLevel>(['zero', 'one_less', 'one_less', 'exact']);
  if (odd.has('recipient_wallet')) world.recipientWallet = random.pick(recipientWallets);
  if (odd.has('recipient_token_account')) {
    const drawn = drawOddTokenAccount(random, mint);
    world.recipientTokenAccount = drawn.state;
    world.mint = drawn.mint;
  }
  // A hook and a memo that the recipient demands share the memory of Token-2022.
  if (isHooked(mint) && world.recipientTokenAccount === 'open' && random.chance(0.15)) {
    world.recipientTokenAccount = 'memo_required';
  }
  return drawLayout(drawTransfer(drawOptions(random, makePossible(world))));
}

/** Takes out of a world what no chain can hold. */
function makePossible(world: World): World {
  const { mint } = world;
  // Token accounts are made for mints only.
  if (mint.kind === 'oddity') return { ...world, senderTokenAccount: 'missing', recipientTokenAccount: 'missing' };
  const isOfTheFuture = mint.kind === 'token_2022' && mint.extensions.some(({ kind }) => kind === 'unknown_type');
  const hasRecipientAccount = !['missing', 'prefunded_less', 'prefunded_more'].includes(world.recipientTokenAccount);
  // The token program of today makes no accounts for a mint that it cannot have made itself.
  if (isOfTheFuture && !hasRecipientAccount) return { ...world, recipientTokenAccount: 'open' };
  return world;
}

function drawOddAspects(random: Random): ReadonlySet<Aspect> {
  const count = random.pick([0, 0, 1, 1, 1, 1, 2, 2, 3]);
  return new Set(Array.from({ length: count }, () => random.weighted<Aspect>(aspects)));
}

// A memo and a hook share one compute limit.
function isHooked(mint: MintWorld): boolean {
  return mint.kind === 'token_2022' && mint.extensions.some(({ kind }) => kind === 'transfer_hook');
}

function drawAmount(random: Random, mint: MintWorld): bigint {
  const bits = random.pick([0, 1, 7, 20, 30, 40, 63]);
  // Lamports back wrapped SOL: no more than the ledger has.
  const max = 2n ** BigInt(mint.kind === 'native' ? Math.min(bits, 40) : bits);
  const wide = BigInt(random.integer(0, 2 ** 32 - 1)) * 2n ** 32n + BigInt(random.integer(0, 2 ** 32 - 1));
  return random.pick([max, 1n + (wide % max)]);
}
