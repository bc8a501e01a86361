import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTransferIntent, type TransferIntent } from '../../../core/src/index.ts';
import { hashMessage, messageHashText } from '../../src/app/message-hash.ts';
import { unavailable } from '../../src/chain/upstream-faults.ts';
import { type Progress, progressJson, transfersOf } from '../../src/idempotency/batch-progress.ts';
import type { BuiltReply } from '../../src/idempotency/idempotent-request.ts';
import { type KeyedReply, type KeyedRequest, KeyedRequests } from '../../src/idempotency/keyed-requests.ts';
import type { OutcomeItem, Verdict } from '../../src/outcomes/verdict.ts';
import { AppError, isAppError, type ProblemCode } from '../../src/problems.ts';
import { sampleBuilt } from './sample-built.ts';
import { verdicts } from './verdicts.ts';
import { WatchedRecords } from './watched-records.ts';

const { landed, failed, pending, expired } = verdicts;
const leaseMs = 7000;
const retentionMs = 24 * 3_600_000;
const id = { scope: 'key_1', path: '/v1/transfers', key: 'order-7' };

/** Keyed requests on a store in memory, with a chain and a clock that a test sets. */
function start({ maxStoredBytes = 0, confirmCluster = async () => {} } = {}) {
  const store = new WatchedRecords();
  const world = {
    now: 1_000_000,
    blockHeight: 900n,
    verdict: pending() as Verdict,
    /** Those of the first transactions, where they differ from it. */
    verdicts: [] as Verdict[],
    /** Whether the outcome finder says nothing of them. */
    isSilent: false,
    /** What the outcome finder was asked. */
    asked: [] as (readonly OutcomeItem[])[],
    /** What it asks about transactions that it finds. */
    found: undefined as Uint8Array | undefined,
    isAnother: undefined as boolean | undefined,
    heightsRead: 0,
    slotMs: 200 as number | undefined,
    slotTimesRead: 0,
    builds: 0,
  };
  const requests = new KeyedRequests({
    records: store,
    outcomes: {
      find: async (items, _deadline, isAnother) => {
        world.asked.push(items);
        if (world.found) world.isAnother = await isAnother?.(world.found);
        return world.isSilent ? [] : items.map((_, index) => world.verdicts[index] ?? world.verdict);
      },
    },
    readBlockHeight: async () => {
      world.heightsRead += 1;
      return world.blockHeight;
    },
    readSlotMs: async () => {
      world.slotTimesRead += 1;
      return world.slotMs;
    },
    now: () => world.now,
    leaseReserveMs: leaseMs - 5000,
    // The clock of deadlines stands at a second.
    timeLeftMs: (deadline) => deadline - 1_000,
    retentionMs,
    maxStoredBytes,
    confirmCluster,
  });
  const request = (more: Partial<KeyedRequest> = {}): KeyedRequest => ({
    id,
    bodyHash: 'a',
    bodyBytes: 300,
    build: async () => sampleBuilt(++world.builds),
    assertAllowed: () => undefined,
    ...more,
  });
  const answer = (more?: Partial<KeyedRequest>, deadline = 6000): Promise<KeyedReply> =>
    requests.answer(request(more), deadline);
  return { store, world, answer };
}

/** The same, of which the request is answered. */
async function startAnswered() {
  const started = start();
  await started.answer();
  return started;
}

async function refusal(answer: Promise<KeyedReply>, code: ProblemCode): Promise<AppError> {
  try {
    await answer;
  } catch (error) {
    assert.ok(isAppError(error, code), String(error));
    return error;
  }
  return assert.fail('it was answered');
}

/** A build that ends when the test says so. */
function heldBuild(number: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  return {
    build: async () => {
      started.resolve();
      await promise;
      return sampleBuilt(number);
    },
    started: started.promise,
    finish: resolve,
  };
}

