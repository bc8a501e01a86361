import { type Address, addressToBytes } from '../addresses/address.ts';
import { isOnCurve } from '../addresses/curve.ts';
import { associatedTokenProgram, systemProgram, tokenPrograms } from '../addresses/programs.ts';
import type { LandedContent, LandedTransfer } from './landed-content.ts';
import { changeOf, type TokenBalances } from './token-balances.ts';
import type { IntendedPayment, TransferIntent } from './transfer-intent.ts';

/**
 * How far a landed transaction is the intended one.
 *
 * - `same_message`: what was signed is the same.
 * - `same_payments`: it makes the payments, with their memos and references, and nothing else moves that token account.
 * - `similar`: it moved the amount of each payment between its token accounts, or may have, and nothing proves it another payment.
 */
export type IntentMatch = 'same_message' | 'same_payments' | 'similar';

/** What is compared of a landed transaction. */
export interface LandedPayments {
  content: LandedContent;
  /** `undefined` where the node kept none. */
  balances: TokenBalances | undefined;
  hasSucceeded: boolean;
}

/**
 * Returns how far a landed transaction does what the intent wants; `undefined` when it is another one.
 *
 * Payments count in whatever form they are made, by whatever program. Fee payer, lifetime, version, compute budget, the order of
 * payments, and every other instruction may differ. What the balances show and no transfer explains is in doubt.
 *
 * A memo in place of the intended one, and other references in place of the intended ones, prove another payment. Memos and
 * references that are gone do not: wallets leave them out. Nor does a memo, or a reference, beside those that were intended.
 */
export function matchIntent(intent: TransferIntent, landed: LandedPayments): IntentMatch | undefined {
  const { content, hasSucceeded } = landed;
  if (!namesAccounts(intent, content)) return undefined;
  if (areSameBytes(content.message, intent.message)) return 'same_message';
  const memos = compareMemos(intent.memos, content);
  if (memos === 'other') return undefined;
  const sent = transfersOfSender(intent, content);
  const left = [...sent.leaving];
  if (mayTakeAll(intent, sent, content) && takeAll(intent, left, content)) {
    const isSame = memos === 'same' && left.length === 0;
    if (!hasSucceeded) return isSame ? 'same_payments' : undefined;
    return isSame && isExplained(intent, landed, sent) && staysThere(intent, landed) ? 'same_payments' : 'similar';
  }
  if (!hasSucceeded) return undefined;
  const isWhole = isExplained(intent, landed, sent);
  const mayPay = (payment: IntendedPayment): boolean => {
    const direct = sent.directTo.get(payment.destination) ?? [];
    const alike = intent.payments.filter(({ destination }) => destination === payment.destination);
    return mayHaveMoved(intent, payment, landed, { direct, total: sumOf(alike), isWhole });
  };
  return intent.payments.every(mayPay) ? 'similar' : undefined;
}

// Nothing can move between accounts that a transaction does not name: of many landed ones nearly all are others by that.
function namesAccounts({ source, payments }: TransferIntent, { named }: LandedContent): boolean {
  return named.has(source) && payments.every(({ destination }) => named.has(destination));
}

type Likeness = 'same' | 'doubtful' | 'other';

function compareMemos(wanted: readonly string[], { memos, hasCalls }: LandedContent): Likeness {
  if (wanted.length === memos.length && wanted.every((text, index) => text === memos[index])) return 'same';
  const isForeign = memos.some((text) => !wanted.includes(text));
  const isIncomplete = wanted.some((text) => !memos.includes(text));
  return hasCalls && isForeign && isIncomplete ? 'other' : 'doubtful';
}

function compareReferences(
  wanted: readonly Address[],
  { references, handed }: LandedTransfer,
  { named }: LandedContent,
): Likeness {
  if (wanted.length === 0 && references.length === 0 && handed.length === 0) return 'same';
  const extra = without(references, wanted);
  // A program that makes the transfer may be handed the references in its place.
  const gone = without(wanted, references).filter((reference) => !handed.includes(reference));
  if (extra.length === 0 && gone.length === 0) {
    // With the reference of something else it may pay for that.
    return handed.some((each) => !wanted.includes(each) && mayBeReference(each)) ? 'doubtful' : 'same';
  }
  // One that stands elsewhere in the transaction was moved, not replaced.
  const areReplaced = extra.length > 0 && wanted.length > 0 && gone.length === wanted.length;
  return areReplaced && !gone.some((reference) => named.has(reference)) ? 'other' : 'doubtful';
}

// References are keys that nobody has; what a program derives for its own use is off the curve.
function mayBeReference(address: Address): boolean {
  if (programs.has(address) || address.startsWith('Sysvar')) return false;
  return isOnCurve(addressToBytes(address));
}

const programs: ReadonlySet<Address> = new Set([systemProgram, associatedTokenProgram, ...tokenPrograms]);

/** The addresses that are left of one list when each of another is taken out once. */
function without(all: readonly Address[], taken: readonly Address[]): readonly Address[] {
  const left = [...all];
  for (const address of taken) {
    const index = left.indexOf(address);
    if (index !== -1) left.splice(index, 1);
  }
  return left;
}

/** Whether each payment has a transfer, which it may have to share with another one. */
function mayTakeAll(intent: TransferIntent, { directTo }: SenderTransfers, content: LandedContent): boolean {
  return intent.payments.every((payment) =>
    directTo.get(payment.destination)?.some((transfer) => makes(transfer, payment, intent, content)),
  );
}

