import { drawMint } from '../draw-mint.ts';
import { drawOddTokenAccount, senderTokenAccountsOf } from '../draw-transfer.ts';
import { type PriorityFeeWorld, unusableNonceStates, usableNonceStates } from '../options-world.ts';
import { Random } from '../random.ts';
import { type BalanceLevel, type MintWorld, type RecipientTokenAccount, recipientWallets } from '../world.ts';
import {
  type BatchLamports,
  type BatchWorld,
  batchLamports,
  type TokenOfBatch,
  type TransferOfBatch,
} from './batch-world.ts';

// One in so many batches is as large as they may be.
const largeEvery = 150;
const maxSum = 2n ** 64n - 1n;

/** Draws a batch, always the same one for a seed and a number. More than half of them land. */
export function drawBatch(seed: number, number: number): BatchWorld {
  const random = new Random(`splwright judge seed ${seed} batch ${number}`);
  const isLarge = number % largeEvery === largeEvery - 1;
  const mint = drawBatchMint(random, isLarge);
  const size = isLarge ? 1_000 : random.pick([1, 2, 3, 5, 8, 12, random.integer(1, 60), random.integer(20, 60)]);
  const isOdd = random.chance(0.3);
  const creation = random.weighted({ if_missing: 7, always: 2, never: 1 });
  // Some pay one wallet the same again and again.
  const isMonotonous = size > 12 && random.chance(0.1);
  const drawn = drawProfile(random, mint, creation);
  const profile = isMonotonous
    ? { ...drawn, repeatedShare: 1, repeatsAll: true, memoShare: 1, memoLength: 350 }
    : drawn;
  const batch: BatchWorld = {
    seed,
    number,
    mint,
    otherTokens: [],
    transfers: [],
    creation,
    version: random.pick(['legacy', 0, 1]),
    isSponsored: random.chance(0.35),
    priorityFee: random.chance(0.35) ? drawPriorityFee(random) : undefined,
    nonceState: random.chance(size < 12 ? 0.15 : 0.03) ? drawNonce(random) : undefined,
    senderTokenAccount: 'open',
    balance: random.pick<BalanceLevel>(['exact', 'plenty']),
    lamports: random.chance(0.45) ? random.pick(Object.keys(batchLamports) as BatchLamports[]) : 'plenty',
    allowsOffCurveRecipient: random.chance(0.5),
  };
  const transfers: TransferOfBatch[] = [];
  for (let index = 0; index < size; index += 1) transfers.push(drawTransfer(random, batch, profile, transfers));
  batch.transfers = transfers;
  drawSender(random, batch);
  if (isOdd) drawOdd(random, batch);
  drawOtherTokens(batch, isLarge);
  return keepSumPossible(batch);
}

// What only some mints let a token account be stays with the token of the batch.
const ofAnyMint: readonly RecipientTokenAccount[] = ['open', 'missing', 'prefunded_less', 'prefunded_more', 'frozen'];

// Lets some batches pay several tokens, from draws of its own: all others stay what they are.
function drawOtherTokens(batch: BatchWorld, isLarge: boolean): void {
  const random = new Random(`splwright judge seed ${batch.seed} batch ${batch.number} tokens`);
  if (batch.transfers.length < 2 || !random.chance(0.35)) return;
  batch.otherTokens = Array.from({ length: random.pick([1, 1, 2, 4]) }, (_, index) => {
    const drawn = drawBatchMint(random, isLarge);
    // There are two native mints only, and the batch may have one.
    const mint = drawn.kind === 'native' ? ({ kind: 'classic', decimals: 9 } as const) : drawn;
    const token: TokenOfBatch = {
      mint: mint.kind === 'oddity' ? mint : { ...mint, name: `mint ${index + 1}` },
      senderTokenAccount: 'open',
      balance: random.pick<BalanceLevel>(['exact', 'plenty']),
    };
    drawSender(random, token);
    if (random.chance(0.1)) drawOddToken(random, token, random.pick(['balance', 'sender', 'mint']));
    return token;
  });
  batch.transfers = batch.transfers.map((transfer) => {
    const token = random.integer(0, batch.otherTokens.length);
    return ofAnyMint.includes(transfer.tokenAccount) ? { ...transfer, token } : transfer;
  });
}

