import type { Cluster, Landed } from './cluster.ts';
import { type Likeness, likenessOf } from './likeness.ts';
import type { NodeView } from './node-view.ts';
import type { NodeMethod, NodeWorld } from './node-world.ts';
import type { PaymentReading } from './payment-reading.ts';

/** A transaction whose outcome is asked for, as the test reads it. */
export interface NodeAsked {
  reading: PaymentReading;
  /** Of the blockhash; `undefined` where it is not told, or with a nonce. */
  lastValidBlockHeight: bigint | undefined;
  /** With a nonce: its account. */
  nonceAccount: string | undefined;
  /** The messages, in hex, of which it is known that they are those of other requests. */
  others: ReadonlySet<string>;
  /** What is made of that of which the rules do not say whether it is this one; `equal` where it is absent. */
  takesDoubtful?: 'equal' | 'similar' | 'other';
  /** The signature of the one that is taken for equal, whatever is made of the others. */
  equalAlone?: string;
}

/** Something that a node shows, and that is what was asked for, or pays as much. */
export interface Shown {
  landed: Landed;
  /** Certainly itself; equal and at the right time; or something that may be it. */
  by: 'itself' | 'equal' | 'similar';
  isFinal: boolean;
}

/** What a node by itself says of a transaction, if it is asked everything. */
export interface NodeSays {
  shown: readonly Shown[];
  /**
   * Whether it can land as far as the node knows (`waits`; `holds` where its nonce is still there), whatever other nodes say
   * (`insists`), or never (`denies`); the node may be unable to say it (`blind`), or may not answer at all (`fails`).
   */
  stance: 'waits' | 'holds' | 'insists' | 'denies' | 'blind' | 'fails';
}

// A block takes the blockhashes that its parent takes: one more than the last valid block height says.
const parentBlock = 1n;
const blockhashLife = 150n;
/** How long something lives on whose blockhash, or nonce, a wallet replaced in its last moment. */
const replacementLife = blockhashLife + parentBlock;
// An equal payment so many blocks before may be the one asked for, if its height was told wrong.
const doubtfulBlocks = 1_000n;
// Slots before the first in which it can have been built: at most three of four slots are skipped.
const slotsPerBlock = 4n;
const spareSlots = 1_000n;
const maxCandidates = 50;

/** Thrown where a node cannot say more. */
class Blind extends Error {
  readonly stance: 'blind' | 'fails';

  constructor(stance: 'blind' | 'fails') {
    super(stance);
    this.stance = stance;
  }
}

/** Says what a node by itself knows of a transaction. */
export function whatNodeSays(cluster: Cluster, node: NodeView, world: NodeWorld, asked: NodeAsked): NodeSays {
  const ask = (method: NodeMethod): void => {
    if (world.fails.includes(method)) throw new Blind(world.refuses ? 'blind' : 'fails');
  };
  const refusesBlocks = world.refuses && world.fails.includes('readBlockHeight');
  const scene = { cluster, node, asked, ask, refusesBlocks, leavesOut: world.leavesOut };
  try {
    return asked.nonceAccount === undefined ? sayOfBlockhash(scene) : sayOfNonce(scene, asked.nonceAccount);
  } catch (error) {
    if (error instanceof Blind) return { shown: [], stance: error.stance };
    throw error;
  }
}

interface Scene {
  cluster: Cluster;
  node: NodeView;
  asked: NodeAsked;
  /** Throws where the node fails at a question. */
  ask: (method: NodeMethod) => void;
  /** Whether it tells nothing of blocks: then it is open when an equal payment was made. */
  refusesBlocks: boolean;
  leavesOut: NodeWorld['leavesOut'];
}

