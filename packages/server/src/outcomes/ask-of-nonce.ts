import { type Address, systemProgram } from 'splwright-core';
import type { HistoryEntry, LandedTransaction } from '../chain/chain-history.ts';
import { askStatus } from './ask-of-blockhash.ts';
import { matchEntry, readListed } from './match-entry.ts';
import { CannotTell, isOwn, type Match, type NodeAnswer, oldestFirst, type Stance, withStance } from './node-answer.ts';
import type { NodeView } from './node-view.ts';
import { searchPayments } from './search-history.ts';
import { replacementBlocks, type WindowPosition } from './validity-window.ts';
import type { OutcomeItem } from './verdict.ts';

/** A nonce and the account that had it. */
export interface NonceLifetime {
  nonce: string;
  nonceAccount: Address;
}

/**
 * Asks a node what became of a transaction that lives by a durable nonce.
 *
 * It lives for as long as the account has that nonce, which nothing brings back. Whatever used the nonce is in the account's
 * history: this transaction, or another one, which is the proof that this one cannot land. For a signature without a status,
 * a history that is whole back to the account's creation proves it, too, at a node that has forgotten nothing: an account can be
 * closed and created again, and what used the nonce before that is in a history that is older.
 *
 * Throws an `UpstreamFault`, or a `CannotTell`.
 */
export async function askOfNonce(view: NodeView, item: OutcomeItem, lifetime: NonceLifetime): Promise<NodeAnswer> {
  const { intent } = item;
  const current = await view.nonce(lifetime.nonceAccount);
  if (current.nonce === lifetime.nonce) return withStance({ kind: 'waits', reason: 'nonce_unused' });
  let isUnseen = false;
  if (intent.signature !== undefined) {
    const { answer, slot } = await askStatus(view, item, intent.signature);
    if (answer) return answer;
    isUnseen = slot >= current.slot;
  }
  // A wallet may have put a blockhash in the nonce's place, and what it signed is asked for.
  if (await view.isBlockhashAlive(lifetime.nonce)) return withStance({ kind: 'insists', reason: 'blockhash_alive' });
  const finalized = await view.height();
  const minContextSlot = current.slot > finalized.slot ? current.slot : finalized.slot;
  const walk = await walkHistory(view, item, lifetime, minContextSlot);
  // Lists are written a moment after statuses: what has just used the nonce may be missing.
  const isProof = walk.end.usedNonce || isUnseen;
  const stance: Stance = isProof
    ? await stanceAfter(walk.end, view, item, finalized.blockHeight)
    : { kind: 'cannot_tell', reason: 'history_pruned' };
  const matches = walk.matches.toReversed();
  const answer = { matches, stance, blockHeight: finalized.blockHeight };
  if (stance.kind !== 'denies' || intent.isSigned || matches.some(isOwn)) return answer;
  // A wallet may have left the nonce out altogether: then the payment is in the history of its own accounts alone.
  const floorSlot = walk.builtAfter?.slot ?? 0n;
  const found = await searchPayments(view, item, { window: undefined, floorSlot, minContextSlot, needsProof: true });
  // A search without a validity window does not see what failed, which the history of the nonce account has shown.
  const others = matches.filter(({ signature }) => found.matches.every((each) => each.signature !== signature));
  return { ...answer, matches: oldestFirst([...others, ...found.matches]), stance: found.obstacle ?? stance };
}

/** The transaction that shows that the account no longer had the nonce. */
interface NonceEnd {
  entry: HistoryEntry;
  /** Whether that transaction used the nonce; otherwise it is the newest of a whole history. */
  usedNonce: boolean;
}

// From the newest transaction back to the one that used the nonce.
async function walkHistory(
  view: NodeView,
  item: OutcomeItem,
  { nonce, nonceAccount }: NonceLifetime,
  minContextSlot: bigint,
): Promise<{ matches: readonly Match[]; end: NonceEnd; builtAfter?: HistoryEntry | undefined }> {
  const history = view.history(nonceAccount, { minContextSlot }, view.maxCandidates);
  const { entries, isOverfull } = await history.read({ floorSlot: 0n, needsProof: false });
  const matches: Match[] = [];
  // Accounts that are advanced on one blockhash have equal nonces, and any transaction can name any account.
  const usesNonce = (landed: LandedTransaction): boolean => {
    const used = landed.content?.lifetime;
    return used !== undefined && 'nonce' in used && used.nonce === nonce && used.nonceAccount === nonceAccount;
  };
  let oldest: LandedTransaction | undefined;
  for (const entry of entries) {
    if (entry.commitment === 'processed') throw new CannotTell('too_few_nodes');
    oldest = await readListed(view, entry);
    const positionOf = (landed: LandedTransaction): WindowPosition => (usesNonce(landed) ? 'within' : 'doubtful');
    const match = await matchEntry(view, item, entry, positionOf);
    if (match) matches.push(match);
    if (usesNonce(oldest)) {
      const older = entries.slice(entries.indexOf(entry) + 1);
      const builtAfter = item.intent.isSigned ? undefined : await lastUseAmong(view, older, nonceAccount);
      return { matches, end: { entry, usedNonce: true }, builtAfter };
    }
  }
  if (isOverfull) throw new CannotTell('too_many_transactions');
  const [newest] = entries;
  const isWhole = oldest !== undefined && createsNonceAccount(oldest, nonceAccount);
  if (!newest || !isWhole) throw new CannotTell('history_pruned');
  return { matches, end: { entry: newest, usedNonce: false } };
}

// That transaction gave the account the nonce, so nothing with the nonce was built before it.
async function lastUseAmong(
  view: NodeView,
  entries: readonly HistoryEntry[],
  nonceAccount: Address,
): Promise<HistoryEntry | undefined> {
  for (const entry of entries) {
    if (entry.error !== null) continue;
    const landed = await readListed(view, entry);
    const used = landed.content?.lifetime;
    if (createsNonceAccount(landed, nonceAccount)) return entry;
    if (used && 'nonce' in used && used.nonceAccount === nonceAccount) return entry;
  }
  return undefined;
}

// System `InitializeNonceAccount`, the first byte of a little-endian u32.
const initializeNonceAccount = 6;

// Anyone can send one that fails, at any time: it creates nothing, its data can be anything, and older transactions may have used the nonce.
function createsNonceAccount(landed: LandedTransaction, nonceAccount: Address): boolean {
  if (landed.error !== null) return false;
  const instructions = landed.content?.instructions ?? [];
  return instructions.some(
    ({ program, accounts: [first], data }) =>
      program === systemProgram && data[0] === initializeNonceAccount && first?.address === nonceAccount,
  );
}

// An unsigned transaction can still land with a blockhash that a wallet put in the nonce's place while the nonce was valid.
async function stanceAfter(
  { entry, usedNonce }: NonceEnd,
  view: NodeView,
  { intent }: OutcomeItem,
  finalizedHeight: bigint,
): Promise<Stance> {
  const waits: Stance = { kind: 'waits', reason: 'nonce_used_not_final' };
  if (entry.commitment !== 'finalized') return waits;
  if (!intent.isSigned) {
    const height = await view.blockHeight(entry.slot);
    if (height === null || finalizedHeight <= height + replacementBlocks) return waits;
  }
  if (usedNonce) return { kind: 'denies', nonceUsedBy: entry.signature };
  // The creation may not be the first one. Nothing says when the nonce was there, so everything must be.
  if ((await view.firstAvailableSlot()) > 0n) return { kind: 'cannot_tell', reason: 'history_pruned' };
  return { kind: 'denies' };
}