describe('the first request under a key', () => {
  it('gets what is built, after it was stored', async () => {
    const { store, answer } = start();
    const order: string[] = [];
    store.around = async (call, effect) => {
      const result = await effect();
      order.push(call);
      return result;
    };
    const reply = await answer();
    assert.deepEqual(reply, { ...replyOf(1), isReplay: false });
    assert.deepEqual(order, ['claim', 'complete']);
  });

  it('has given back what its build holds where that was certainly not stored, and not where the answer was lost', async () => {
    const { store, answer } = start();
    await answer();
    const given: string[] = [];
    const build = async (): Promise<BuiltReply> => ({
      ...sampleBuilt(1),
      giveBack: async () => {
        given.push('back');
      },
    });
    const other = { id: { ...id, key: 'order-8' }, build };
    await refusal(answer(other), 'identical_transaction');
    assert.deepEqual(given, ['back']);
    store.around = async (call, effect) => {
      const result = await effect();
      if (call === 'complete') throw new Error('the connection was lost');
      return result;
    };
    await refusal(
      answer({ ...other, build: async () => ({ ...(await build()), ...sampleBuilt(2) }) }),
      'idempotency_unavailable',
    );
    assert.deepEqual(given, ['back']);
  });

  it('gets no transaction that another key has, which would be one payment for both, and gets one of its own later', async () => {
    const { answer, world } = await startAnswered();
    const other = { scope: 'key_1', path: '/v1/transfers', key: 'another' };
    const same = () => Promise.resolve(sampleBuilt(1));
    const refused = await refusal(answer({ id: other, build: same }), 'identical_transaction');
    assert.equal(refused.retryAfterSeconds, 1);
    const reply = await answer({ id: other });
    assert.deepEqual([reply.isReplay, world.builds], [false, 2]);
  });

  it('gets a reply that pays nothing again as long as it is kept, and may get an equal one under another key', async () => {
    const { answer, world } = start();
    const build = async () => ({ reply: '{"data":{}}', headers: { location: '/1' }, transactions: [] });
    const first = await answer({ build });
    let asked: readonly TransferIntent[] | undefined;
    const assertAllowed = (built: readonly TransferIntent[]): void => {
      asked = built;
    };
    const again = await answer({ build: () => assert.fail('it was built again'), assertAllowed });
    assert.deepEqual([again, asked], [{ ...first, isReplay: true }, []]);
    assert.ok(world.asked.every((items) => items.length === 0) && world.heightsRead === 0);
    const other = { scope: 'key_1', path: '/v1/payment-links', key: 'another' };
    assert.equal((await answer({ id: other, build })).isReplay, false);
    world.now += retentionMs;
    assert.equal((await answer({ build })).isReplay, false);
  });

  it('asks nothing of the chain but what the build asks', async () => {
    const { world } = await startAnswered();
    assert.deepEqual([world.asked, world.heightsRead], [[], 0]);
  });

  it('is judged afresh after a refusal, with another body too', async () => {
    const { store, world, answer } = start();
    const refused = new AppError('insufficient_sol', 'too little');
    await refusal(answer({ build: () => Promise.reject(refused) }), 'insufficient_sol');
    assert.equal(await store.count(), 0);
    assert.deepEqual((await answer({ bodyHash: 'b' })).isReplay, false);
    assert.equal(world.builds, 1);
  });

  it('keeps others out as long as its deadline allows it to build, and some time more to store its reply', async () => {
    for (const deadline of [6000, 11_000, -1]) {
      const { world, answer } = start();
      const held = heldBuild(1);
      void answer({ build: held.build }, deadline);
      await held.started;
      world.now += Math.max(deadline - 1000, 0) + 1999;
      await refusal(answer({}, deadline), 'idempotency_in_progress');
      world.now += 1;
      assert.equal((await answer({}, deadline)).isReplay, false);
    }
  });

  it('gets the refusal though the claim cannot be released, and a later one builds once the lease is over', async () => {
    const { store, world, answer } = start();
    store.around = async (call, effect) => {
      if (call === 'release') throw new Error('away');
      return effect();
    };
    const refused = new AppError('upstream_timeout', 'too slow');
    await refusal(answer({ build: () => Promise.reject(refused) }), 'upstream_timeout');
    await refusal(answer(), 'idempotency_in_progress');
    world.now += leaseMs;
    assert.equal((await answer()).reply, '{"data":1}');
  });
});