function drawBatchMint(random: Random, isLarge: boolean): MintWorld {
  const mint = drawMint(random, false);
  if (mint.kind !== 'token_2022') return mint;
  // The libraries resolve a hook by many reads: for few recipients, and seldom.
  const keepsHook = !isLarge && random.chance(0.5);
  return { ...mint, extensions: mint.extensions.filter(({ kind }) => keepsHook || kind !== 'transfer_hook') };
}

interface Profile {
  isNative: boolean;
  memoShare: number;
  memoLength: number;
  missingShare: number;
  repeatedShare: number;
  referenceShare: number;
  hasEqualAmounts: boolean;
  /** Whether whoever is paid again is paid the same again, in every respect. */
  repeatsAll: boolean;
}

function drawProfile(random: Random, mint: MintWorld, creation: BatchWorld['creation']): Profile {
  return {
    isNative: mint.kind === 'native',
    memoShare: random.pick([0, 0, 0.3, 1]),
    memoLength: random.pick([10, 30, 100, 350]),
    missingShare: creation === 'never' ? 0 : random.pick([0, 0.3, 0.6, 1]),
    repeatedShare: random.pick([0, 0, 0, 0.1, 0.5, 1]),
    referenceShare: random.pick([0, 0, 0.2, 0.7]),
    hasEqualAmounts: random.chance(0.2),
    repeatsAll: random.chance(0.3),
  };
}

function drawTransfer(
  random: Random,
  batch: BatchWorld,
  profile: Profile,
  before: readonly TransferOfBatch[],
): TransferOfBatch {
  const drawn: TransferOfBatch = {
    token: 0,
    recipient: before.length,
    wallet: batch.isSponsored && random.chance(0.02) ? 'fee_payer' : random.pick(['funded', 'unfunded']),
    tokenAccount: random.chance(profile.missingShare) ? drawMissing(random, profile) : 'open',
    amount: profile.hasEqualAmounts ? 1_000n : drawAmount(random),
    amountText: random.chance(0.1) ? 'padded_decimal' : 'base_units',
    memo: random.chance(profile.memoShare) ? drawText(random, profile.memoLength) : undefined,
    references: random.chance(profile.referenceShare) ? drawReferences(random) : [],
  };
  const payer = before.find(({ wallet }) => wallet === 'fee_payer');
  const isAgain = before.length > 0 && random.chance(profile.repeatedShare);
  const first = drawn.wallet === 'fee_payer' ? payer : isAgain ? random.pick(before) : undefined;
  if (!first) return drawn;
  if (isAgain && profile.repeatsAll && random.chance(0.98)) return first;
  const { recipient, wallet, tokenAccount } = first;
  return { ...drawn, recipient, wallet, tokenAccount };
}

function drawMissing(random: Random, { isNative }: Profile): TransferOfBatch['tokenAccount'] {
  // What such an address holds beyond the rent becomes tokens of wrapped SOL.
  if (isNative) return random.pick(['missing', 'missing', 'prefunded_less']);
  return random.pick(['missing', 'missing', 'missing', 'prefunded_less', 'prefunded_more']);
}

function drawAmount(random: Random): bigint {
  return BigInt(random.integer(1, 10 ** random.pick([1, 3, 6, 9])));
}

const scripts = ['a', 'Invoice 7. ', 'é', 'я', 'ا', '漢', '😀', 'e\u0301'];

function drawText(random: Random, maxBytes: number): string {
  const script = random.pick(scripts);
  // Longer ones of these cost more than a transaction may.
  const max = Buffer.byteLength(script) > 2 && script.length < 3 ? Math.min(maxBytes, 150) : maxBytes;
  const text = script.repeat(Math.max(1, Math.floor(random.integer(1, max) / Buffer.byteLength(script))));
  return random.chance(0.5) ? text : `${text}${random.integer(0, 999)}`;
}

function drawReferences(random: Random): number[] {
  const count = random.pick([1, 1, 2, 3, random.integer(1, 10)]);
  return [...new Set(Array.from({ length: count }, () => random.integer(0, 200)))];
}

