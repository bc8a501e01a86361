import type { FinalizedHeight } from '../chain/chain-history.ts';
import { intentMatchOf, type ListedTransaction, readListed, toMatch } from './match-entry.ts';
import { CannotTell, hasPaid, isCertain, type NodeAnswer, type Stance, withStance } from './node-answer.ts';
import type { NodeView } from './node-view.ts';
import { searchPayments, searchSignature } from './search-history.ts';
import { type ValidityWindow, validityWindowOf } from './validity-window.ts';
import type { OutcomeItem } from './verdict.ts';

/**
 * Asks a node what became of a transaction that lives by a blockhash.
 *
 * The order of the questions matters. The finalized height comes first: from then on nothing lands in a block up to it. Then, past its validity window, whether its blockhash is dead: from then on it cannot land. Only then is it searched for, in
 * a history that goes at least as far; and last comes the question how far back the node remembers, because it only forgets.
 *
 * Throws an `UpstreamFault`, or a `CannotTell`.
 */
export async function askOfBlockhash(view: NodeView, item: OutcomeItem, blockhash: string): Promise<NodeAnswer> {
  const finalized = await view.height();
  const window = validityWindowOf(item, finalized);
  const { signature } = item.intent;
  const scene = { view, item, blockhash, finalized, window };
  const answer = signature === undefined ? await askByContent(scene) : await askBySignature(scene, signature);
  return { ...answer, blockHeight: finalized.blockHeight, lastValidBlockHeight: window?.lastHeight };
}

interface Scene {
  view: NodeView;
  item: OutcomeItem;
  blockhash: string;
  finalized: FinalizedHeight;
  window: ValidityWindow | undefined;
}

async function askBySignature(scene: Scene, signature: string): Promise<NodeAnswer> {
  const { view, item, blockhash, finalized, window } = scene;
  const { answer, slot } = await askStatus(view, item, signature);
  if (answer) return answer;
  if (slot < finalized.slot) throw new CannotTell('too_few_nodes');
  if (window && !window.isOver) return withStance({ kind: 'waits', reason: 'lifetime' });
  if (await view.isBlockhashAlive(blockhash)) return withStance({ kind: 'insists', reason: 'blockhash_alive' });
  if (!window) throw new CannotTell('last_valid_block_height_missing');
  // A status can be missing where a node cannot reach its archive, and says nothing of it. A list then is refused.
  const range = { window, floorSlot: window.floorSlot, minContextSlot: finalized.slot, needsProof: true };
  const listed = await searchSignature(view, item, range);
  if (listed) return showSigned(view, item, listed);
  return withStance(await proveAbsence(view, window));
}

async function askByContent({ view, item, blockhash, finalized, window }: Scene): Promise<NodeAnswer> {
  const isDead = window?.isOver === true && !(await view.isBlockhashAlive(blockhash));
  const range = { window, floorSlot: window?.floorSlot ?? 0n, minContextSlot: finalized.slot, needsProof: isDead };
  const { matches, obstacle } = await searchPayments(view, item, range);
  if (matches.some((match) => isCertain(match) && hasPaid(match))) {
    return { matches, stance: { kind: 'shows' } };
  }
  return { matches, stance: obstacle ?? (await stanceOf()) };

  async function stanceOf(): Promise<Stance> {
    if (window && isDead) return proveAbsence(view, window);
    if (window?.isOver || (!window && (await view.isBlockhashAlive(blockhash)))) {
      return { kind: 'insists', reason: 'blockhash_alive' };
    }
    return window
      ? { kind: 'waits', reason: 'lifetime' }
      : { kind: 'cannot_tell', reason: 'last_valid_block_height_missing' };
  }
}

/** Asks for the status of a signature; without an answer, `slot` is how far the node had come. */
export async function askStatus(
  view: NodeView,
  item: OutcomeItem,
  signature: string,
): Promise<{ answer: NodeAnswer | undefined; slot: bigint }> {
  const { slot, status } = await view.status(signature);
  return { answer: status ? await showSigned(view, item, { signature, ...status }) : undefined, slot };
}

async function showSigned(view: NodeView, item: OutcomeItem, listed: ListedTransaction): Promise<NodeAnswer> {
  const { commitment, signature } = listed;
  if (commitment === 'processed') return withStance({ kind: 'insists', reason: 'not_final' });
  // A node knows what it has executed before it can show it.
  if ((await view.transaction(signature)) === null) {
    return withStance(commitment === 'finalized' ? { kind: 'hides' } : { kind: 'insists', reason: 'not_final' });
  }
  const landed = await readListed(view, listed);
  if (intentMatchOf(item.intent, landed) !== 'same_message') {
    throw new CannotTell('history_not_available');
  }
  return { matches: [toMatch(listed, 'signature', landed)], stance: { kind: 'shows' } };
}

// The first slot says it at once, unless the ledger is young or the bound too generous: then the height of its block does.
async function proveAbsence(view: NodeView, { floorSlot, builtHeight }: ValidityWindow): Promise<Stance> {
  const first = await view.firstAvailableSlot();
  if (first <= floorSlot) return { kind: 'denies' };
  const firstHeight = await view.blockHeight(first);
  if (firstHeight !== null && firstHeight <= builtHeight) return { kind: 'denies' };
  return { kind: 'cannot_tell', reason: 'history_pruned' };
}
