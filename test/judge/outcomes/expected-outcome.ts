import type { Cluster } from './cluster.ts';
import { type NodeAsked, type NodeSays, type Shown, whatNodeSays } from './node-says.ts';
import type { NodeView } from './node-view.ts';
import { type NodesWorld, neededDenials } from './node-world.ts';

/** An outcome that would be right. */
export type RightOutcome =
  | { outcome: 'landed' | 'failed'; signature: string; isFinal: boolean; ambiguous: readonly string[] }
  /** `canBeSent`: nothing was seen that may be it; `undefined` where either may be said. `holdsNonce`: that it lives by is still there. */
  | { outcome: 'pending'; canBeSent: boolean | undefined; holdsNonce: boolean }
  | { outcome: 'expired' }
  | { outcome: 'unknown' }
  /** No node answers. */
  | { outcome: 'no_answer' };

/** What the outcome is asked of. */
export interface Sight {
  cluster: Cluster;
  nodes: readonly NodeView[];
  world: NodesWorld;
}

/**
 * Every outcome that would be right for a transaction, from what the ledger executed and what each node shows of it.
 *
 * There is mostly one; two where too few nodes show what landed, of which the answer may make either.
 */
export function rightOutcomes(sight: Sight, asked: NodeAsked): readonly RightOutcome[] {
  const taken = (['equal', 'similar', 'other'] as const).map((takesDoubtful) => ({ ...asked, takesDoubtful }));
  const rights = taken.flatMap((each) => rightIf(sight, each));
  // Each doubtful one is judged by itself: of several that may be equal, one alone may be.
  const several = rights.flatMap((right) => ('ambiguous' in right ? right.ambiguous : []));
  const alone = [...new Set(several)].map((equalAlone) => ({
    ...asked,
    takesDoubtful: 'similar' as const,
    equalAlone,
  }));
  return [...rights, ...alone.flatMap((each) => rightIf(sight, each))];
}

function rightIf({ cluster, nodes, world }: Sight, asked: NodeAsked): readonly RightOutcome[] {
  const said = nodes.map((node, index) => {
    const nodeWorld = world.nodes[index];
    if (!nodeWorld) throw new Error('a node without a world');
    return whatNodeSays(cluster, node, nodeWorld, asked);
  });
  const first = said.slice(0, 1);
  return decide(first, world, asked, said.length === 1) ?? decide(said, world, asked, true) ?? [{ outcome: 'unknown' }];
}

// Without an answer the other nodes are asked, too.
function decide(
  said: readonly NodeSays[],
  world: NodesWorld,
  asked: NodeAsked,
  isComplete: boolean,
): readonly RightOutcome[] | undefined {
  if (said.every(({ stance }) => stance === 'fails')) return isComplete ? [{ outcome: 'no_answer' }] : undefined;
  const shown = oldestFirst(said.flatMap((each) => each.shown)).filter((each) => !isAnothers(each, asked));
  const paid = shown.filter(({ landed }) => landed.record.error === null);
  const itself = paid.find(({ by }) => by === 'itself');
  const equal = distinct(paid.filter(({ by }) => by === 'equal'));
  // What nobody had signed can fail, and land as a wallet changes it.
  const failedItself = asked.reading.isSigned ? shown.find(({ by }) => by === 'itself') : undefined;
  const found = itself ?? equal[0] ?? failedItself;
  if (found) {
    const ambiguous = !itself && equal.length > 1 ? equal.map(({ landed }) => landed.record.signature) : [];
    return outcomeOf(found, said, ambiguous, world.quorum, isComplete);
  }
  return decideUnseen(said, { shown, world, asked, isComplete });
}

function decideUnseen(
  said: readonly NodeSays[],
  {
    shown,
    world,
    asked,
    isComplete,
  }: { shown: readonly Shown[]; world: NodesWorld; asked: NodeAsked; isComplete: boolean },
): readonly RightOutcome[] | undefined {
  const denials = said.filter(({ stance }) => stance === 'denies').length;
  const needed = neededDenials(world);
  // What a node has seen something of is on its way already.
  if (said.some(({ stance }) => stance === 'insists')) {
    return [{ outcome: 'pending', canBeSent: undefined, holdsNonce: false }];
  }
  const waiting = (isComplete ? said : said.slice(0, 1)).find(({ stance }) => stance === 'waits' || stance === 'holds');
  if (waiting && denials < needed) {
    return [{ outcome: 'pending', canBeSent: canBeSent(shown, asked), holdsNonce: waiting.stance === 'holds' }];
  }
  if (!isComplete) return undefined;
  if (denials < needed) return [{ outcome: 'unknown' }];
  if (shown.some(isSimilar)) return [{ outcome: 'unknown' }];
  const failure = shown.find(({ by }) => by === 'itself') ?? shown.find(({ by }) => by === 'equal');
  return [failure ? described(failure, []) : { outcome: 'expired' }];
}

function isSimilar({ by, landed }: Shown): boolean {
  return by === 'similar' && landed.record.error === null;
}

function canBeSent(shown: readonly Shown[], { reading }: NodeAsked): boolean | undefined {
  // The same bytes land once, also where they failed.
  if (shown.some(({ by }) => by === 'itself')) return false;
  if (!shown.some(isSimilar)) return true;
  // Until it is dead, one with a reference is searched by that alone, which a wallet may have left out.
  return reading.transfers.some(({ reference }) => reference !== undefined) ? undefined : false;
}

function outcomeOf(
  found: Shown,
  said: readonly NodeSays[],
  ambiguous: readonly string[],
  quorum: number,
  isComplete: boolean,
): readonly RightOutcome[] | undefined {
  const { signature } = found.landed.record;
  const showing = said.flatMap((each) => each.shown.find(({ landed }) => landed.record.signature === signature) ?? []);
  const [first] = showing;
  const isFinal = showing.filter((each) => each.isFinal).length >= quorum;
  if (first && showing.length >= quorum) return [described({ ...first, isFinal }, ambiguous)];
  return isComplete
    ? [{ outcome: 'unknown' }, { outcome: 'pending', canBeSent: undefined, holdsNonce: false }]
    : undefined;
}

function described({ landed, isFinal }: Shown, ambiguous: readonly string[]): RightOutcome {
  const { signature, error } = landed.record;
  return { outcome: error === null ? 'landed' : 'failed', signature, isFinal, ambiguous };
}

// What is known to be another's is not it, unless it has the very same message.
function isAnothers({ by, landed }: Shown, { others }: NodeAsked): boolean {
  return by !== 'itself' && others.has(landed.reading.message);
}

function oldestFirst(shown: readonly Shown[]): readonly Shown[] {
  return shown.toSorted((one, other) => Number(one.landed.slot - other.landed.slot));
}

function distinct(shown: readonly Shown[]): readonly Shown[] {
  const signatures: readonly string[] = shown.map(({ landed }) => landed.record.signature);
  return shown.filter(({ landed }, index) => signatures.indexOf(landed.record.signature) === index);
}
