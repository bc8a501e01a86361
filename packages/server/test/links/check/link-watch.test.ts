import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Work, type WorkOptions } from '../../../src/app/work.ts';
import { LinkWatch, type Look } from '../../../src/links/check/link-watch.ts';
import { FairPace } from '../../../src/links/fair-pace.ts';
import type { PaymentLink, StoredPaymentLink } from '../../../src/links/records/payment-link.ts';
import { isAppError } from '../../../src/problems.ts';
import { createdAt, samplePayment, storedLink } from '../sample-link.ts';

/** A payer who wants to pay. */
const payer = { isOwners: false, maxAgeMs: 1_500, isRequired: true };

/** A look of the link's owner, unless told otherwise. */
function lookOf(changes: Partial<Omit<Look, 'work'>> = {}, work: WorkOptions = {}): Look {
  return { isOwners: true, ...changes, work: new Work(work) };
}

// Far ahead of the clock of the process, by which work looks at its deadline: an hour, since the ledgers of other tests in the
// process follow where it is set to this.
const startedAt = 3_600_000;

/** A watch over one stored link, with a clock that is set by hand, and checks that end as the test says. */
class WatchScene {
  elapsed = startedAt;
  /** The stored link, checked an hour ago. */
  stored: StoredPaymentLink | undefined = storedLink({ checkedAt: new Date(createdAt - 3_600_000) });
  /** The other stored links. */
  readonly others = new Map<string, StoredPaymentLink>();
  /** The owners who have no valid key any more. */
  readonly inactive = new Set<string>();
  readonly checks: { id: string; minSlot: bigint; deadline: number; ended: PromiseWithResolvers<void> }[] = [];
  /** Whether checks end at once, and well. */
  endsAtOnce = true;
  readonly watch: LinkWatch;
  readonly known: StoredPaymentLink;

  constructor({ perSecond = 1_000, checkTimeoutMs = 60_000 }: { perSecond?: number; checkTimeoutMs?: number } = {}) {
    const elapsed = () => this.elapsed;
    this.known = this.stored ?? assert.fail();
    this.watch = new LinkWatch({
      checker: {
        check: async (id, { minSlot }, { deadline }) => {
          await this.#check(id, minSlot, deadline);
          return this.others.get(id) ?? this.stored;
        },
      },
      pace: new FairPace(perSecond, elapsed),
      isOwnerActive: async (ownerId) => !this.inactive.has(ownerId),
      checkTimeoutMs,
      now: () => this.now,
      elapsed,
    });
  }

  /** The wall clock. */
  get now(): number {
    return createdAt + 50_000 + this.elapsed - startedAt;
  }

  refresh(changes: Partial<Omit<Look, 'work'>> = {}, work: WorkOptions = {}): Promise<StoredPaymentLink> {
    return this.watch.refresh(this.stored ?? this.known, lookOf(changes, work));
  }

  /** Whether the chain is asked when somebody looks after so many milliseconds. */
  async asksAfter(ms: number, changes: Partial<Omit<Look, 'work'>> = {}): Promise<boolean> {
    this.elapsed += ms;
    const before = this.checks.length;
    await this.refresh(changes);
    return this.checks.length > before;
  }

