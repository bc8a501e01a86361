import { type RightOutcome, rightOutcomes } from './expected-outcome.ts';
import { withBlindness, withFailures } from './node-world.ts';
import { allBuilds, type Built, currentLifetime, type Errand, type Trial } from './trial.ts';

/** A reply that would be right. */
export type RightReply =
  | { kind: 'new' }
  | { kind: 'replay'; built: Built }
  | { kind: 'refused'; code: string; signature?: string };

/** Every reply that would be right to a request of an errand: mostly there is one. */
export function rightReplies(trial: Trial, errand: Errand): readonly RightReply[] {
  const { record, idempotencyKey } = errand;
  const { now } = trial.services.clock;
  if (idempotencyKey === undefined || record.kind === 'none' || now >= record.until) return newReplies(trial, errand);
  if (record.kind === 'building') return [{ kind: 'refused', code: 'idempotency_in_progress' }];
  const { built } = record;
  const replies = outcomesOf(trial, errand, built).flatMap((right) => replyFor(trial, built, right));
  return replies.flatMap((reply) => (reply.kind === 'new' ? newReplies(trial, errand) : reply));
}

/**
 * What is right where something may be built: it is, unless another request under a key was given the same bytes, or was about
 * to be, of which a service that died may have left the trace.
 */
export function newReplies(trial: Trial, errand: Errand): readonly RightReply[] {
  const lifetime = currentLifetime(trial);
  const text = JSON.stringify(errand.posted);
  const isTwin = (other: Errand): boolean =>
    other !== errand && other.idempotencyKey !== undefined && JSON.stringify(other.posted) === text;
  const isTaken =
    errand.idempotencyKey !== undefined &&
    [...trial.errands.values()].some((other) => isTwin(other) && other.askedAt.has(lifetime));
  return isTaken ? [{ kind: 'new' }, { kind: 'refused', code: 'identical_transaction' }] : [{ kind: 'new' }];
}

/** The outcomes that would be right for what an errand was answered last, as its service asks for them. */
function outcomesOf(trial: Trial, errand: Errand, built: Built): readonly RightOutcome[] {
  const { cluster, nodes, world } = trial;
  // In a storm any node may fail, and the others are asked instead.
  const worlds = world.isStormy ? withFailures(world.nodes) : withBlindness(world.nodes);
  const rights = [true, false].flatMap((countsForgotten) => {
    const asked = {
      reading: built.reading,
      lastValidBlockHeight: built.lastValidBlockHeight,
      nonceAccount: trial.nonceAccount,
      others: messagesOfOthers(trial, errand, countsForgotten),
    };
    return worlds.flatMap((each) => rightOutcomes({ cluster, nodes, world: each }, asked));
  });
  return rights.filter(
    (right, index) => rights.findIndex((each) => JSON.stringify(each) === JSON.stringify(right)) === index,
  );
}

// A record that has expired may still be in the database, until it is pruned.
function messagesOfOthers(trial: Trial, errand: Errand, countsForgotten: boolean): ReadonlySet<string> {
  const { now } = trial.services.clock;
  const own = errand.record.kind === 'built' ? errand.record.built.reading.message : undefined;
  const messages = allBuilds(trial).flatMap(({ errand: other, built }) => {
    const { record } = other;
    const isRemembered = record.kind === 'built' && record.built === built && (countsForgotten || now < record.until);
    return other !== errand && other.idempotencyKey !== undefined && isRemembered ? [built.reading.message] : [];
  });
  return new Set(messages.filter((message) => message !== own));
}

function replyFor({ cluster }: Trial, built: Built, right: RightOutcome): readonly RightReply[] {
  const mayLand: RightReply = { kind: 'refused', code: 'previous_may_land' };
  switch (right.outcome) {
    case 'landed':
      return [{ kind: 'refused', code: 'already_landed', signature: right.signature }];
    case 'failed':
      return [right.isFinal ? { kind: 'new' } : mayLand];
    case 'expired':
      return [{ kind: 'new' }];
    case 'unknown':
      return [mayLand];
    case 'no_answer':
      return [{ kind: 'refused', code: 'upstream' }];
    case 'pending': {
      const { lastValidBlockHeight: last } = built;
      const isAlive = last === undefined ? right.holdsNonce : cluster.heightOf(cluster.tip) <= last;
      const replay: RightReply = { kind: 'replay', built };
      if (!isAlive) return [mayLand];
      return right.canBeSent === undefined ? [replay, mayLand] : [right.canBeSent ? replay : mayLand];
    }
  }
}