/** Takes a transfer for each payment out of those that are left; false when one has none. */
function takeAll(intent: TransferIntent, left: LandedTransfer[], content: LandedContent): boolean {
  return intent.payments.every((payment) => {
    const index = left.findIndex((transfer) => makes(transfer, payment, intent, content));
    if (index === -1) return false;
    left.splice(index, 1);
    return true;
  });
}

function makes(
  transfer: LandedTransfer,
  { destination, amount, references }: IntendedPayment,
  { authority }: TransferIntent,
  content: LandedContent,
): boolean {
  const isEqual =
    transfer.destination === destination && transfer.amount === amount && transfer.authority === authority;
  return isEqual && compareReferences(references, transfer, content) === 'same';
}

// All that the source lost, or got, is in transfers that are known: then none is hidden.
function isExplained({ source }: TransferIntent, { balances }: LandedPayments, { change }: SenderTransfers): boolean {
  return balances !== undefined && change === changeOf(balances, source);
}

// A mint can withhold all of it, which is the payment all the same; what is sent on or back leaves a doubt.
function staysThere({ payments }: TransferIntent, { content, balances }: LandedPayments): boolean {
  return payments.every(({ destination }) => {
    const change = balances ? changeOf(balances, destination) : 0n;
    return change > 0n || (change === 0n && !content.transfers.some(({ source }) => source === destination));
  });
}

/** Whether the amount of a payment, or the total of its destination, may have gone there from the source, in whatever form. */
function mayHaveMoved(
  { source, payments }: TransferIntent,
  { destination, amount, references }: IntendedPayment,
  { content, balances }: LandedPayments,
  { direct, total, isWhole }: { direct: readonly LandedTransfer[]; total: bigint; isWhole: boolean },
): boolean {
  const isOther = (transfer: LandedTransfer): boolean => compareReferences(references, transfer, content) === 'other';
  const others = direct.filter(isOther);
  const possible = direct.filter((transfer) => !others.includes(transfer));
  if (possible.some((transfer) => transfer.amount === amount)) return true;
  if (possible.length > 0 && sumOf(possible) === total) return true;
  if (!balances) {
    const areNamed = content.named.has(source) && content.named.has(destination);
    return areNamed && (!content.hasCalls || possible.length > 0 || others.length === 0);
  }
  const lost = -changeOf(balances, source) - sumOf(others);
  const gained = changeOf(balances, destination);
  // A mint can withhold all of it, so that nothing arrives, in a transfer that a node without calls does not show.
  if (lost <= 0n || gained < 0n || (gained === 0n && content.hasCalls)) return false;
  if (!isWhole) return lost >= total || gained >= total;
  // By way of other accounts, or in parts. A mint may withhold a fee from what arrives.
  if (lost === total || lost === sumOf(payments) || lost - sumOf(possible) === total) return true;
  return gained === total && lost > total;
}

function sumOf(transfers: readonly { amount: bigint }[]): bigint {
  return transfers.reduce((sum, { amount }) => sum + amount, 0n);
}

function areSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** What a landed transaction moves out of the token account of a sender, and into it. */
export interface SenderTransfers {
  /** Those that leave it for another account and are of the sender's mint, in the order of execution. */
  leaving: readonly LandedTransfer[];
  /** The same by their destination. */
  directTo: ReadonlyMap<Address, readonly LandedTransfer[]>;
  /** How much more it holds by all transfers that are known; negative for less. */
  change: bigint;
}

interface KnownSender extends SenderTransfers {
  sender: Sender;
}

type Sender = Pick<TransferIntent, 'source' | 'mint' | 'decimals' | 'tokenProgram'>;

// A transaction of many transfers is compared with many intents, mostly of one sender.
const latest = new WeakMap<LandedContent, KnownSender>();

/** Returns what a landed transaction moves out of the token account of an intent's sender, and into it. */
export function transfersOfSender(sender: Sender, content: LandedContent): SenderTransfers {
  const known = latest.get(content);
  if (known && isSame(known.sender, sender)) return known;
  const leaving = content.transfers.filter((transfer) => leavesSource(transfer, sender));
  const directTo = Map.groupBy(leaving, ({ destination }) => destination);
  const { source, mint, decimals, tokenProgram } = sender;
  const found = {
    sender: { source, mint, decimals, tokenProgram },
    leaving,
    directTo,
    change: changeBy(content, source),
  };
  latest.set(content, found);
  return found;
}

function isSame(one: Sender, other: Sender): boolean {
  return (
    one.source === other.source &&
    one.mint === other.mint &&
    one.decimals === other.decimals &&
    one.tokenProgram === other.tokenProgram
  );
}

// The token programs refuse another mint, and other decimals.
function leavesSource(transfer: LandedTransfer, { source, mint, decimals, tokenProgram }: Sender): boolean {
  if (transfer.source !== source || transfer.destination === source) return false;
  if (transfer.tokenProgram !== tokenProgram || (transfer.mint ?? mint) !== mint) return false;
  return (transfer.decimals ?? decimals) === decimals;
}

function changeBy({ transfers }: LandedContent, account: Address): bigint {
  let change = 0n;
  for (const { source, destination, amount } of transfers) {
    if (source === account) change -= amount;
    if (destination === account) change += amount;
  }
  return change;
}