function sayOfBlockhash(scene: Scene): NodeSays {
  const { cluster, node, asked, ask } = scene;
  const { reading, lastValidBlockHeight: last } = asked;
  ask('readFinalizedHeight');
  const end = last === undefined ? undefined : last + (reading.isSigned ? parentBlock : replacementLife);
  const isOver = end !== undefined && cluster.heightOf(node.finalTip) > end;
  if (reading.signature !== undefined) {
    const said = sayOfSignature(scene);
    if (said) return said;
    if (end !== undefined && !isOver) return { shown: [], stance: 'waits' };
  }
  // What is dead has landed by now, if ever.
  if (isOver) ask('isBlockhashAlive');
  const shown = reading.signature === undefined ? search(scene) : [];
  if (shown.some(({ by, landed }) => by === 'itself' && landed.record.error === null))
    return { shown, stance: 'waits' };
  if (end !== undefined && !isOver) return { shown, stance: 'waits' };
  ask('isBlockhashAlive');
  if (node.holdsAlive(reading.lifetimeToken)) return { shown, stance: 'insists' };
  if (end === undefined) return { shown, stance: 'blind' };
  if (reading.signature !== undefined) ask('readSignatures');
  return { shown, stance: remembersAll(scene) ? 'denies' : 'blind' };
}

/** By its status. */
function sayOfSignature({ cluster, node, asked, ask }: Scene): NodeSays | undefined {
  ask('readStatuses');
  const known = cluster.landed.find((each) => each.record.signature === asked.reading.signature && node.knows(each));
  if (!known || known.record.slot > node.tip('processed')) return undefined;
  if (known.record.slot > node.tip()) return { shown: [], stance: 'insists' };
  ask('readTransaction');
  return { shown: [shownBy(node, known, 'itself')], stance: 'waits' };
}

function search({ cluster, node, asked, ask, refusesBlocks, leavesOut }: Scene): Shown[] {
  const { reading, lastValidBlockHeight: last } = asked;
  ask('readSignatures');
  const visible = cluster.landed.filter((each) => node.knows(each) && each.record.slot <= node.tip());
  const searched = new Set<string | undefined>([reading.transfers[0]?.source, ...referencesOf(reading)]);
  const listed = visible.filter(({ record }) => record.addresses.some((address) => searched.has(address)));
  if (listed.length > 0) ask('readTransaction');
  return visible.flatMap((landed) => {
    const likeness = likenessTaken(asked, landed, leavesOut);
    if (likeness === 'same_message') return shownBy(node, landed, 'itself');
    if (likeness === undefined || reading.isSigned) return [];
    if (last !== undefined && refusesBlocks)
      return landed.record.error === null ? shownBy(node, landed, 'similar') : [];
    if (last !== undefined) ask('readBlockHeight');
    return weigh(cluster, node, landed, likeness, last);
  });
}

function referencesOf({ transfers }: PaymentReading): readonly string[] {
  return transfers.flatMap(({ inOrder }) => inOrder);
}

type Taken = Exclude<Likeness, 'doubtful'>;

function likenessTaken(
  { reading, takesDoubtful = 'equal', equalAlone }: NodeAsked,
  landed: Landed,
  leavesOut: NodeWorld['leavesOut'],
): Taken | undefined {
  const likeness = likenessOf(reading, landed, leavesOut);
  if (likeness !== 'doubtful') return likeness;
  if (landed.record.signature === equalAlone) return 'same_payments';
  return takesDoubtful === 'equal' ? 'same_payments' : takesDoubtful === 'similar' ? 'similar' : undefined;
}

function weigh(
  cluster: Cluster,
  node: NodeView,
  landed: Landed,
  likeness: Exclude<Taken, 'same_message'>,
  last: bigint | undefined,
): Shown[] {
  const height = cluster.heightOf(landed.record.slot);
  const built = last === undefined ? undefined : last - blockhashLife;
  const isWithin = last !== undefined && height >= last - blockhashLife && height <= last + replacementLife;
  if (isWithin && likeness === 'same_payments') return [shownBy(node, landed, 'equal')];
  const isBefore = built !== undefined && height <= built - doubtfulBlocks;
  return isBefore || landed.record.error !== null ? [] : [shownBy(node, landed, 'similar')];
}

// By the lowest slot in which it can have been built, or by the height of the first block that is kept.
function remembersAll({ cluster, node, asked, ask }: Scene): boolean {
  ask('readFirstAvailableSlot');
  const { lastValidBlockHeight: last = 0n } = asked;
  const { firstKept } = node;
  if (firstKept === undefined) return true;
  const blocks = cluster.heightOf(node.finalTip) - (last - blockhashLife);
  const floor = cluster.slotOf(node.finalTip) - slotsPerBlock * blocks - spareSlots;
  if (cluster.slotOf(firstKept) <= floor) return true;
  ask('readBlockHeight');
  return cluster.heightOf(firstKept) <= last - blockhashLife;
}

