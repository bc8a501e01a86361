import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isAppError } from '../../../src/errors.ts';
import type { StoredPaymentLink } from '../../../src/keys/store/payment-links/payment-link-store.ts';
import { CheckBudget } from '../../../src/payments/check/check-budget.ts';
import { type FreshnessNeed, LinkWatch } from '../../../src/payments/check/link-watch.ts';
import { createdAt, samplePayment, storedLink } from '../sample-link.ts';

const never = Number.POSITIVE_INFINITY;
const payer = { maxAgeMs: 1_500, isRequired: true };

/** A watch over one stored link, with a clock that is set by hand, and checks that end as the test says. */
class WatchScene {
  elapsed = 50_000;
  /** The stored link, checked an hour ago. */
  stored: StoredPaymentLink | undefined = storedLink({ checkedAt: new Date(createdAt - 3_600_000) });
  readonly checks: { deadline: number; ended: PromiseWithResolvers<void> }[] = [];
  /** Whether checks end at once, and well. */
  endsAtOnce = true;
  readonly watch: LinkWatch;
  readonly known: StoredPaymentLink;

  constructor({ perSecond = 1_000, checkTimeoutMs = 60_000 }: { perSecond?: number; checkTimeoutMs?: number } = {}) {
    const elapsed = () => this.elapsed;
    this.known = this.stored ?? assert.fail();
    this.watch = new LinkWatch({
      checker: { check: (_known, _examined, deadline) => this.#check(deadline) },
      store: { find: async () => this.stored },
      budget: new CheckBudget(perSecond, elapsed),
      checkTimeoutMs,
      now: () => createdAt + this.elapsed,
      elapsed,
    });
  }

  refresh(need: FreshnessNeed = {}, deadline = never): Promise<StoredPaymentLink> {
    return this.watch.refresh(this.stored ?? this.known, need, deadline);
  }

  /** Whether the chain is asked when somebody looks after so many milliseconds. */
  async asksAfter(ms: number, need: FreshnessNeed = {}): Promise<boolean> {
    this.elapsed += ms;
    const before = this.checks.length;
    await this.refresh(need);
    return this.checks.length > before;
  }

  #check(deadline: number): Promise<void> {
    const ended = Promise.withResolvers<void>();
    this.checks.push({ deadline, ended });
    if (this.endsAtOnce) ended.resolve();
    return ended.promise;
  }
}

