import type {
  BuiltRecord,
  BuiltReply,
  Claim,
  ClaimAttempt,
  IdempotencyStore,
  RequestId,
} from '../../src/keys/store/idempotency-store.ts';

type Row = { bodyHash: string; attempt: string; startedAt: number; leaseMs: number; expiresAt: number } & (
  | { state: 'building'; messageHash?: string }
  | { state: 'built'; built: BuiltReply }
);

/** A store in memory, each of whose calls is one step, as it is in a database. */
export class MemoryIdempotencyStore implements Omit<IdempotencyStore, 'prune'> {
  readonly rows = new Map<string, Row>();
  /** Runs around each call, with its name: waits, or throws, before and after it takes effect. */
  around: <T>(call: string, effect: () => T) => Promise<T> = async (_call, effect) => effect();

  claim(id: RequestId, claim: ClaimAttempt): Promise<Claim> {
    return this.around('claim', () => {
      const row = this.rows.get(keyOf(id));
      const isGone =
        row === undefined ||
        row.expiresAt <= claim.now ||
        (row.state === 'building' && row.startedAt + claim.leaseMs <= claim.now);
      if (isGone) {
        this.rows.set(keyOf(id), building(claim));
        return { kind: 'claimed' };
      }
      if (row.bodyHash !== claim.bodyHash) return { kind: 'other_body' };
      if (row.state === 'building') return { kind: 'building', startedAt: row.startedAt };
      return { kind: 'built', record: { ...row.built, attempt: row.attempt, startedAt: row.startedAt } };
    });
  }

  reclaim(id: RequestId, from: BuiltRecord, claim: ClaimAttempt): Promise<boolean> {
    return this.around('reclaim', () => {
      const row = this.rows.get(keyOf(id));
      if (row?.state !== 'built' || row.attempt !== from.attempt) return false;
      this.rows.set(keyOf(id), building(claim));
      return true;
    });
  }

  claimMessage(id: RequestId, attempt: string, messageHash: string): Promise<'claimed' | 'taken' | 'lost'> {
    return this.around('claimMessage', () => {
      const row = this.rows.get(keyOf(id));
      if (row?.state !== 'building' || row.attempt !== attempt) return 'lost';
      row.messageHash = messageHash;
      return this.#isOfAnother(messageHash, id) ? 'taken' : 'claimed';
    });
  }

  complete(id: RequestId, attempt: string, built: BuiltReply, now: number, retentionMs: number): Promise<boolean> {
    return this.around('complete', () => {
      const row = this.rows.get(keyOf(id));
      if (row?.state !== 'building' || row.attempt !== attempt) return false;
      this.rows.set(keyOf(id), { ...row, state: 'built', built, expiresAt: now + retentionMs });
      return true;
    });
  }

  release(id: RequestId, attempt: string): Promise<void> {
    return this.around('release', () => {
      const row = this.rows.get(keyOf(id));
      if (row?.state === 'building' && row.attempt === attempt) this.rows.delete(keyOf(id));
    });
  }

  isBuiltByAnother(messageHash: string, id: RequestId): Promise<boolean> {
    return this.around('isBuiltByAnother', () => this.#isOfAnother(messageHash, id));
  }

  #isOfAnother(messageHash: string, id: RequestId): boolean {
    return [...this.rows].some(
      ([key, row]) =>
        key !== keyOf(id) && (row.state === 'built' ? row.built.messageHash : row.messageHash) === messageHash,
    );
  }
}

function keyOf({ scope, path, key }: RequestId): string {
  return JSON.stringify([scope, path, key]);
}

function building({ bodyHash, attempt, now, leaseMs, retentionMs }: ClaimAttempt): Row {
  return { state: 'building', bodyHash, attempt, startedAt: now, leaseMs, expiresAt: now + retentionMs };
}
