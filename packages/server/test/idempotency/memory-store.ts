import type {
  BuiltRecord,
  BuiltReply,
  Claim,
  ClaimAttempt,
  IdempotencyStore,
  LandedTransaction,
  RequestId,
} from '../../src/idempotency/idempotency-store.ts';

type Row = {
  bodyHash: string;
  attempt: string;
  startedAt: number;
  leaseMs: number;
  expiresAt: number;
  landed: readonly LandedTransaction[];
} & ({ state: 'building' } | { state: 'built'; built: BuiltReply });

/** A store in memory, each of whose calls is one step, as it is in a database. */
export class MemoryIdempotencyStore implements Omit<IdempotencyStore, 'prune'> {
  readonly rows = new Map<string, Row>();
  /** The request of each message. */
  readonly messages = new Map<string, string>();
  /** What the stored replies are said to take. */
  storedBytes = 0;
  /** Runs around each call, with its name: waits, or throws, before and after it takes effect. */
  around: <T>(call: string, effect: () => T) => Promise<T> = async (_call, effect) => effect();

  claim(id: RequestId, claim: ClaimAttempt): Promise<Claim> {
    return this.around('claim', (): Claim => {
      const row = this.rows.get(keyOf(id));
      const isExpired = row !== undefined && row.expiresAt <= claim.now;
      const isLeft = row?.state === 'building' && row.startedAt + claim.leaseMs <= claim.now;
      const isOther = row !== undefined && row.bodyHash !== claim.bodyHash;
      if (row === undefined || isExpired || (isLeft && !(isOther && row.landed.length > 0))) {
        const landed = row && !isExpired ? row.landed : [];
        this.rows.set(keyOf(id), building(claim, landed));
        return { kind: 'claimed', landed };
      }
      if (isOther) return { kind: 'other_body' };
      if (row.state === 'building') return { kind: 'building', startedAt: row.startedAt };
      const { attempt, startedAt, landed } = row;
      return { kind: 'built', record: { ...row.built, attempt, startedAt, landed } };
    });
  }

  reclaim(
    id: RequestId,
    from: BuiltRecord,
    claim: ClaimAttempt,
    landed: readonly LandedTransaction[],
  ): Promise<boolean> {
    return this.around('reclaim', () => {
      const row = this.rows.get(keyOf(id));
      if (row?.state !== 'built' || row.attempt !== from.attempt) return false;
      this.rows.set(keyOf(id), building(claim, landed));
      return true;
    });
  }

  claimMessages(
    id: RequestId,
    attempt: string,
    messageHashes: readonly string[],
  ): Promise<'claimed' | 'taken' | 'lost'> {
    return this.around('claimMessages', () => {
      const row = this.rows.get(keyOf(id));
      if (row?.state !== 'building' || row.attempt !== attempt) return 'lost';
      const free = messageHashes.filter((hash) => !this.#isOfAnother(hash, id));
      for (const hash of free) this.messages.set(hash, keyOf(id));
      return free.length === messageHashes.length ? 'claimed' : 'taken';
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
      if (row?.state !== 'building' || row.attempt !== attempt) return;
      if (row.landed.length > 0) this.rows.set(keyOf(id), { ...row, startedAt: 0 });
      else this.#delete(id);
    });
  }

  isBuiltByAnother(messageHash: string, id: RequestId): Promise<boolean> {
    return this.around('isBuiltByAnother', () => this.#isOfAnother(messageHash, id));
  }

  async storedBytesOf(): Promise<number> {
    return this.storedBytes;
  }

  #isOfAnother(messageHash: string, id: RequestId): boolean {
    const owner = this.messages.get(messageHash);
    return owner !== undefined && owner !== keyOf(id);
  }

  #delete(id: RequestId): void {
    this.rows.delete(keyOf(id));
    for (const [hash, owner] of this.messages) if (owner === keyOf(id)) this.messages.delete(hash);
  }
}

function keyOf({ scope, path, key }: RequestId): string {
  return JSON.stringify([scope, path, key]);
}

function building(
  { bodyHash, attempt, now, leaseMs, retentionMs }: ClaimAttempt,
  landed: readonly LandedTransaction[],
): Row {
  return { state: 'building', bodyHash, attempt, startedAt: now, leaseMs, expiresAt: now + retentionMs, landed };
}