/** Lets everything that can go on without a clock go on. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('a payment link that is looked at', () => {
  it('is checked when its last check is ten seconds old, with the time that a check may take', async () => {
    const scene = new WatchScene({ checkTimeoutMs: 2_000 });
    assert.ok(await scene.asksAfter(0));
    assert.equal(scene.checks[0]?.deadline, 52_000);
    assert.deepEqual([await scene.asksAfter(9_999), await scene.asksAfter(1)], [false, true]);
  });

  it('is checked after a second and a half while a payment is confirmed, or for a payer', async () => {
    const scene = new WatchScene();
    await scene.refresh();
    assert.deepEqual([await scene.asksAfter(1_499, payer), await scene.asksAfter(1, payer)], [false, true]);
    scene.stored = { ...scene.known, payments: [samplePayment()] };
    assert.deepEqual([await scene.asksAfter(1_499), await scene.asksAfter(1)], [false, true]);
    scene.stored = { ...scene.known, payments: [samplePayment({ commitment: 'finalized' })] };
    assert.equal(await scene.asksAfter(9_999), false);
  });

  it('is checked after a second and a half for three minutes after a payer was given a transaction', async () => {
    for (const [ms, asks] of [
      [179_999, true],
      [180_000, false],
    ] as const) {
      const scene = new WatchScene();
      await scene.refresh();
      scene.watch.noteHandedOut('link1');
      assert.deepEqual([await scene.asksAfter(1_499), await scene.asksAfter(1)], [false, true]);
      assert.ok(await scene.asksAfter(175_000));
      assert.equal(await scene.asksAfter(ms - 176_500), asks, String(ms));
    }
  });

  it('is not checked where another process has done so, unless that seems to be still to come', async () => {
    const scene = new WatchScene();
    const checkedAgo = (ms: number): StoredPaymentLink =>
      storedLink({ checkedAt: new Date(createdAt + scene.elapsed - ms) });
    for (const [ms, asks] of [
      [0, false],
      [9_999, false],
      [10_000, true],
    ] as const) {
      scene.elapsed += 100_000;
      scene.stored = checkedAgo(ms);
      assert.equal(await scene.asksAfter(0), asks, String(ms));
    }
    scene.elapsed += 100_000;
    scene.stored = checkedAgo(-1);
    assert.ok(await scene.asksAfter(0));
    scene.elapsed += 100_000;
    scene.stored = storedLink({ checkedAt: null });
    assert.ok(await scene.asksAfter(0));
  });

  it('is never checked once it is settled, also for a payer', async () => {
    const scene = new WatchScene();
    scene.stored = storedLink({ settledAt: new Date(createdAt), checkedAt: new Date(createdAt - 3_600_000) });
    assert.deepEqual([await scene.asksAfter(3_600_000), await scene.asksAfter(0, payer)], [false, false]);
  });

  it('is returned as the check has stored it, and as it was known where it is gone since', async () => {
    const scene = new WatchScene();
    const before = scene.known;
    const paid = { ...before, payments: [samplePayment()] };
    scene.stored = paid;
    assert.equal(await scene.watch.refresh(before, {}, never), paid);
    scene.elapsed += 10_000;
    scene.stored = undefined;
    assert.equal(await scene.watch.refresh(before, {}, never), before);
  });
});

describe('a check of a payment link', () => {
  it('is one for all who ask while it runs, and for a payer one that began when he asked or within the time before', async () => {
    const scene = new WatchScene();
    scene.endsAtOnce = false;
    const first = scene.refresh();
    await settled();
    scene.elapsed += 1_499;
    const second = scene.refresh(payer);
    scene.elapsed += 1;
    const third = scene.refresh(payer);
    await settled();
    assert.equal(scene.checks.length, 1);
    scene.checks[0]?.ended.resolve();
    await first;
    await settled();
    // When it ends it is too old for those who need it younger: one more serves both of them.
    assert.equal(scene.checks.length, 2);
    scene.checks[1]?.ended.resolve();
    await Promise.all([second, third]);
    assert.equal(scene.checks.length, 2);
  });

  it('that fails is refused to those who have started it or need it, and is not made again at once for others', async () => {
    const scene = new WatchScene();
    scene.endsAtOnce = false;
    const fault = new Error('no answer');
    const first = scene.refresh();
    await settled();
    scene.elapsed += 1_000;
    const young = scene.refresh(payer);
    scene.elapsed += 500;
    const old = scene.refresh(payer);
    await settled();
    const refused = Promise.all([first, young].map((each) => assert.rejects(each, fault)));
    scene.checks[0]?.ended.reject(fault);
    await refused;
    await settled();
    // It was too old for the last payer, who gets one of his own.
    assert.equal(scene.checks.length, 2);
    const oldRefused = assert.rejects(old, fault);
    scene.checks[1]?.ended.reject(fault);
    await oldRefused;
    scene.endsAtOnce = true;
    assert.deepEqual([await scene.asksAfter(9_999), await scene.asksAfter(1)], [false, true]);
  });

  it('that has failed is made again at once for a payer', async () => {
    const scene = new WatchScene();
    scene.endsAtOnce = false;
    const first = assert.rejects(scene.refresh(), /no answer/);
    await settled();
    scene.checks[0]?.ended.reject(new Error('no answer'));
    await first;
    scene.endsAtOnce = true;
    assert.deepEqual([await scene.asksAfter(0), await scene.asksAfter(0, payer)], [false, true]);
  });

  it('is waited for until the deadline of whoever asks, and no longer than it may take', async () => {
    for (const [deadlineMs, checkTimeoutMs] of [
      [1, 60_000],
      [60_000, 1],
      [-1, 60_000],
    ] as const) {
      const scene = new WatchScene({ checkTimeoutMs });
      scene.endsAtOnce = false;
      const refused = scene.refresh({}, scene.elapsed + deadlineMs);
      await assert.rejects(refused, (error) => isAppError(error, 'upstream_timeout'));
      scene.checks[0]?.ended.resolve();
      await settled();
      // It has served those who ask after its end.
      assert.equal(await scene.asksAfter(0), false);
    }
  });

  it('is made as often as the budget allows: otherwise what is known is enough, but not for a payer', async () => {
    const scene = new WatchScene({ perSecond: 1 });
    assert.ok(await scene.asksAfter(0));
    // Another link takes the check of the second that follows.
    const other = storedLink({ id: 'link2', checkedAt: null });
    await assert.rejects(scene.watch.refresh(other, payer, scene.elapsed + 999), (error) => {
      assert.ok(isAppError(error, 'overloaded'));
      assert.equal(error.retryAfterSeconds, 1);
      return true;
    });
    assert.equal(await scene.watch.refresh(other, {}, never), other);
    assert.equal(scene.checks.length, 1);
    scene.elapsed += 999;
    await scene.watch.refresh(other, payer, scene.elapsed + 2);
    assert.equal(scene.checks.length, 2);
  });

  it('of a payer waits for its turn in the budget', async () => {
    const scene = new WatchScene({ perSecond: 20 });
    for (let count = 0; count < 20; count += 1) {
      await scene.watch.refresh(storedLink({ id: `other${count}`, checkedAt: null }), {}, never);
    }
    assert.equal(scene.checks.length, 20);
    const askedAt = performance.now();
    await scene.refresh(payer, scene.elapsed + 50);
    // A timer may be a millisecond early.
    assert.ok(performance.now() - askedAt >= 48);
    assert.equal(scene.checks.length, 21);
  });

  it('that is to come too late says when to ask again, in whole seconds', async () => {
    const scene = new WatchScene({ perSecond: 0.4 });
    const stale = storedLink({ id: 'link2', checkedAt: null });
    await assert.rejects(scene.watch.refresh(stale, payer, scene.elapsed), (error) => {
      assert.ok(isAppError(error, 'overloaded'));
      assert.equal(error.retryAfterSeconds, 2);
      return true;
    });
  });
});
