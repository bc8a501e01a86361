import type { Address } from '../addresses/address.ts';
import { isAddressOnCurve } from '../addresses/known-addresses.ts';
import { transferPrograms } from '../addresses/programs.ts';
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
 * Returns how far a landed transaction does what the intent wants; `undefined`, "another" below, when it does something else.
 *
 * The first row that fits decides. A transfer counts in whatever form and by whatever program it is made, if it leaves the source for
 * another account. It makes a payment when destination, amount, authority and references are the same.
 *
 * | the landed transaction | succeeded | failed | example |
 * | --- | --- | --- | --- |
 * | does not name the source, or not each destination | another | another | 5 to Bob instead of Alice |
 * | has the message of the intent | same_message | same_message | it was signed and sent as it is |
 * | is known to have other memos in place of the intent's | another | another | "invoice 2" instead of "invoice 1" |
 * | makes each payment and sends nothing else, with the memos | same_payments, if the balances agree | same_payments | another blockhash, a sponsor |
 * | the same, but the balances are unknown or show more or less | similar | same_payments | Alice sends it on |
 * | makes each payment, with more, fewer or other memos | similar | another | the wallet leaves the memo out |
 * | makes each payment, and sends more from the source | similar | another | 5 to Alice, and 1 to Bob |
 * | may have paid each payment, as below | similar | another | |
 * | anything else | another | another | 6 to Alice instead of 5 |
 *
 * A transfer to the destination with other references in place of the intended ones pays for something else, and is left out. Of the
 * rest, a payment may have been paid
 *
 * | when | example |
 * | --- | --- |
 * | one has its amount | by another authority; without its references, or with another one in addition |
 * | they have the total of its destination | 2 and 3 instead of 5 |
 * | no balances are known, and some transfer may be missing or in doubt | a program that is not known made it |
 * | the source lost, or the destination got, what it is owed | by way of Carol's account |
 */
export function matchIntent(intent: TransferIntent, landed: LandedPayments): IntentMatch | undefined {
  const { content, hasSucceeded } = landed;
  if (!namesAccounts(intent, content)) return undefined;
  if (areSameBytes(content.message, intent.message)) return 'same_message';
  const memos = compareMemos(intent.memos, content);
  if (memos === 'other') return undefined;
  const sent = transfersOfSender(intent, content);
  const made = transfersMaking(intent, sent, content);
  if (made) {
    const isSame = memos === 'same' && made.size === sent.leaving.length;
    if (!hasSucceeded) return isSame ? 'same_payments' : undefined;
    return isSame && isExplained(intent, landed, sent) && staysThere(intent, landed) ? 'same_payments' : 'similar';
  }
  if (!hasSucceeded) return undefined;
  return intent.payments.every((payment) => mayHaveMoved(intent, payment, landed, sent)) ? 'similar' : undefined;
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
  return !transferPrograms.has(address) && !address.startsWith('Sysvar') && isAddressOnCurve(address);
}

/** The addresses that are left of one list when each of another is taken out once. */
function without(all: readonly Address[], taken: readonly Address[]): readonly Address[] {
  const left = [...all];
  for (const address of taken) {
    const index = left.indexOf(address);
    if (index !== -1) left.splice(index, 1);
  }
  return left;
}

/** Returns a transfer for each payment, none for two of them; `undefined` when there are not as many. */
function transfersMaking(
  intent: TransferIntent,
  { directTo }: SenderTransfers,
  content: LandedContent,
): ReadonlySet<LandedTransfer> | undefined {
  const taken = new Set<LandedTransfer>();
  for (const payment of intent.payments) {
    const direct = directTo.get(payment.destination);
    const found = direct?.find((transfer) => !taken.has(transfer) && makes(transfer, payment, intent, content));
    if (!found) return undefined;
    taken.add(found);
  }
  return taken;
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
  intent: TransferIntent,
  { destination, amount, references }: IntendedPayment,
  landed: LandedPayments,
  sent: SenderTransfers,
): boolean {
  const { source, payments } = intent;
  const { content, balances } = landed;
  const total = sumOf(payments.filter((payment) => payment.destination === destination));
  const direct = sent.directTo.get(destination) ?? [];
  const isOther = (transfer: LandedTransfer): boolean => compareReferences(references, transfer, content) === 'other';
  const others = direct.filter(isOther);
  const possible = direct.filter((transfer) => !others.includes(transfer));
  if (possible.some((transfer) => transfer.amount === amount)) return true;
  if (possible.length > 0 && sumOf(possible) === total) return true;
  if (!balances) return !content.hasCalls || possible.length > 0 || others.length === 0;
  const lost = -changeOf(balances, source) - sumOf(others);
  const gained = changeOf(balances, destination);
  // A mint can withhold all of it, so that nothing arrives, in a transfer that a node without calls does not show.
  if (lost <= 0n || gained < 0n || (gained === 0n && content.hasCalls)) return false;
  if (!isExplained(intent, landed, sent)) return lost >= total || gained >= total;
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

type Sender = Pick<TransferIntent, 'source' | 'mint' | 'decimals' | 'tokenProgram'>;

// A transaction of many transfers is compared with many intents, mostly of one sender.
const latest = new WeakMap<LandedContent, { key: string; sent: SenderTransfers }>();

/** Returns what a landed transaction moves out of the token account of an intent's sender, and into it. */
export function transfersOfSender(sender: Sender, content: LandedContent): SenderTransfers {
  const key = [sender.source, sender.mint, sender.decimals, sender.tokenProgram].join();
  const known = latest.get(content);
  if (known?.key === key) return known.sent;
  const leaving = content.transfers.filter((transfer) => leavesSource(transfer, sender));
  const directTo = Map.groupBy(leaving, ({ destination }) => destination);
  const sent = { leaving, directTo, change: changeBy(content, sender.source) };
  latest.set(content, { key, sent });
  return sent;
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