  #check(id: string, minSlot: bigint, deadline: number): Promise<void> {
    const ended = Promise.withResolvers<void>();
    this.checks.push({ id, minSlot, deadline, ended });
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
    assert.equal(scene.checks[0]?.deadline, scene.elapsed + 2_000);
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
      scene.stored = storedLink({
        checkedAt: scene.known.link.checkedAt,
        handedOutAt: new Date(scene.now),
      });
      assert.deepEqual([await scene.asksAfter(1_499), await scene.asksAfter(1)], [false, true]);
      assert.ok(await scene.asksAfter(175_000));
      assert.equal(await scene.asksAfter(ms - 176_500), asks, String(ms));
    }
  });

  it('is not checked where another process has done so, unless that seems to be still to come', async () => {
    const scene = new WatchScene();
    const checkedAgo = (ms: number): StoredPaymentLink => storedLink({ checkedAt: new Date(scene.now - ms) });
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

  it('is not checked for payers while its owner has no valid key, whatever they ask for', async () => {
    const scene = new WatchScene();
    scene.inactive.add('owner');
    assert.deepEqual([await scene.asksAfter(0, { isOwners: false }), await scene.asksAfter(0, payer)], [false, false]);
    assert.ok(await scene.asksAfter(0), 'retention settles it');
    scene.inactive.clear();
    assert.ok(await scene.asksAfter(10_000, { isOwners: false }));
  });

  it('is checked for a payer whose payment is under way, although its owner has no valid key any more', async () => {
    const scene = new WatchScene();
    scene.inactive.add('owner');
    const { checkedAt } = scene.known.link;
    scene.stored = storedLink({ checkedAt, handedOutAt: new Date(scene.now) });
    const asks = (ms: number) => scene.asksAfter(ms, { isOwners: false });
    assert.deepEqual([await asks(1_500), await asks(178_500)], [true, false]);
    scene.stored = storedLink({ checkedAt }, [samplePayment()]);
    assert.ok(await asks(0), 'it becomes final');
  });

  it('is not checked for payers when it was closed an hour ago', async () => {
    for (const changes of [{ isOwners: false }, payer]) {
      const scene = new WatchScene();
      scene.stored = storedLink({ checkedAt: null, cancelledAt: new Date(createdAt + 10_000) });
      assert.deepEqual(
        [await scene.asksAfter(3_560_000, changes), await scene.asksAfter(10_000, changes)],
        [true, false],
      );
      assert.ok(await scene.asksAfter(0), 'its owner may still want to know');
    }
  });

  it('is returned as the check has stored it, and as it was known where it is gone since', async () => {
    const scene = new WatchScene();
    const before = scene.known;
    const paid = { ...before, payments: [samplePayment()] };
    scene.stored = paid;
    assert.equal(await scene.watch.refresh(before, lookOf()), paid);
    scene.elapsed += 10_000;
    scene.stored = undefined;
    assert.equal(await scene.watch.refresh(before, lookOf()), before);
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

  it('is asked of nodes that have reached the slot that a reader needs, whoever starts it, until one succeeds', async () => {
    const scene = new WatchScene();
    scene.endsAtOnce = false;
    const first = scene.refresh();
    await settled();
    scene.elapsed += 1;
    const starts = assert.rejects(scene.refresh({ maxAgeMs: 0, isRequired: true }), /no answer/);
    const needs = scene.refresh({ maxAgeMs: 0, isRequired: true, minSlot: 7n });
    await settled();
    scene.checks[0]?.ended.resolve();
    await first;
    await settled();
    scene.checks[1]?.ended.reject(new Error('no answer'));
    await starts;
    await settled();
    scene.checks[2]?.ended.resolve();
    await needs;
    scene.endsAtOnce = true;
    assert.ok(await scene.asksAfter(1_500, payer));
    assert.deepEqual(
      scene.checks.map(({ minSlot }) => minSlot),
      [0n, 7n, 7n, 0n],
    );
  });

  it('is waited for until the deadline of the request, and no longer than it may take', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    for (const [deadlineMs, checkTimeoutMs] of [
      [1, 60_000],
      [60_000, 1],
      [-1, 60_000],
    ] as const) {
      const scene = new WatchScene({ checkTimeoutMs });
      scene.endsAtOnce = false;
      const refused = scene.refresh({}, { deadline: scene.elapsed + deadlineMs });
      const isRefused = assert.rejects(refused, (error) => isAppError(error, 'upstream_timeout'));
      await settled();
      t.mock.timers.tick(1);
      await isRefused;
      scene.checks[0]?.ended.resolve();
      await settled();
      // It has served those who ask after its end.
      assert.equal(await scene.asksAfter(0), false);
    }
  });
});

/** An owner who wants to know. */
const owner = { isOwners: true, isRequired: true };

/** A watch that allows two checks a second, and has made those of this second. */
class BusyScene extends WatchScene {
  readonly #timers: TestContext['mock']['timers'];

  constructor(t: TestContext) {
    super({ perSecond: 2 });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    t.mock.method(performance, 'now', () => this.elapsed);
    this.#timers = t.mock.timers;
  }

  static async start(t: TestContext): Promise<BusyScene> {
    const scene = new BusyScene(t);
    for (const id of ['before1', 'before2']) await scene.look({ id });
    scene.checks.length = 0;
    return scene;
  }

  /** Looks at a link that was never checked. */
  look(
    { id = 'link1', ownerId = 'owner', handedOutAt = null }: Partial<PaymentLink> = {},
    changes: Partial<Omit<Look, 'work'>> = { isOwners: false },
    work: WorkOptions = {},
  ): Promise<StoredPaymentLink> {
    const link = storedLink({ id, ownerId, handedOutAt, checkedAt: null });
    this.others.set(id, link);
    return this.watch.refresh(link, lookOf(changes, work));
  }

  /** The links that are checked within so many milliseconds. */
  async checkedWithin(ms: number): Promise<readonly string[]> {
    await settled();
    const before = this.checks.length;
    for (let passed = 0; passed < ms; passed += 50) {
      this.elapsed += 50;
      this.#timers.tick(50);
      await settled();
    }
    return this.checks.slice(before).map(({ id }) => id);
  }
}

describe('a check for which there is no turn yet', () => {
  it('is waited for: a look shows what is known after a second and a half, a payer is told to come back at the deadline', async (t) => {
    const scene = await BusyScene.start(t);
    const ends: string[] = [];
    const note = (name: string) => (end: unknown) =>
      ends.push(isAppError(end, 'overloaded') ? `${name} refused` : name);
    // They come first, and take all turns.
    for (let count = 0; count < 5; count += 1) void scene.look({ id: `other${count}` }, owner);
    void scene.look({ id: 'seen' }).then(note('seen'));
    void scene.look({ id: 'paid' }, payer, { deadline: scene.elapsed + 2_000 }).catch(note('paid'));
    await scene.checkedWithin(1_450);
    assert.deepEqual(ends, []);
    await scene.checkedWithin(50);
    assert.deepEqual(ends, ['seen']);
    await scene.checkedWithin(450);
    assert.deepEqual(ends, ['seen']);
    await scene.checkedWithin(50);
    assert.deepEqual(ends, ['seen', 'paid refused']);
    assert.deepEqual(await scene.checkedWithin(5_000), ['other4'], 'no turn is spent on those who have gone');
  });

  it('is one for all who look at the link, and nobody else waits for it', async (t) => {
    const scene = await BusyScene.start(t);
    const looks = Array.from({ length: 9 }, (_, index) => scene.look({}, payer, { owner: `network${index}` }));
    const other = scene.look({ id: 'other' }, payer, { owner: 'another network' });
    assert.deepEqual(await scene.checkedWithin(1_000), ['link1', 'other']);
    await Promise.all([...looks, other]);
  });

  it('is shared between owners, however many links of one are asked for, each from a network of its own', async (t) => {
    const scene = await BusyScene.start(t);
    for (let count = 0; count < 9; count += 1) {
      void scene.look({ id: `flood${count}`, ownerId: 'attacker' }, payer, { owner: `network${count}` });
    }
    void scene.look({ id: 'shops', ownerId: 'shop' }, payer, { owner: 'customer' });
    assert.ok((await scene.checkedWithin(2_000)).includes('shops'));
  });

  it('comes later than those of links that are likely to be paid and those of the owner', async (t) => {
    const scene = await BusyScene.start(t);
    const handedOutAt = new Date(scene.now);
    void scene.look({ id: 'plain' }, payer);
    void scene.look({ id: 'own' }, owner);
    void scene.look({ id: 'likely', handedOutAt }, payer);
    void scene.look({ id: 'likely and own', handedOutAt }, owner);
    assert.deepEqual(await scene.checkedWithin(2_000), ['likely and own', 'own', 'likely', 'plain']);
  });

  it('is not made for a client that has hung up', async (t) => {
    const scene = await BusyScene.start(t);
    const gone = scene.look({ id: 'gone' }, payer, { isClientGone: () => true });
    void scene.look({ id: 'wanted' }, payer);
    const refused = assert.rejects(gone, (error) => isAppError(error, 'overloaded'));
    assert.deepEqual(await scene.checkedWithin(500), ['wanted']);
    await refused;
  });
});
