import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { BuiltRecord, Claim, ClaimAttempt } from '../../../src/idempotency/idempotent-request.ts';
import type { IdempotencyRecords } from '../../../src/idempotency/records/idempotency-records.ts';
import { isAppError } from '../../../src/problems.ts';
import { keyDatabases, openPatiently } from '../../store/databases.ts';
import { claimBy, landedWith, replyWith, requestOf, sentAs, start } from './idempotent-requests.ts';

const leaseMs = 10;
const retentionMs = 40;

interface ModelRow {
  body: string;
  attempt: string;
  startedAt: number;
  expiresAt: number;
  isBuilt: boolean;
  hasReply: boolean;
  /** How many transactions of earlier replies have landed. */
  landed: number;
}

type Completion = 'stored' | 'taken' | 'lost';

async function complete(store: IdempotencyRecords, ...input: Parameters<IdempotencyRecords['complete']>) {
  try {
    return (await store.complete(...input)) ? 'stored' : 'lost';
  } catch (error) {
    if (isAppError(error, 'identical_transaction')) return 'taken';
    throw error;
  }
}

/** What the store promises, for one scope, as plain as it can be said. */
class Model {
  readonly rows = new Map<string, ModelRow>();
  /** The key of each message. */
  readonly messages = new Map<string, string>();

  claim(key: string, { bodyHash, attempt, now }: ClaimAttempt): Claim['kind'] {
    const row = this.rows.get(key);
    const hasExpired = row !== undefined && row.expiresAt <= now;
    const isLeft = row?.isBuilt === false && row.startedAt + leaseMs <= now;
    if (!row || hasExpired || (isLeft && row.landed === 0)) {
      this.#set(key, bodyHash, attempt, now, 0);
      return 'claimed';
    }
    if (row.body !== bodyHash) return 'other_body';
    return row.isBuilt || isLeft ? 'built' : 'building';
  }

  reclaim(key: string, from: BuiltRecord, { bodyHash, attempt, now }: ClaimAttempt, landed: number): boolean {
    const row = this.rows.get(key);
    if (row?.attempt !== from.attempt || row.isBuilt !== (from.state === 'built')) return false;
    const { expiresAt } = row;
    this.#set(key, bodyHash, attempt, now, landed);
    const reclaimed = this.rows.get(key);
    if (reclaimed) reclaimed.expiresAt = Math.max(reclaimed.expiresAt, expiresAt);
    return true;
  }

  complete(key: string, attempt: string, messages: readonly string[], now: number): Completion {
    const row = this.rows.get(key);
    if (!row || !this.#isAttempt(key, attempt)) return 'lost';
    if (messages.some((message) => this.isBuiltByAnother(message, key))) return 'taken';
    for (const message of messages) this.messages.set(message, key);
    this.rows.set(key, { ...row, isBuilt: true, hasReply: true, expiresAt: now + retentionMs });
    return 'stored';
  }

  release(key: string, attempt: string): void {
    const row = this.rows.get(key);
    if (!row || !this.#isAttempt(key, attempt)) return;
    if (row.landed > 0) this.rows.set(key, { ...row, isBuilt: true });
    else this.#delete(key);
  }

  isBuiltByAnother(message: string, key: string): boolean {
    return this.messages.has(message) && this.messages.get(message) !== key;
  }

  prune(now: number): void {
    for (const [key, row] of this.rows) if (row.expiresAt <= now) this.#delete(key);
  }

  #isAttempt(key: string, attempt: string): boolean {
    const row = this.rows.get(key);
    return row !== undefined && !row.isBuilt && row.attempt === attempt;
  }

  #set(key: string, body: string, attempt: string, startedAt: number, landed: number): void {
    const expiresAt = startedAt + retentionMs;
    this.rows.set(key, { body, attempt, startedAt, expiresAt, isBuilt: false, hasReply: false, landed });
  }

  #delete(key: string): void {
    this.rows.delete(key);
    for (const [message, owner] of this.messages) if (owner === key) this.messages.delete(message);
  }
}

const key = fc.constantFrom('x', 'y');
const client = fc.nat({ max: 2 });
const message = fc.constantFrom('m', 'n', 'o');
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('claim'), client, key, body: fc.constantFrom('a', 'a', 'b') }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('complete'), client, key, messages: fc.uniqueArray(message) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reclaim'), client, key, landed: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release'), client, key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('isBuiltByAnother'), key, message }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait'), ms: fc.constantFrom(1, 9, 10, 30, 40) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prune') }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Runs the same steps on the store and on the model, each answer compared. */
async function follow(stores: readonly IdempotencyRecords[], scope: string, steps: readonly Step[]): Promise<void> {
  const model = new Model();
  let now = start;
  let count = 0;
  /** Of each client and key: its newest attempt, and the reply that it saw last. */
  const attempts = new Map<string, string>();
  const records = new Map<string, BuiltRecord>();
  const claimOf = (place: string, bodyHash: string): ClaimAttempt => {
    count += 1;
    attempts.set(place, `attempt ${count}`);
    return { bodyHash, attempt: `attempt ${count}`, now, leaseMs, retentionMs };
  };
  for (const next of steps) {
    // Two processes share the database.
    const store = stores['client' in next ? next.client % stores.length : 0] ?? assert.fail();
    if (next.kind === 'wait') now += next.ms;
    if (next.kind === 'prune') {
      while ((await store.prune(now)) > 0);
      model.prune(now);
    }
    if (next.kind === 'isBuiltByAnother') {
      const [hash, id] = [`${scope} ${next.message}`, requestOf(next.key, { scope })];
      assert.equal(await store.isBuiltByAnother(hash, id), model.isBuiltByAnother(hash, next.key));
    }
    if (!('client' in next)) continue;
    const id = requestOf(next.key, { scope });
    const place = `${next.client} ${next.key}`;
    const attempt = attempts.get(place) ?? 'none';
    if (next.kind === 'claim') {
      const claim = claimOf(place, next.body);
      const answer = await store.claim(id, claim);
      assert.equal(answer.kind, model.claim(next.key, claim));
      const row = model.rows.get(next.key);
      if (answer.kind === 'building') assert.equal(answer.startedAt, row?.startedAt);
      if (answer.kind === 'built') {
        records.set(place, answer.record);
        const { attempt, startedAt, landed } = answer.record;
        assert.deepEqual([attempt, startedAt, landed.length], [row?.attempt, row?.startedAt, row?.landed]);
        assert.equal(answer.record.whole?.reply, row?.hasReply ? `reply of ${row?.attempt}` : undefined);
      }
    } else if (next.kind === 'complete') {
      const messageHashes = next.messages.map((each) => `${scope} ${each}`);
      const built = replyWith({ reply: `reply of ${attempt}`, sent: sentAs(messageHashes) });
      const completion = await complete(store, id, attempt, built, now, retentionMs);
      assert.equal(completion, model.complete(next.key, attempt, messageHashes, now));
    } else if (next.kind === 'release') {
      await store.release(id, attempt);
      model.release(next.key, attempt);
    } else {
      const record = records.get(place);
      if (record === undefined) continue;
      const claim = claimOf(place, 'a');
      const landed = Array.from({ length: next.landed }, () => landedWith());
      const reclaimed = await store.reclaim(id, record, claim, { transactions: [], landed });
      assert.equal(reclaimed !== undefined, model.reclaim(next.key, record, claim, landed.length));
    }
  }
}

