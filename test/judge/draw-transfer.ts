import { asksForMemo, isMissing, payeesOf, totalOf } from './asked.ts';
import { addExtension } from './draw-mint.ts';
import { drawFillingMemo } from './draw-options.ts';
import { Random } from './random.ts';
import {
  type MemoWorld,
  type MintExtension,
  type MintWorld,
  type RecipientTokenAccount,
  recipientWallets,
  type SenderTokenAccount,
  type SplitPayee,
  type SplitWorld,
  type TransferWorld,
  type World,
} from './world.ts';

const maxAmount = 2n ** 64n - 1n;
// Of a supply of 2^64 - 1 the recipients hold some already, and the sender may hold more than it sends.
const maxSum = maxAmount - 10_000n;

/** Makes about half of the worlds one of the operation `transfer`, from draws of its own: all others stay what they are. */
export function drawTransfer(world: World): World {
  const random = new Random(`splwright judge seed ${world.seed} world ${world.number} transfer`);
  if (!random.chance(0.5)) return world;
  const transfer: TransferWorld = {
    createTokenAccount: random.weighted({ if_missing: 5, always: 3, never: 1 }),
    hasMemo: random.chance(0.6),
    amountText: random.weighted({
      base_units: 60,
      shortest_decimal: 20,
      padded_decimal: 12,
      too_many_digits: 2,
      too_large: 1,
    }),
    splits: [],
  };
  const { memoField: _, ...options } = world.options;
  const asking: World = { ...world, operation: 'transfer', options, transfer };
  drawMainTokenAccount(random, asking, world);
  drawSplits(random, asking, transfer);
  drawDelegate(random, asking);
  keepSumPossible(random, asking);
  drawTransferMemo(random, asking);
  return asking;
}

// A mint that is none has no token accounts, and for one with an unknown extension none can be created.
function hasTokenAccounts({ mint }: World): boolean {
  return mint.kind !== 'oddity';
}

function isCreatable({ mint }: World): boolean {
  return mint.kind !== 'token_2022' || !mint.extensions.some(({ kind }) => kind === 'unknown_type');
}

// What was drawn for an operation that creates always, or never.
function drawMainTokenAccount(random: Random, asking: World, { operation, recipientTokenAccount }: World): void {
  if (!hasTokenAccounts(asking) || !isCreatable(asking)) return;
  const creates = asking.transfer?.createTokenAccount !== 'never';
  if (recipientTokenAccount === 'open' && creates && random.chance(0.5)) asking.recipientTokenAccount = 'missing';
  const isMissingForNever = recipientTokenAccount === 'missing' && operation === 'create_transfer' && !creates;
  if (isMissingForNever && random.chance(0.8)) asking.recipientTokenAccount = 'open';
}

function drawSplits(random: Random, asking: World, transfer: TransferWorld): void {
  const count = random.pick([0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5]);
  const isOdd = random.chance(0.15);
  const splits: SplitWorld[] = [];
  for (let index = 0; index < count; index += 1) {
    const payee = drawPayee(random, asking, index, isOdd && random.chance(1 / count));
    splits.push({ payee, amount: drawSplitAmount(random, asking) });
  }
  transfer.splits = splits;
  // Only version 1 has room for the accounts of several hooks, and for more of them than a transaction may have.
  const isHooked = asking.mint.kind === 'token_2022' && asking.mint.extensions.some(isTransferHook);
  if (isHooked && count > 1 && random.chance(0.5)) asking.options.transactionVersion = 1;
}

function isTransferHook({ kind }: MintExtension): boolean {
  return kind === 'transfer_hook';
}

function drawPayee(random: Random, asking: World, index: number, isOdd: boolean): SplitPayee {
  const canPay = asking.options.feePayer?.wallet === 'wallet';
  const kind = random.weighted({ other: 16, recipient: 1, split: index > 0 ? 2 : 0, fee_payer: canPay ? 6 : 0 });
  switch (kind) {
    case 'recipient':
      return { kind };
    case 'split':
      return { kind, index: random.integer(0, index - 1) };
    case 'fee_payer':
      return { kind, tokenAccount: drawTokenAccount(random, asking, isOdd) };
    case 'other': {
      if (!isOdd) {
        const wallet = random.pick(['funded', 'unfunded'] as const);
        return { kind, wallet, tokenAccount: drawTokenAccount(random, asking, false) };
      }
      const isWalletOdd = random.chance(0.5);
      const wallet = isWalletOdd ? random.pick(recipientWallets) : 'funded';
      return { kind, wallet, tokenAccount: drawTokenAccount(random, asking, !isWalletOdd || random.chance(0.2)) };
    }
  }
}

function drawTokenAccount(random: Random, asking: World, isOdd: boolean): RecipientTokenAccount {
  if (!hasTokenAccounts(asking)) return 'missing';
  const creates = asking.transfer?.createTokenAccount !== 'never' && isCreatable(asking);
  if (!isOdd) {
    return creates ? random.pick(['open', 'missing', 'missing', 'prefunded_less', 'prefunded_more']) : 'open';
  }
  const { state, mint } = drawOddTokenAccount(random, asking.mint);
  if (isMissing(state) && !isCreatable(asking)) return 'frozen';
  asking.mint = mint;
  return state;
}

function drawSplitAmount(random: Random, { amount, mint }: World): bigint {
  const bits = random.pick([0, 1, 7, 20, 40, 63]);
  // Lamports back wrapped SOL: no more than the ledger has.
  const max = 2n ** BigInt(mint.kind === 'native' ? Math.min(bits, 38) : bits);
  const wide = BigInt(random.integer(0, 2 ** 32 - 1)) * 2n ** 32n + BigInt(random.integer(0, 2 ** 32 - 1));
  return random.pick([amount, 1n, 1n + (wide % max), 1n + (wide % amount)]);
}

