import type { Work } from '../../app/work.ts';
import type { FinalizedHeight, HistoryEntry, NodeHistory } from '../../chain/chain-history.ts';
import { malformed, UpstreamFault } from '../../chain/upstream-faults.ts';
import { readListed } from '../../outcomes/match-entry.ts';
import { CannotTell } from '../../outcomes/node-answer.ts';
import { NodeView } from '../../outcomes/node-view.ts';
import { replacementBlocks } from '../../outcomes/validity-window.ts';
import type { LinkPayment, PaymentLink } from '../records/payment-link.ts';
import { type FindLinks, paymentIn, type SeenPayment } from './payment-in.ts';

/** The question to each node in one check of a link. */
export interface LinkQuestion {
  link: PaymentLink;
  stored: ReadonlyMap<string, LinkPayment>;
  /** The newest slot of the chain when the link is due to be settled, otherwise undefined. A node far behind it cannot prove absence. */
  settlesAtSlot: bigint | undefined;
  /** A node that has not reached this slot does not answer. */
  minSlot: bigint;
  examined: ExaminedTransactions;
  findLinks: FindLinks;
}

/**
 * The payments that each node has shown of a link, by signature: no check reads them again. None counts as the answer of
 * another node.
 */
export type ExaminedTransactions = Map<string, ReadonlyMap<string, SeenPayment>>;

/** One node's answer about a link. */
export interface NodeReport {
  /** The transactions that it lists, the newest first. */
  listed: ReadonlyMap<string, HistoryEntry>;
  /** Whether it has listed everything that was asked for. */
  isWhole: boolean;
  /** The payments that it shows, by signature. */
  payments: ReadonlyMap<string, LinkPayment>;
  /** The listed transactions that were not examined: the node could not show them whole, or one check had too many. */
  open: ReadonlySet<string>;
  /** Whether it could not show one of those. */
  hidesSome: boolean;
  /** The signatures of stored payments that its final ledger does not have. */
  denied: ReadonlySet<string>;
  /** Whether it has the whole history of the link, all of it final and examined, and nothing can land any more. */
  hasFullHistory: boolean;
}

/** How many transactions are read for one check of a link at one node. */
const maxTransactionsPerCheck = 20;

// Flooding a reference with that many transactions costs more than most links are worth.
const maxPages = 20;

// What databases and JSON hold.
const maxSlot = BigInt(Number.MAX_SAFE_INTEGER);

// However a cluster finalizes, a node that is this far behind the newest slot is not well, or finality stands still.
const maxFinalityLagSlots = 150n;

/** Asks a node what was paid to a link. Throws an `UpstreamFault`, or a `CannotTell` when its answers contradict one another. */
export async function askNode(node: NodeHistory, question: LinkQuestion, work: Work): Promise<NodeReport> {
  const { link, stored, settlesAtSlot, minSlot } = question;
  const unfinished = [...stored.values()].filter(({ commitment }) => commitment === 'confirmed');
  const scope = { signatures: unfinished.map(({ signature }) => signature), maxCandidates: maxTransactionsPerCheck };
  const view = new NodeView(node, scope, work);
  const settles = settlesAtSlot !== undefined;
  // What is asked later covers what was asked before: nothing lands in a block that was final when the list was asked for.
  const height = settles || unfinished.length > 0 ? await view.height() : undefined;
  const finalized = height?.slot;
  const minContextSlot = finalized !== undefined && finalized > minSlot ? finalized : minSlot;
  const history = view.history(link.reference, {
    ...(minContextSlot > 0n && { minContextSlot }),
    // A node may have left something out before, and another one know it.
    until: settles ? undefined : (link.examinedUntil ?? undefined),
    maxPages,
  });
  const { entries, isWhole } = await history.read({ floorSlot: 0n, needsProof: finalized !== undefined });
  if (entries.some(({ slot }) => slot > maxSlot)) throw malformed('a slot is too high');
  const listed = new Map(entries.map((entry) => [entry.signature, entry]));
  const examined = await examine(view, node.name, entries, question);
  const denied = finalized === undefined || !isWhole ? [] : await deniedAmong(view, unfinished, listed, finalized);
  const isNear = settles && finalized !== undefined && finalized + maxFinalityLagSlots >= settlesAtSlot;
  const isPast = height !== undefined && !canStillLand(link, height);
  const isOver = isNear && isPast && isWhole && examined.open.size === 0 && entries.every(isFinal);
  const hasFullHistory = isOver && (await view.firstAvailableSlot()) <= link.createdSlot;
  return { listed, isWhole, ...examined, denied: new Set(denied), hasFullHistory };
}