for (const { name, newUrl } of keyDatabases) {
  describe(`the requests of several clients in ${name}`, () => {
    it('go as in a plain model, whatever they do in whatever order', async (t) => {
      const url = await newUrl(t);
      const stores = await Promise.all([1, 2].map(() => openPatiently(url, t)));
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
          runs += 1;
          return follow(
            stores.map(({ idempotency }) => idempotency),
            `key_${runs}`,
            steps,
          );
        }),
        { numRuns: name === 'PostgreSQL' ? 40 : 150 },
      );
    });

    it('are not deleted under an attempt that took the place of an expired one', async (t) => {
      const url = await newUrl(t);
      const stores = await Promise.all([1, 2].map(() => openPatiently(url, t)));
      const [requests, pruned] = stores.map(({ idempotency }) => idempotency);
      assert.ok(requests && pruned);
      for (let round = 0; round < 20; round += 1) {
        const ids = Array.from({ length: 8 }, (_, index) => requestOf(`order ${round}.${index}`));
        await Promise.all(ids.map((id) => requests.claim(id, claimBy('old', { retentionMs: 1 }))));
        const now = start + 1;
        const pruning = pruned.prune(now);
        const attempts = ids.map(async (id) => {
          assert.equal((await requests.claim(id, claimBy('new', { now }))).kind, 'claimed');
          assert.equal(await requests.complete(id, 'new', replyWith(), now, 1_000_000), true, id.key);
        });
        await Promise.all([pruning, ...attempts]);
      }
    });

    it('share no message, though they claim some of the same at once, in whatever order', async (t) => {
      const url = await newUrl(t);
      const stores = await Promise.all([1, 2].map(() => openPatiently(url, t)));
      for (let round = 0; round < 8; round++) {
        const claiming = Array.from({ length: 6 }, async (_, index) => {
          const { idempotency: store } = stores[index % 2] ?? assert.fail();
          const id = requestOf(`${round}.${index}`);
          await store.claim(id, claimBy('1'));
          const messages = Array.from({ length: 40 }, (_, number) => `${round}: ${(number + 10 * index) % 100}`);
          const messageHashes = index % 2 === 0 ? messages : messages.reverse();
          const completion = await complete(
            store,
            id,
            '1',
            replyWith({ sent: sentAs(messageHashes) }),
            start,
            retentionMs,
          );
          return completion === 'stored' ? messages : [];
        });
        const claimed = (await Promise.all(claiming)).flat();
        assert.equal(new Set(claimed).size, claimed.length);
      }
    });

    it('hand out one reply for each claim, however their steps interleave', async (t) => {
      const url = await newUrl(t);
      const stores = await Promise.all([1, 2].map(() => openPatiently(url, t)));
      let runs = 0;
      const plan = fc.array(fc.constantFrom('complete', 'release', 'abandon'), { minLength: 2, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(fc.array(plan, { minLength: 2, maxLength: 6 }), async (plans) => {
          runs += 1;
          const id = requestOf('x', { scope: `key_${runs}` });
          const clock = { now: start };
          const handedOut = await Promise.all(
            plans.map(async (steps, client) => {
              const { idempotency: store } = stores[client % stores.length] ?? assert.fail();
              const replies: string[] = [];
              for (const [index, ending] of steps.entries()) {
                clock.now += 1;
                const attempt = `${client}.${index}`;
                const claim = { bodyHash: 'a', attempt, now: clock.now, leaseMs, retentionMs: 1_000_000 };
                const { kind } = await store.claim(id, claim);
                if (kind !== 'claimed') continue;
                if (ending === 'release') await store.release(id, attempt);
                if (ending !== 'complete') continue;
                const isStored = await store.complete(id, attempt, replyWith({ reply: attempt }), clock.now, 1_000_000);
                if (isStored) replies.push(attempt);
              }
              return replies;
            }),
          );
          const replies = handedOut.flat();
          assert.ok(replies.length <= 1, `handed out: ${replies.join(', ')}`);
        }),
        { numRuns: 30 },
      );
    });
  });
}