describe('a retry', () => {
  it('with another body is refused', async () => {
    const { answer, world } = await startAnswered();
    await refusal(answer({ bodyHash: 'b' }), 'idempotency_key_reused');
    assert.deepEqual([world.builds, world.asked.length], [1, 0]);
  });

  it('while the first is being built is refused for a second, in whatever process it is', async () => {
    const { answer, world } = start();
    const held = heldBuild(1);
    const first = answer({ build: held.build });
    await held.started;
    const { retryAfterSeconds } = await refusal(answer(), 'idempotency_in_progress');
    assert.equal(retryAfterSeconds, 1);
    held.finish();
    assert.equal((await first).isReplay, false);
    assert.deepEqual(await answer(), { ...replyOf(1), isReplay: true });
    assert.equal(world.builds, 0, 'nothing was built but the first');
  });

  it('gets the same reply and headers, byte for byte, while the transaction can land', async () => {
    const { answer, world } = start();
    const first = await answer();
    world.blockHeight = 1000n;
    for (let count = 0; count < 3; count++) assert.deepEqual(await answer(), { ...first, isReplay: true });
    assert.equal(world.builds, 1);
  });

  it('builds nothing while nothing is said of what was built', async () => {
    const { answer, world } = await startAnswered();
    world.isSilent = true;
    await assert.rejects(answer(), /a stored transaction has no verdict/);
    assert.equal(world.builds, 1);
  });

  it('asks what became of the transaction that was built', async () => {
    const { answer, world } = await startAnswered();
    await answer();
    assert.deepEqual(world.asked, [[{ intent: intentOf(1), lastValidBlockHeight: 1000n }]]);
  });

  it('with a durable nonce reads no block height', async () => {
    const { answer, world } = start();
    world.verdict = pending({ reason: 'nonce_unused' });
    await answer({
      build: async () => {
        const built = sampleBuilt(1);
        const transactions = built.transactions.map(({ bytes }) => ({ bytes, lastValidBlockHeight: undefined }));
        return { ...built, transactions };
      },
    });
    assert.equal((await answer()).isReplay, true);
    assert.equal(world.heightsRead, 0);
  });

  it('builds again, once, when the transaction never can land', async () => {
    for (const dead of [expired(), failed()]) {
      const { answer, world } = await startAnswered();
      world.verdict = dead;
      assert.deepEqual(await answer(), { ...replyOf(2), isReplay: false });
      world.verdict = pending();
      assert.deepEqual(await answer(), { ...replyOf(2), isReplay: true });
      assert.deepEqual(world.asked.at(-1)?.[0]?.intent, intentOf(2));
    }
  });

  it('is told when to come back while nothing is certain', async () => {
    const { answer, world } = await startAnswered();
    world.blockHeight = 1001n;
    const fiftyBlocks = pending({ blockHeight: 1100n });
    for (const [verdict, slotMs, seconds] of [
      [fiftyBlocks, 200, 10],
      [fiftyBlocks, undefined, 30],
      [pending({ reason: 'not_final' }), 200, 5],
      [failed({ signature: 'sig', commitment: 'confirmed' }), 200, 5],
    ] as const) {
      Object.assign(world, { verdict, slotMs });
      const refused = await refusal(answer(), 'previous_may_land');
      assert.equal(refused.retryAfterSeconds, seconds);
    }
    assert.equal(world.builds, 1);
    assert.equal(world.slotTimesRead, 2, 'only for a wait that is counted in blocks');
  });

  it('is refused when its API key may not have what was built, before the chain is asked', async () => {
    const { answer, world } = await startAnswered();
    const seen: (readonly TransferIntent[])[] = [];
    const assertAllowed = (built: readonly TransferIntent[]): void => {
      seen.push(built);
      throw new AppError('key_not_allowed', 'no longer');
    };
    await refusal(answer({ assertAllowed }), 'key_not_allowed');
    assert.deepEqual([seen, world.asked], [[[intentOf(1)]], []]);
    assert.equal((await answer()).isReplay, true);
  });

  it('gets the fault of the node that cannot be asked, and nothing is built', async () => {
    const { answer, world } = await startAnswered();
    Object.defineProperty(world, 'verdict', {
      get: () => {
        throw new AppError('upstream_unavailable', 'away');
      },
    });
    await refusal(answer(), 'upstream_unavailable');
    assert.equal(world.builds, 1);
  });

  it('is not confused with what landed of the same batch before, as a wallet had changed it', async () => {
    const { answer, world } = start();
    const message = new Uint8Array([7, 7]);
    const build = async () => {
      world.builds += 1;
      const [one, other] = [sampleBuilt(2 * world.builds), sampleBuilt(2 * world.builds + 1)];
      const transactions = [...one.transactions, ...other.transactions];
      return { ...one, transactions: transactions.map((each, index) => ({ ...each, transfers: [index] })) };
    };
    await answer({ build });
    world.verdicts = [landed({ message }), expired()];
    assert.equal((await answer({ build })).isReplay, false);
    world.verdicts = [];
    for (const [found, isAnother] of [
      [message, true],
      [new Uint8Array([8]), false],
    ] as const) {
      world.found = found;
      await answer({ build });
      assert.equal(world.isAnother, isAnother);
    }
  });

  it('is never built again where nothing says what of it a landed transaction has paid', async () => {
    const { answer, world } = start();
    const build = async () => {
      world.builds += 1;
      const [one, other] = [sampleBuilt(2 * world.builds), sampleBuilt(2 * world.builds + 1)];
      return { ...one, transactions: [...one.transactions, ...other.transactions] };
    };
    await answer({ build });
    world.verdicts = [landed(), expired()];
    await assert.rejects(answer({ build }), /nothing says which transfers a stored transaction makes/);
    assert.equal(world.builds, 1);
  });

  it('is not confused with the same payment under another key', async () => {
    const { answer, world } = await startAnswered();
    await answer({ id: { ...id, key: 'order-8' } });
    for (const [number, isAnother] of [
      [1, false],
      [2, true],
      [3, false],
    ] as const) {
      world.found = intentOf(number).message;
      await answer();
      assert.equal(world.isAnother, isAnother, `transaction ${number}`);
    }
  });
});

