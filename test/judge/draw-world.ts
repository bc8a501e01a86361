import { isMissing } from './asked.ts';
import { drawAskedAmount } from './draw-asked-amount.ts';
import { addExtension, drawMint } from './draw-mint.ts';
import { drawOptions } from './draw-options.ts';
import { drawMemo, drawOddTokenAccount, drawTransfer, senderTokenAccountsOf } from './draw-transfer.ts';
import { drawVault } from './draw-vault.ts';
import { drawWrapping } from './draw-wrapping.ts';
import type { OptionsWorld, PriorityFeeWorld } from './options-world.ts';
import { Random } from './random.ts';
import {
  type BalanceLevel,
  type LamportLevel,
  lamportLevels,
  type MemoWorld,
  type MintWorld,
  recipientWallets,
  type TransferWorld,
  tokenAclWorlds,
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
 * is one of the operation `transfer` instead; and from others again, in which layout, whether Token ACL thaws, what it asks to arrive,
 * what it wraps, and whether it is from a vault.
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
  const transfer = drawTransfer(drawOptions(random, makePossible(world)));
  return drawVault(drawWrapping(drawAskedAmount(drawTokenAcl(drawLayout(transfer)))));
}

/** Lets the Token ACL program thaw the accounts of some mints, from draws of its own: all other worlds stay what they are. */
function drawTokenAcl(world: World): World {
  const random = new Random(`splwright judge seed ${world.seed} world ${world.number} token acl`);
  const { mint } = world;
  if (mint.kind !== 'token_2022') return world;
  const isFrozen = mint.extensions.some((each) => each.kind === 'default_account_state' && each.frozen);
  if (!random.chance(isFrozen ? 0.7 : 0.1)) return world;
  const extensions = [...mint.extensions];
  addExtension(extensions, { kind: 'default_account_state', frozen: true, tokenAcl: random.pick(tokenAclWorlds) });
  const isRefrozen = world.recipientTokenAccount === 'open' && random.chance(0.4);
  return { ...world, mint: { ...mint, extensions }, ...(isRefrozen && { recipientTokenAccount: 'frozen' as const }) };
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

/**
 * Makes some worlds of the operation `transfer` ask for the x402 layout, or for that of MPP, from draws of its own: all others stay what they are.
 *
 * What the layout has no room for is mostly taken out, and sometimes left, or put in.
 */
function drawLayout(world: World): World {
  const { transfer } = world;
  if (!transfer) return world;
  const random = new Random(`splwright judge seed ${world.seed} world ${world.number} layout`);
  if (!random.chance(0.18)) return random.chance(0.12) ? drawMpp(random, world, transfer) : world;
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

// As for the other layout; but splits, their creation and any fee payer have room.
function drawMpp(random: Random, world: World, transfer: TransferWorld): World {
  const { nonceAccount, transactionVersion, priorityFee, ...others } = world.options;
  const options: OptionsWorld = { ...others };
  if (nonceAccount && random.chance(0.15)) options.nonceAccount = nonceAccount;
  if (transactionVersion !== undefined && (transactionVersion !== 1 || random.chance(0.15))) {
    options.transactionVersion = transactionVersion;
  }
  if (priorityFee) options.priorityFee = drawPrice(random);
  const asking: World = { ...world, options, transfer: { ...transfer, layout: 'mpp' } };
  // Most others need more than the compute limit of this layout.
  const plainMemo = { text: 'a'.repeat(random.integer(1, 200)), costly: false };
  asking.memo = random.chance(0.8) ? plainMemo : drawShortMemo(random);
  if (isMissing(world.recipientTokenAccount) && world.mint.kind !== 'oddity' && random.chance(0.8)) {
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