// A sender who is its own delegate for what the first payment takes is none for the others; and one who is not the owner can
// be a delegate for all of them.
function drawDelegate(random: Random, asking: World): void {
  if (asking.senderTokenAccount !== 'open' || !hasTokenAccounts(asking) || !random.chance(0.06)) return;
  const isClassic = asking.mint.kind === 'classic';
  const states = isClassic ? (['delegate_is_owner_for_first_payment', 'delegate_of_another'] as const) : undefined;
  asking.senderTokenAccount = random.pick(states ?? ['delegate_is_owner_for_first_payment']);
}

// No balance is as large as some sums: mostly the recipient gets what the splits leave.
function keepSumPossible(random: Random, asking: World): void {
  const { transfer } = asking;
  const sum = totalOf(asking);
  if (!transfer || sum <= maxSum || (sum > maxAmount && random.chance(0.1))) return;
  const share = maxSum / BigInt(transfer.splits.length + 1);
  transfer.splits = transfer.splits.map((split) => ({ ...split, amount: split.amount < share ? split.amount : share }));
  if (asking.amount > share) asking.amount = maxSum - (totalOf(asking) - asking.amount);
}

// Several accounts that are created take of what a costly memo leaves, and of the bytes that a long one does.
function drawTransferMemo(random: Random, asking: World): void {
  if (!asksForMemo(asking)) return;
  const createsSeveral = payeesOf(asking).filter((payee) => payee.creates).length > 1;
  const kind = random.weighted({
    as_drawn: 70,
    filling: 10,
    odd: createsSeveral ? 12 : 8,
    costly: createsSeveral ? 8 : 0,
  });
  // The lengths at which something changes are those of a transfer without splits: beyond them all that is long is too long.
  const isFarTooLong = payeesOf(asking).length > 1 && asking.memo.text.length > 200;
  if (kind === 'filling' || isFarTooLong) asking.memo = drawFillingMemo(random, asking);
  if (kind === 'odd') asking.memo = drawMemo(random, true);
  if (kind === 'costly') asking.memo = { text: '漢'.repeat(random.integer(110, 122)), costly: true };
}

interface Alphabet {
  characters: readonly string[];
  /** Whether the classic Memo program may need more for a text that fits than the runtime grants by default. */
  costly: boolean;
  /** Numbers of characters about which something changes: the room in the packet, the room in the compute limits. */
  edges: readonly number[];
}

const alphabets: readonly Alphabet[] = [
  { characters: ['a'], costly: false, edges: [916] },
  { characters: [...'Invoice 12345 "paid"\n'], costly: false, edges: [916] },
  { characters: ['é'], costly: false, edges: [458] },
  { characters: ['я'], costly: false, edges: [458] },
  { characters: ['漢'], costly: true, edges: [34, 42, 120, 292, 305] },
  { characters: ['😀'], costly: true, edges: [20, 25, 73, 219, 229] },
  { characters: ['\u0001'], costly: true, edges: [440, 472, 876, 916] },
  { characters: ['a', 'é', '漢', '😀'], costly: true, edges: [26, 34, 60, 100] },
];

/** Draws a memo: a short one that runs everywhere, or, when it shall be odd, one of a length at which something changes. */
export function drawMemo(random: Random, odd: boolean): MemoWorld {
  const alphabet = random.pick(alphabets);
  const length = odd ? random.pick(alphabet.edges) + random.integer(-3, 3) : random.integer(1, 12);
  const text = Array.from({ length }, () => random.pick(alphabet.characters)).join('');
  return { text, costly: alphabet.costly && odd };
}

function isToken2022(mint: MintWorld): boolean {
  return mint.kind === 'token_2022' || (mint.kind !== 'classic' && mint.tokenProgram === 'token_2022');
}

/** The odd states that a sender's token account can have with a mint. */
export function senderTokenAccountsOf(mint: MintWorld): readonly SenderTokenAccount[] {
  const everywhere = [
    'missing',
    'prefunded',
    'frozen',
    'delegate',
    'delegate_is_owner_for_less',
    'delegate_is_owner_for_enough',
  ] as const;
  // The owner of an associated account cannot be changed under Token-2022, which alone has extensions.
  return isToken2022(mint) ? [...everywhere, 'cpi_guard', 'memo_required'] : [...everywhere, 'owner_changed'];
}

/** Draws an odd state of a recipient's token account; the mint may need an extension for it. */
export function drawOddTokenAccount(
  random: Random,
  mint: MintWorld,
): { state: RecipientTokenAccount; mint: MintWorld } {
  const states: RecipientTokenAccount[] = ['missing', 'missing', 'prefunded_less', 'prefunded_more', 'frozen'];
  if (isToken2022(mint)) states.push('memo_required', 'memo_required', 'memo_not_required', 'cpi_guard');
  else states.push('owner_changed', 'owner_changed');
  if (mint.kind === 'token_2022') states.push('confidential', 'confidential_only');
  const state = random.pick(states);
  const isConfidential = state === 'confidential' || state === 'confidential_only';
  if (mint.kind !== 'token_2022' || !isConfidential) return { state, mint };
  const extensions = [...mint.extensions];
  addExtension(extensions, { kind: 'confidential_transfer' });
  return { state, mint: { ...mint, extensions } };
}