/**
 * Whether a transaction given to a payer can still land, also with a newer blockhash of a wallet.
 *
 * Blocks decide, not time: while a cluster makes none, nothing expires.
 */
function canStillLand({ handedOutHeight }: PaymentLink, { blockHeight }: FinalizedHeight): boolean {
  return handedOutHeight !== null && blockHeight <= handedOutHeight + replacementBlocks;
}

function isFinal({ commitment }: HistoryEntry): boolean {
  return commitment === 'finalized';
}

/** Reads the listed transactions that are not known yet, at most `view.maxCandidates` of them. */
async function examine(
  view: NodeView,
  node: string,
  entries: readonly HistoryEntry[],
  { link, stored, examined, findLinks }: LinkQuestion,
): Promise<Pick<NodeReport, 'payments' | 'open' | 'hidesSome'>> {
  const known = examined.get(node);
  const kept = new Map<string, SeenPayment>();
  const payments = new Map<string, LinkPayment>();
  const unknown: HistoryEntry[] = [];
  const note = (entry: HistoryEntry, payment: SeenPayment): void => {
    kept.set(entry.signature, payment);
    payments.set(entry.signature, { ...payment, ...certaintyOf(entry) });
  };
  const readPayment = async (entry: HistoryEntry) => paymentIn(link, await readListed(view, entry), findLinks);
  for (const entry of entries) {
    const { signature, slot, error, commitment } = entry;
    if (error !== null || commitment === 'processed') continue;
    const before = stored.get(signature);
    // It is on the ledger as it is stored.
    if (before?.slot === slot && before.flaw !== 'not_shown')
      payments.set(signature, { ...before, ...certaintyOf(entry) });
    else {
      const seen = known?.get(signature);
      if (seen?.slot === slot) note(entry, seen);
      else unknown.push(entry);
    }
  }
  const chosen = choose(unknown, view.maxCandidates);
  const open = new Set(unknown.map(({ signature }) => signature));
  let hidesSome = false;
  await Promise.all(
    chosen.map(async (entry) => {
      const payment = await readPayment(entry).catch(undefinedWhereUnknown);
      hidesSome ||= payment === undefined || payment.flaw === 'not_shown';
      if (payment?.flaw === 'not_shown') payments.set(entry.signature, { ...payment, ...certaintyOf(entry) });
      else if (payment) {
        note(entry, payment);
        open.delete(entry.signature);
      }
    }),
  );
  examined.set(node, kept);
  return { payments, open, hidesSome };
}

function certaintyOf({ signature, commitment }: HistoryEntry): Pick<LinkPayment, 'signature' | 'commitment'> {
  return { signature, commitment: commitment === 'finalized' ? 'finalized' : 'confirmed' };
}

function undefinedWhereUnknown(error: unknown): undefined {
  if (error instanceof CannotTell || error instanceof UpstreamFault) return undefined;
  throw error;
}

// When there are too many: the newest half, so that a new payment is seen, and the oldest half, so that each gets its turn.
function choose(newestFirst: readonly HistoryEntry[], max: number): readonly HistoryEntry[] {
  if (newestFirst.length <= max) return newestFirst;
  const half = Math.floor(max / 2);
  return [...newestFirst.slice(0, half), ...newestFirst.slice(half - max)];
}

/** The payments that a fork has dropped: neither the list nor the statuses of a node have them, and their slots are final. */
async function deniedAmong(
  view: NodeView,
  unfinished: readonly LinkPayment[],
  listed: ReadonlyMap<string, HistoryEntry>,
  finalizedSlot: bigint,
): Promise<readonly string[]> {
  const denied: string[] = [];
  for (const { signature, slot } of unfinished) {
    const entry = listed.get(signature);
    if (slot > finalizedSlot || (entry && (entry.error === null || !isFinal(entry)))) continue;
    const { status } = await view.status(signature);
    if (status === null || status.error !== null) denied.push(signature);
  }
  return denied;
}