function drawPriorityFee(random: Random): PriorityFeeWorld {
  if (random.chance(0.5)) return { kind: 'price', price: random.pick([1n, 999n, 50_000n, 400_000n, 10n ** 8n]) };
  const recentPrices = Array.from({ length: 20 }, () => BigInt(random.integer(0, 10 ** random.pick([3, 6, 9]))));
  return { kind: 'level', level: random.pick(['low', 'medium', 'high']), recentPrices };
}

function drawNonce(random: Random): NonNullable<BatchWorld['nonceState']> {
  const isUsable = random.chance(0.8);
  const state = isUsable ? random.pick(usableNonceStates) : random.pick(unusableNonceStates);
  // Wallets of the batch have no lamports in some of its worlds, and so no account.
  const isWallet = state === 'recipient' || state === 'sender' || state === 'fee_payer';
  return isWallet ? 'missing' : state;
}

function drawSender(random: Random, token: TokenOfBatch): void {
  if (random.chance(0.1)) token.senderTokenAccount = 'delegate_is_owner_for_enough';
  if (random.chance(0.1)) token.senderTokenAccount = 'delegate_is_owner_for_first_payment';
  if (random.chance(0.04)) token.senderTokenAccount = 'delegate_is_owner_for_less';
}

// What makes a refusal: of one transfer, of some of them, or of all.
function drawOdd(random: Random, batch: BatchWorld): void {
  const kind = random.weighted({ recipients: 8, balance: 3, sender: 3, mint: 2, amount: 1, memo: 3 });
  drawOddToken(random, batch, kind);
  const count = random.pick([1, 1, 2, batch.transfers.length]);
  for (let index = 0; index < count; index += 1) {
    const at = random.integer(0, batch.transfers.length - 1);
    const transfers = [...batch.transfers];
    const transfer = transfers[at];
    if (transfer) transfers[at] = oddTransfer(random, batch, transfer, kind);
    batch.transfers = transfers;
  }
  if (kind === 'recipients') sameForSame(batch);
}

function drawOddToken(random: Random, token: TokenOfBatch, kind: string): void {
  const { mint } = token;
  if (kind === 'balance') token.balance = random.pick<BalanceLevel>(['zero', 'one_less']);
  if (kind === 'sender') token.senderTokenAccount = random.pick(senderTokenAccountsOf(mint));
  if (kind !== 'mint' || mint.kind !== 'token_2022') return;
  const added = random.pick([
    { kind: 'pausable', paused: true },
    { kind: 'default_account_state', frozen: true },
    { kind: 'non_transferable' },
  ] as const);
  token.mint = { ...mint, extensions: [...mint.extensions.filter(({ kind: own }) => own !== added.kind), added] };
}

function oddTransfer(random: Random, batch: BatchWorld, transfer: TransferOfBatch, kind: string): TransferOfBatch {
  if (kind === 'amount') return { ...transfer, amountText: 'too_many_digits' };
  if (kind === 'memo') return { ...transfer, memo: drawLongMemo(random, batch) };
  if (kind !== 'recipients' || transfer.wallet === 'fee_payer') return transfer;
  if (random.chance(0.5)) return { ...transfer, wallet: random.pick(recipientWallets) };
  const { state, mint } = drawOddTokenAccount(random, batch.mint);
  batch.mint = mint;
  const isExcess = state === 'prefunded_more' && mint.kind === 'native';
  return { ...transfer, tokenAccount: isExcess ? 'frozen' : state };
}

// About as long as one transaction takes, or as dear.
function drawLongMemo(random: Random, { version }: BatchWorld): string {
  if (random.chance(0.3)) return '漢'.repeat(random.integer(100, 125));
  const room = version === 1 ? 3_800 : 916;
  return 'a'.repeat(random.integer(room - 300, room + 5));
}

function sameForSame(batch: BatchWorld): void {
  const firsts = new Map<number, TransferOfBatch>();
  batch.transfers = batch.transfers.map((transfer) => {
    const first = firsts.get(transfer.recipient) ?? transfer;
    firsts.set(transfer.recipient, first);
    return { ...transfer, wallet: first.wallet, tokenAccount: first.tokenAccount };
  });
}

function keepSumPossible(batch: BatchWorld): BatchWorld {
  const sum = batch.transfers.reduce((total, { amount }) => total + amount, 0n);
  if (sum < maxSum) return batch;
  throw new RangeError('the amounts are drawn so small that their sum is one');
}