describe('a retry of a batch', () => {
  /** A batch of three transfers, each in a transaction of its own, of which each build makes those that are missing. */
  async function startBatch() {
    const started = start();
    const { world, answer } = started;
    const frozen = new Set<number>();
    const built: { transfers: readonly number[]; progress: Progress }[] = [];
    const build = async (progress: Progress): Promise<BuiltReply> => {
      const made = transfersOf([...progress.landed, ...progress.pending]);
      const transfers = [0, 1, 2].filter((each) => !made.includes(each) && !frozen.has(each));
      built.push({ transfers, progress });
      const transactions = transfers.flatMap((index) =>
        sampleBuilt(++world.builds).transactions.map((each) => ({ ...each, transfers: [index] })),
      );
      return { reply: `built ${transfers}`, headers: {}, transactions };
    };
    const batch = {
      transferCount: 3,
      describe: (progress: Progress) => `all is known: ${JSON.stringify(progressJson(progress))}`,
    };
    const retry = (more: Partial<KeyedRequest> = {}) => answer({ build, batch, ...more });
    await retry();
    return { ...started, frozen, built, retry };
  }

  it('builds only what is dead, beside what has landed and what may still land', async () => {
    const { world, built, retry } = await startBatch();
    world.verdicts = [landed({ signature: 'one' }), pending(), expired()];
    assert.deepEqual(await retry(), { reply: 'built 2', headers: {}, isReplay: false });
    const [{ progress, transfers } = assert.fail()] = built.slice(-1);
    assert.deepEqual(transfers, [2]);
    assert.deepEqual(
      progress.landed.map(({ signature, transfers }) => [signature, transfers]),
      [['one', [0]]],
    );
    assert.deepEqual(
      progress.pending.map(({ transfers, canBeSent }) => [transfers, canBeSent]),
      [[[1], true]],
    );
    // What is final is not asked for again, and what is dead is forgotten.
    world.verdicts = [];
    const again = await retry();
    assert.deepEqual(
      world.asked.at(-1)?.map(({ intent }) => intent),
      [intentOf(2), intentOf(4)],
    );
    assert.match(again.reply, /^all is known: .*"one".*"transfers":\[1\].*"transfers":\[2\]/);
    assert.deepEqual([again.isReplay, built.length], [false, 2]);
  });

  it('forgets nothing that has landed and is not final: after a fork it may still land', async () => {
    const { world, built, retry } = await startBatch();
    world.verdicts = [landed({ commitment: 'confirmed' }), landed(), expired()];
    await retry();
    world.verdicts = [pending(), landed()];
    const { reply } = await retry();
    assert.match(reply, /"pending_transactions":\[\{"transaction":".*","transfers":\[0\]/);
    world.verdicts = [expired(), landed()];
    await retry();
    assert.deepEqual(
      built.map(({ transfers }) => transfers),
      [[0, 1, 2], [2], [0]],
    );
  });

  it('gets no bytes that a wallet could send only with another blockhash', async () => {
    const { world, retry } = await startBatch();
    world.blockHeight = 1001n;
    world.verdicts = [landed(), pending(), expired()];
    await retry();
    world.verdicts = [];
    const refused = await refusal(retry(), 'previous_may_land');
    const lifetime = { blockhash: sampleBuilt(2).headers['solana-blockhash'], last_valid_block_height: '1000' };
    const hash = messageHashText(hashMessage(intentOf(2).message));
    assert.deepEqual(refused.progress?.pending_transactions?.[0], { message_hash: hash, transfers: [1], lifetime });
    assert.ok(refused.retryAfterSeconds);
  });

  it('that is refused says what has landed and what may still land, keeps that, and is decided again', async () => {
    const { world, retry, built } = await startBatch();
    world.verdicts = [landed({ signature: 'one' }), pending(), expired()];
    const build = () => Promise.reject(new AppError('recipient_token_account_frozen', 'frozen'));
    for (let count = 0; count < 2; count += 1) {
      const { progress } = await refusal(retry({ build }), 'recipient_token_account_frozen');
      assert.deepEqual(progress?.landed_transactions, [{ transfers: [0], signature: 'one' }]);
      assert.deepEqual(
        progress?.pending_transactions?.map(({ transfers }) => transfers),
        [[1]],
      );
      world.verdicts = [pending()];
    }
    await refusal(retry({ bodyHash: 'b' }), 'idempotency_key_reused');
    assert.equal((await retry()).reply, 'built 2');
    assert.deepEqual(built.length, 2);
  });

  it('builds what was left out once it can be, beside all that may still land', async () => {
    const { world, frozen, built, retry } = await startBatch();
    world.verdicts = [expired(), expired(), expired()];
    frozen.add(1);
    assert.equal((await retry()).reply, 'built 0,2');
    world.verdicts = [];
    assert.equal((await retry()).reply, 'built ', 'it is not given again as if it were all');
    frozen.clear();
    assert.equal((await retry()).reply, 'built 1');
    assert.deepEqual(
      built.at(-1)?.progress.pending.map(({ transfers }) => transfers),
      [[0], [2]],
    );
  });

  it('that died while it built is gone on with after its lease, with all that was known', async () => {
    const { world, store, built, retry } = await startBatch();
    world.verdicts = [landed(), pending(), expired()];
    store.around = async (call, effect) => {
      if (call === 'complete' || call === 'release') throw new Error('it is dead');
      return effect();
    };
    await refusal(retry(), 'idempotency_unavailable');
    store.around = (_call, effect) => effect();
    await refusal(retry(), 'idempotency_in_progress');
    world.now += leaseMs;
    world.verdicts = [];
    assert.equal((await retry()).reply, 'built 2');
    assert.deepEqual(built.at(-1)?.progress.landed.length, 1);
  });

  it('gets no transaction of the same bytes as one that may still land, of which the chain takes one', async () => {
    const { world, retry } = await startBatch();
    world.verdicts = [landed(), pending(), expired()];
    const build = async () => {
      const { transactions, ...reply } = sampleBuilt(2);
      return { ...reply, transactions: transactions.map((each) => ({ ...each, transfers: [2] })) };
    };
    await refusal(retry({ build }), 'identical_transaction');
  });

  it('is refused with all that landed once all has, and names the one that did', async () => {
    const { world, retry } = await startBatch();
    world.verdicts = [landed({ signature: 'one' }), landed({ signature: 'two', commitment: 'confirmed' }), landed()];
    const refused = await refusal(retry(), 'already_landed');
    assert.equal(refused.landed?.signature, 'one');
    assert.deepEqual(
      refused.progress?.landed_transactions?.map(({ transfers }) => transfers),
      [[0], [1], [2]],
    );
  });
});

describe('while it is not known which cluster is served', () => {
  it('requests are refused with the fault of the upstream, and nothing is claimed', async () => {
    const fault = unavailable('connection', 'it does not answer');
    let isAway = true;
    const confirmCluster = async (): Promise<void> => {
      if (isAway) throw fault;
    };
    const { answer, store, world } = start({ confirmCluster });
    await assert.rejects(answer(), fault);
    assert.equal(await store.count(), 0);
    isAway = false;
    assert.equal((await answer()).isReplay, false);
    assert.equal(world.builds, 1);
  });

  it('requests are refused as without the database when it is of another cluster', async () => {
    const { answer, world } = start({ confirmCluster: () => Promise.reject(new Error('of another')) });
    await refusal(answer(), 'idempotency_unavailable');
    assert.equal(world.builds, 0);
  });
});

describe('a key that has stored as much as it may', () => {
  const full = (storedBytes = 10_000) => {
    const setting = start({ maxStoredBytes: 10_000 });
    return Object.assign(setting, { fill: () => Object.assign(setting.store, { storedBytes }) });
  };

  it('gets nothing built, and leaves no claim behind', async () => {
    const { answer, store, world, fill } = full();
    fill();
    await refusal(answer({ build: () => assert.fail('it was built') }), 'reply_quota_reached');
    assert.equal(await store.count(), 0);
    store.storedBytes = 0;
    await answer();
    assert.equal(world.builds, 1);
  });

  it('gets what is stored again, and a new transaction in place of a dead one', async () => {
    const { answer, world, fill } = full();
    await answer();
    fill();
    assert.equal((await answer()).isReplay, true);
    world.verdict = expired();
    assert.equal((await answer()).isReplay, false);
    assert.equal(world.builds, 2);
  });

  it('has the room again that a request took which was refused or ended', async () => {
    const { answer } = full();
    const other = (key: string) => ({ id: { scope: 'key_1', path: '/v1/transfers', key }, bodyBytes: 2_500 });
    const held = heldBuild(7);
    const first = answer({ ...other('1'), build: held.build });
    await held.started;
    await refusal(answer(other('2')), 'reply_quota_reached');
    held.finish();
    await first;
    const fails = () => Promise.reject(new AppError('upstream_timeout', 'too slow'));
    await refusal(answer({ ...other('3'), build: fails }), 'upstream_timeout');
    await answer(other('4'));
  });

  it('is refused as without the database when that does not say how much it is', async () => {
    const { answer, store } = full();
    store.storedBytesOf = () => Promise.reject(new Error('away'));
    await refusal(answer(), 'idempotency_unavailable');
    assert.equal(await store.count(), 0);
  });
});

describe('without the database', () => {
  const calls = ['claim', 'complete', 'isBuiltByAnother', 'reclaim'];
  for (const name of calls) {
    for (const when of ['before', 'after'] as const) {
      it(`nothing is handed out when ${name} fails ${when} it took effect, and a retry gets one transaction`, async () => {
        const { store, answer, world } = start();
        world.found = intentOf(1).message;
        if (name === 'isBuiltByAnother' || name === 'reclaim') {
          await answer();
          world.verdict = expired();
        }
        const builtBefore = world.builds;
        store.around = async (call, effect) => {
          if (call !== name) return effect();
          if (when === 'after') await effect();
          throw new Error('connect ECONNREFUSED 127.0.0.1:5432');
        };
        const refused = await refusal(answer(), 'idempotency_unavailable');
        assert.deepEqual([refused.retryAfterSeconds, refused.cause], [1, 'connect ECONNREFUSED 127.0.0.1:5432']);
        assert.equal(world.builds, name === 'complete' ? builtBefore + 1 : builtBefore);

        store.around = (_call, effect) => effect();
        world.verdict = name === 'complete' ? pending() : expired();
        if (when === 'after' && (name === 'claim' || name === 'reclaim')) {
          await refusal(answer(), 'idempotency_in_progress');
          world.now += leaseMs;
        }
        const built = world.builds;
        const reply = await answer();
        // What was stored though the answer was lost is handed out now.
        const isStored = name === 'complete' && when === 'after';
        assert.deepEqual([reply.isReplay, world.builds], [isStored, isStored ? built : built + 1]);
      });
    }
  }
});

describe('a process that stops between its claim and its reply', () => {
  it('hands out nothing when it goes on after another took over, whether that one still builds or is done', async () => {
    for (const isDone of [false, true]) {
      const { answer, world } = start();
      const paused = heldBuild(1);
      const other = heldBuild(2);
      const first = answer({ build: paused.build });
      await paused.started;
      world.now += leaseMs;
      const second = answer({ build: other.build });
      await other.started;
      if (isDone) {
        other.finish();
        await second;
      }
      paused.finish();
      await refusal(first, 'idempotency_in_progress');
      other.finish();
      assert.equal((await second).reply, '{"data":2}');
      assert.equal((await answer()).reply, '{"data":2}');
    }
  });

  it('does not take the claim of another with it when it fails afterwards', async () => {
    const { answer, world } = start();
    const started = Promise.withResolvers<void>();
    const fail = Promise.withResolvers<never>();
    const paused = answer({
      build: () => {
        started.resolve();
        return fail.promise;
      },
    });
    await started.promise;
    world.now += leaseMs;
    await answer();
    fail.reject(new AppError('upstream_timeout', 'too slow'));
    await refusal(paused, 'upstream_timeout');
    assert.equal((await answer()).isReplay, true);
  });

  it('is overtaken by only one of those that find the transaction dead', async () => {
    const { answer, store, world } = await startAnswered();
    world.verdict = expired();
    let waiting = 0;
    const all = Promise.withResolvers<void>();
    store.around = async (call, effect) => {
      if (call === 'reclaim') {
        waiting += 1;
        if (waiting === 5) all.resolve();
        await all.promise;
      }
      return effect();
    };
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => answer()));
    const answered = results.filter(({ status }) => status === 'fulfilled');
    assert.deepEqual([answered.length, world.builds], [1, 2]);
    for (const result of results) {
      if (result.status === 'rejected') assert.ok(isAppError(result.reason, 'idempotency_in_progress'));
    }
  });
});

function replyOf(number: number): Pick<KeyedReply, 'reply' | 'headers'> {
  const { reply, headers } = sampleBuilt(number);
  return { reply, headers };
}

function intentOf(number: number): TransferIntent {
  const [transaction] = sampleBuilt(number).transactions;
  const read = readTransferIntent(transaction?.bytes ?? new Uint8Array());
  assert.ok('intent' in read);
  return read.intent;
}
