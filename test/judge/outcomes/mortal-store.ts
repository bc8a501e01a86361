import type { BuiltReply, IdempotencyStore } from '../../../packages/server/src/idempotency/idempotency-store.ts';

/** When a service dies, as `kill -9` ends it: nothing that it still had to write is written. */
export interface Mortality {
  /** The next time that a reply is stored it dies, before or after; or not. */
  dies: 'before_storing' | 'after_storing' | undefined;
  /** The last reply that was to be stored. */
  last: BuiltReply | undefined;
}

/** Thrown out of a store whose service is dead. */
class Death extends Error {}

/** Makes a service die where its store is used: the attempt that dies writes nothing more, neither does it clean up. */
export function mortalStore(store: IdempotencyStore): {
  mortality: Mortality;
  idempotency: IdempotencyStore;
} {
  const mortality: Mortality = { dies: undefined, last: undefined };
  const dead = new Set<string>();
  const idempotency: IdempotencyStore = {
    claim: (id, claim) => store.claim(id, claim),
    reclaim: (id, from, claim, landed) => store.reclaim(id, from, claim, landed),
    isBuiltByAnother: (messageHash, id) => store.isBuiltByAnother(messageHash, id),
    claimMessages: (id, attempt, messageHashes) => store.claimMessages(id, attempt, messageHashes),
    storedBytesOf: (scope, now) => store.storedBytesOf(scope, now),
    prune: (now) => store.prune(now),
    async complete(id, attempt, built, now, retentionMs) {
      const { dies } = mortality;
      mortality.dies = undefined;
      mortality.last = built;
      if (dies !== undefined) dead.add(attempt);
      if (dies === 'before_storing') throw new Death('it dies before it stores');
      const isStored = await store.complete(id, attempt, built, now, retentionMs);
      if (dies === 'after_storing') throw new Death('it dies after it stored');
      return isStored;
    },
    async release(id, attempt) {
      if (!dead.has(attempt)) await store.release(id, attempt);
    },
  };
  return { mortality, idempotency };
}
