import type { Random } from '../random.ts';

/** The questions that a node can be asked. */
export const nodeMethods = [
  'readFinalizedHeight',
  'readFirstAvailableSlot',
  'readStatuses',
  'readSignatures',
  'readTransaction',
  'readBlockHeight',
  'readNonce',
  'isBlockhashAlive',
] as const;
/** A question that a node can be asked. */
export type NodeMethod = (typeof nodeMethods)[number];

/** How a node differs from one that knows everything. */
export interface NodeWorld {
  /** Blocks that it is behind. */
  lag: number;
  /** Its newest blocks that are only processed. */
  unconfirmed: number;
  /** Blocks after the beginning of the world, before which it has no history; all of it where that is absent. */
  prunedBefore?: number;
  /** What it leaves out, by lying or because its index is behind. */
  omits: Omission;
  /** What it always fails at. */
  fails: readonly NodeMethod[];
  /** Whether it fails as a node does that does not take the call; otherwise as one that cannot be reached. */
  refuses: boolean;
  /** How many payments of others, with memos of their own, it lists of the sender's token account since the beginning. */
  busy: number;
  /** What it does not keep of transactions: what programs called in them, and what token accounts held. */
  leavesOut: readonly ('calls' | 'balances')[];
}

/** What a node leaves out: nothing, all that landed, every second one, or what landed in the newest blocks. */
export type Omission = 'nothing' | 'everything' | 'every_second' | 'the_newest';

/** The blocks in which a node with an index that is behind misses everything. */
export const blocksWithoutIndex = 60n;

/** A node that knows everything. */
export const honestNode: NodeWorld = {
  lag: 0,
  unconfirmed: 0,
  omits: 'nothing',
  fails: [],
  refuses: false,
  busy: 0,
  leavesOut: [],
};

/** Every way in which some nodes of a world fail at everything, the one without a failure included. */
export function withFailures(world: NodesWorld): readonly NodesWorld[] {
  return Array.from({ length: 2 ** world.nodes.length }, (_, failing) => ({
    ...world,
    nodes: world.nodes.map((node, index) => {
      const fails = (failing >> index) % 2 === 1;
      return fails ? { ...node, fails: nodeMethods, refuses: false } : node;
    }),
  }));
}

/** A world, and the same in which the nodes that list payments of others cannot tell their own apart, and say nothing. */
export function withBlindness(world: NodesWorld): readonly NodesWorld[] {
  const blind = world.nodes.map((node) => (node.busy > 0 ? { ...node, fails: nodeMethods, refuses: true } : node));
  return world.nodes.some(({ busy }) => busy > 0) ? [world, { ...world, nodes: blind }] : [world];
}

const historyMethods = ['readFirstAvailableSlot', 'readStatuses', 'readSignatures', 'readTransaction'] as const;

/** The nodes of a world, and how many must agree. */
export interface NodesWorld {
  /** In the order of preference. */
  nodes: readonly NodeWorld[];
  /** `UPSTREAM_QUORUM`: how many must show a payment. */
  quorum: 1 | 2;
}

/** How many nodes must say that nothing landed, for that to be certain. */
export function neededDenials({ nodes, quorum }: NodesWorld): number {
  return Math.max(quorum, Math.min(2, nodes.length));
}

/** Draws one to three nodes, of which fewer lie than it takes to deny what landed. */
export function drawNodes(random: Random): NodesWorld {
  const count = random.weighted({ 1: 4, 2: 4, 3: 2 });
  const quorum = count !== '1' && random.chance(0.3) ? 2 : 1;
  const nodes = Array.from({ length: Number(count) }, () => drawHonestNode(random));
  const world: NodesWorld = { nodes, quorum };
  if (nodes.length > 1 && random.chance(0.4)) {
    const liar = nodes[random.integer(0, nodes.length - 1)];
    if (liar) liar.omits = random.pick(['everything', 'everything', 'every_second', 'the_newest']);
  }
  return world;
}

function drawHonestNode(random: Random): NodeWorld {
  const node: NodeWorld = { ...honestNode };
  if (random.chance(0.6)) return node;
  if (random.chance(0.3)) node.lag = random.pick([1, 3, 20, 40, 160, 400]);
  if (random.chance(0.2)) node.unconfirmed = random.pick([1, 2]);
  if (random.chance(0.2)) node.prunedBefore = random.pick([-5_000, -900, 0, 2, 40, 200]);
  if (random.chance(0.08)) node.busy = random.pick([10, 999, 1_000, 1_001, 4_990, 5_200]);
  if (random.chance(0.15)) node.leavesOut = random.pick([['calls'], ['balances'], ['calls', 'balances']] as const);
  const failure = random.weighted({ none: 40, no_history: 4, everything: 3, one: 4 });
  if (failure === 'no_history') {
    node.fails = historyMethods;
    node.refuses = true;
  }
  if (failure === 'everything') node.fails = nodeMethods;
  if (failure === 'one') {
    node.fails = [random.pick(nodeMethods)];
    node.refuses = random.chance(0.5);
  }
  return node;
}
