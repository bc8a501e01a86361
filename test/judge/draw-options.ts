import { callsHook } from './asked.ts';
import {
  type FeePayerWallet,
  freshReferences,
  knownReferences,
  type NonceWorld,
  type OptionsWorld,
  type PriorityFeeWorld,
  type ReferenceWorld,
  unusableNonceStates,
  usableNonceStates,
} from './options-world.ts';
import type { Random } from './random.ts';
import { type LamportLevel, lamportLevels, type SenderWallet, type World } from './world.ts';

// How often each option is asked for, where any is.
const optionWeights = {
  fee_payer: 5,
  priority_fee: 4,
  nonce_account: 4,
  transaction_version: 5,
  references: 3,
  memo_on_create: 3,
  allow_off_curve_recipient: 2,
  checks: 2,
} as const;
type Option = keyof typeof optionWeights;

const signingSenders: readonly SenderWallet[] = ['foreign_program', 'nonce', 'system_with_data', 'multisig'];

/** Adds one to three options to about two worlds in five. Everything else about a world was drawn before. */
export function drawOptions(random: Random, world: World): World {
  if (!random.chance(0.4)) return world;
  const count = random.pick([1, 1, 2, 2, 3]);
  const drawn = new Set(Array.from({ length: count }, () => random.weighted<Option>(optionWeights)));
  const creates = world.operation === 'create_transfer';
  const options: OptionsWorld = {};
  const asking: World = { ...world, options };
  if (drawn.has('fee_payer')) drawFeePayer(random, asking);
  if (drawn.has('priority_fee')) options.priorityFee = drawPriorityFee(random);
  if (drawn.has('nonce_account')) options.nonceAccount = drawNonce(random);
  if (drawn.has('transaction_version')) options.transactionVersion = random.pick(['legacy', 0, 0, 1, 1, 1] as const);
  if (drawn.has('references')) options.references = drawReferences(random);
  // Only version 1 has room for the accounts of a hook and many references.
  if (callsHook(world) && options.references && random.chance(0.5)) options.transactionVersion = 1;
  if (drawn.has('memo_on_create') && creates) options.memoField = random.pick(['memo', 'yid'] as const);
  if (drawn.has('allow_off_curve_recipient')) drawOffCurveRecipient(random, asking);
  if (drawn.has('checks')) options.checks = random.pick(['none', 'none', 'none', 'full'] as const);
  const hasMemo = !creates || options.memoField !== undefined;
  if (hasMemo && random.chance(options.transactionVersion === 1 ? 0.4 : 0.2))
    asking.memo = drawFillingMemo(random, asking);
  return asking;
}

// With another payer the sender may be anything that can sign, without a lamport.
function drawFeePayer(random: Random, world: World): void {
  const isPayable = world.recipientWallet === 'funded' || world.recipientWallet === 'unfunded';
  const wallet = random.weighted<FeePayerWallet>({
    wallet: 16,
    sender: 1,
    recipient: 2,
    foreign_program: 1,
    system_with_data: 1,
    nonce: 1,
    off_curve: 1,
  });
  const lamports = random.chance(0.6) ? 'plenty' : random.pick(Object.keys(lamportLevels) as LamportLevel[]);
  world.options.feePayer = { wallet: wallet === 'recipient' && !isPayable ? 'wallet' : wallet, lamports };
  if (wallet === 'sender' || world.senderWallet === 'off_curve') return;
  if (random.chance(0.4)) world.lamports = 'none';
  if (random.chance(0.3)) {
    world.senderWallet = random.pick(signingSenders);
    world.lamports = 'plenty';
  }
}

function drawPriorityFee(random: Random): PriorityFeeWorld {
  const kind = random.weighted({ none: 1, level: 5, price: 5, at_maximum: 3 });
  switch (kind) {
    case 'none':
      return { kind };
    case 'price':
      return { kind, price: random.pick([0n, 1n, 999n, 50_000n, 1_000_000n, 10n ** 9n, 2n ** 64n - 1n]) };
    case 'at_maximum':
      return { kind, above: random.pick([0n, 0n, 1n]) };
    case 'level': {
      const length = random.pick([0, 1, 2, 3, 4, 10, 20, 150]);
      const max = random.pick([0, 1_000, 100_000, 10 ** 9]);
      const recentPrices = Array.from({ length }, () => BigInt(random.integer(0, max)));
      return { kind, level: random.pick(['low', 'medium', 'high'] as const), recentPrices };
    }
  }
}

function drawNonce(random: Random): NonceWorld {
  const state = random.chance(0.6) ? random.pick(usableNonceStates) : random.pick(unusableNonceStates);
  return { state, sentLate: random.chance(0.4) };
}

function drawReferences(random: Random): readonly ReferenceWorld[] {
  const references: ReferenceWorld[] = freshReferences.slice(0, random.integer(0, freshReferences.length));
  if (references.length > 0 && random.chance(0.4))
    references[random.integer(0, references.length - 1)] = random.pick(knownReferences);
  return references;
}

function drawOffCurveRecipient(random: Random, world: World): void {
  world.options.allowOffCurveRecipient = random.chance(0.8);
  const isPlain = world.recipientWallet === 'funded' || world.recipientWallet === 'unfunded';
  if (!isPlain || world.options.feePayer?.wallet === 'recipient' || random.chance(0.3)) return;
  world.recipientWallet = random.pick(['off_curve', 'off_curve_funded', 'foreign_account_off_curve'] as const);
}

/**
 * Draws a memo that leaves no room, or one byte of it, or one too few.
 *
 * With a hook only the service knows whether the memo needs a compute limit, which takes room.
 */
export function drawFillingMemo(random: Random, world: World): World['memo'] {
  const { transactionVersion, priorityFee } = world.options;
  const setsLimit = transactionVersion === 1 || priorityFee?.kind === 'level' || priorityFee?.kind === 'at_maximum';
  const beyondLimit = random.pick(callsHook(world) && !setsLimit ? [-400, -1, 0] : [-400, -1, 0, 0, 1]);
  return { text: random.pick(['a', 'Invoice 7. ']), costly: callsHook(world), beyondLimit };
}