function sayOfNonce(scene: Scene, nonceAccount: string): NodeSays {
  const { cluster, node, asked, ask, leavesOut } = scene;
  const { reading } = asked;
  ask('readNonce');
  if (cluster.nonceAt(node.tip()) === reading.lifetimeToken) return { shown: [], stance: 'holds' };
  if (reading.signature !== undefined) {
    const said = sayOfSignature(scene);
    if (said) return said;
  }
  ask('isBlockhashAlive');
  if (node.holdsAlive(reading.lifetimeToken)) return { shown: [], stance: 'insists' };
  ask('readFinalizedHeight');
  ask('readSignatures');
  const users = cluster.landed.filter((each) => each.record.addresses.some((address) => address === nonceAccount));
  const visible = users.filter((each) => node.knows(each) && each.record.slot <= node.tip()).reverse();
  if (visible.length > 0) ask('readTransaction');
  const useIndex = visible.findIndex((each) => each.reading.lifetimeToken === reading.lifetimeToken);
  const walked = visible.slice(0, useIndex < 0 ? maxCandidates : useIndex + 1);
  if (walked.length > maxCandidates || (useIndex < 0 && visible.length > maxCandidates)) throw new Blind('blind');
  // The first transaction of all made the account.
  const isWhole = visible.at(-1) === users[0];
  const end = useIndex < 0 ? visible[0] : visible[useIndex];
  if (!end || (useIndex < 0 && !isWhole)) throw new Blind('blind');
  const shown = walked.toReversed().flatMap((landed): Shown[] => {
    const likeness = likenessTaken(asked, landed, leavesOut);
    if (likeness === 'same_message') return [shownBy(node, landed, 'itself')];
    if (likeness === undefined || reading.isSigned) return [];
    const usesNonce = landed.reading.lifetimeToken === reading.lifetimeToken;
    if (usesNonce && likeness === 'same_payments') return [shownBy(node, landed, 'equal')];
    return landed.record.error === null ? [shownBy(node, landed, 'similar')] : [];
  });
  // A list may be written late; a status is not.
  const isProof = useIndex >= 0 || reading.signature !== undefined;
  if (!isProof) return { shown, stance: 'blind' };
  const stance = nonceStance(scene, end);
  if (stance !== 'denies') return { shown, stance };
  // A wallet may have left the nonce out: then the payment names no nonce account.
  const isFound = shown.some(({ by, landed }) => by !== 'similar' && landed.record.error === null);
  if (!reading.isSigned && !isFound) shown.push(...withoutNonce(scene, shown));
  if (useIndex >= 0) return { shown, stance };
  // The account may have been closed and created again: only who has forgotten nothing knows that this was the first time.
  ask('readFirstAvailableSlot');
  return { shown, stance: node.firstKept === undefined ? 'denies' : 'blind' };
}

function nonceStance({ cluster, node, asked, ask }: Scene, { record }: Landed): NodeSays['stance'] {
  if (record.slot > node.finalTip) return 'waits';
  if (asked.reading.isSigned) return 'denies';
  ask('readBlockHeight');
  const blocksSince = cluster.heightOf(node.finalTip) - cluster.heightOf(record.slot);
  return blocksSince > replacementLife ? 'denies' : 'waits';
}

// Since the use of the nonce before; what is older can be looked at, or not.
function withoutNonce({ cluster, node, asked, leavesOut }: Scene, known: readonly Shown[]): Shown[] {
  if (asked.takesDoubtful === 'other') return [];
  return cluster.landed
    .filter((each) => node.knows(each) && each.record.slot <= node.tip() && each.record.error === null)
    .filter((each) => known.every(({ landed }) => landed !== each))
    .filter((each) => likenessTaken(asked, each, leavesOut) !== undefined)
    .map((each) => shownBy(node, each, 'similar'));
}

function shownBy(node: NodeView, landed: Landed, by: Shown['by']): Shown {
  return { landed, by, isFinal: landed.record.slot <= node.finalTip };
}
