import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type Behaviour,
  resultOf,
  rpcError,
  silence,
  startFakeUpstream,
  text,
} from '../../../../test/setup/fake-upstream.ts';
import { addressFromBytes } from '../../../core/src/addresses/address.ts';
import { ChainHead } from '../../src/chain/chain-head.ts';
import { silentObserver } from '../../src/chain/chain-observer.ts';
import { accountsRequest } from '../../src/chain/chain-requests.ts';
import type { RpcRequest } from '../../src/chain/rpc-transport.ts';
import { UpstreamConnection } from '../../src/chain/upstream-connection.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';

const getSlot: RpcRequest<bigint> = {
  method: 'getSlot',
  params: [],
  read: (result) => BigInt(Number(result)),
  slotOf: (slot) => slot,
  maxAnswerBytes: 1_000,
};

/** A connection to a node, and a time that passes only while a node takes some to answer. */
async function connectTo(t: TestContext, behaviour: Behaviour, timeoutMs = 5_000) {
  const clock = { now: 1_000 };
  const upstream = await startFakeUpstream(t, behaviour);
  const taking =
    (durationMs: number, answer: Behaviour): Behaviour =>
    (call, response) => {
      clock.now += durationMs;
      answer(call, response);
    };
  const attempts: unknown[] = [];
  const now = (): number => clock.now;
  const head = new ChainHead({ maxSlotLag: 8, hasSeveralUpstreams: true, now });
  const connection = new UpstreamConnection({
    name: 'upstream_1',
    url: upstream.url,
    timeoutMs,
    head,
    observer: { ...silentObserver, attempted: (...attempt) => attempts.push(attempt) },
    now,
  });
  t.after(() => connection.close());
  return { connection, upstream, taking, attempts, head };
}

const faultOf = async (call: Promise<unknown>): Promise<UpstreamFault> => {
  const error = await call.catch((reason: unknown) => reason);
  return error instanceof UpstreamFault ? error : assert.fail(`no fault: ${error}`);
};

test('An attempt is reported with its method, its fault and its duration', async (t) => {
  const { connection, upstream, taking, attempts } = await connectTo(t, silence);
  upstream.behaviour = taking(30, text('', 503));
  assert.equal((await faultOf(connection.send(getSlot, 5_000))).kind, 'http_status');
  upstream.behaviour = taking(
    20,
    resultOf(() => 100),
  );
  assert.equal(await connection.send(getSlot, 5_000), 100n);
  assert.deepEqual(attempts, [
    ['upstream_1', 'getSlot', 'http_status', 30],
    ['upstream_1', 'getSlot', undefined, 20],
  ]);
  assert.equal(connection.lastFault?.kind, 'http_status', 'the latest fault is remembered');
});

test('What is no fault of the transport is an answer that cannot be read', async (t) => {
  const { connection } = await connectTo(
    t,
    resultOf(() => 100),
  );
  const read = (): never => {
    throw new TypeError('it is odd');
  };
  const fault = await faultOf(connection.send({ ...getSlot, read }, 5_000));
  assert.deepEqual([fault.kind, `${fault.cause}`], ['malformed', 'TypeError: it is odd']);
  assert.equal(connection.lastFault, fault);
});

test('A slot counts for the newest one of all upstreams, and an implausible one is a fault', async (t) => {
  const slots = { slot: 100 };
  const { connection, head } = await connectTo(
    t,
    resultOf(() => slots.slot),
  );
  assert.equal(connection.slotLag, undefined);
  await connection.send(getSlot, 5_000);
  assert.equal(connection.slotLag, 0n);
  head.accept(105n, true, 'upstream_2');
  assert.equal(connection.slotLag, 5n);
  slots.slot = 90;
  assert.equal((await faultOf(connection.send(getSlot, 5_000))).kind, 'lagging');
  assert.equal(connection.slotLag, 15n);
  slots.slot = 9_000;
  assert.equal((await faultOf(connection.send(getSlot, 5_000))).kind, 'implausible');
  await connection.send(getSlot, 5_000, { isVouched: true });
  assert.equal(head.lagOf(8_999n), 1n);
  const { slotOf: _, ...withoutSlot } = getSlot;
  slots.slot = 5;
  assert.equal(await connection.send(withoutSlot, 5_000), 5n);
});

test('A timeout of less than a quarter of the usual time is not blamed on the upstream', async (t) => {
  const { connection } = await connectTo(t, silence, 400);
  assert.equal((await faultOf(connection.send(getSlot, 99))).kind, 'hurried');
  assert.equal((await faultOf(connection.send(getSlot, 100))).kind, 'timeout');
  const { connection: other } = await connectTo(t, text('', 503), 400);
  assert.equal((await faultOf(other.send(getSlot, 99))).kind, 'http_status');
});

test('An upstream is slower than usual after what 95 of 100 calls of the method took, at least 10 ms, and after 250 ms at first', async (t) => {
  const { connection, upstream, taking } = await connectTo(t, silence);
  const sendIn = (durationMs: number): Promise<unknown> => {
    upstream.behaviour = taking(
      durationMs,
      resultOf(() => 100),
    );
    return connection.send(getSlot, 5_000);
  };
  for (let count = 0; count < 9; count++) await sendIn(40);
  assert.equal(connection.hedgeDelayMs('getSlot'), 250);
  await sendIn(40);
  assert.equal(connection.hedgeDelayMs('getSlot'), 40);
  assert.equal(connection.hedgeDelayMs('getHealth'), 250);
  for (let count = 0; count < 70; count++) await sendIn(1);
  assert.equal(connection.hedgeDelayMs('getSlot'), 10);
});

test('A signal that is aborted ends an attempt', async (t) => {
  const abortion = new AbortController();
  const { connection } = await connectTo(t, () => abortion.abort());
  assert.equal((await faultOf(connection.send(getSlot, 5_000, { signal: abortion.signal }))).kind, 'timeout');
});

test('An upstream that takes fewer accounts in a call is asked in parts, and from then on never for more', async (t) => {
  const addresses = Array.from({ length: 100 }, (_, index) => addressFromBytes(new Uint8Array(32).fill(index + 1)));
  const texts: readonly string[] = addresses;
  const limited = 'getMultipleAccounts is limited to a 5 range, upgrade from discover plan';
  for (const [limit, refusal, parts] of [
    [10, rpcError(-32602, 'Too many inputs provided; max 10'), 10],
    [5, rpcError(-32615, limited, 413), 20],
    [1, text('Request Entity Too Large', 413), 100],
  ] as const) {
    const accountAt = (address: string) => {
      return {
        lamports: texts.indexOf(address),
        owner: address,
        data: ['', 'base64'],
        executable: false,
      };
    };
    const { connection, upstream, head } = await connectTo(t, (call, response) => {
      const asked = call.params[0] as readonly string[];
      // The last part comes from a slot before.
      const slot = asked.includes(addresses.at(-1) ?? '') ? 1_099 : 1_100;
      const answer = resultOf(() => ({ context: { slot }, value: asked.map(accountAt) }));
      (asked.length > limit ? refusal : answer)(call, response);
    });
    const counts = (): number[] => upstream.calls.map(({ params }) => (params[0] as readonly string[]).length);
    const read = await connection.send(accountsRequest(addresses, head), 5_000);
    assert.deepEqual(
      read.accounts.map((account) => account?.lamports),
      addresses.map((_, index) => BigInt(index)),
    );
    assert.equal(read.slot, 1_099n);
    upstream.calls.length = 0;
    await connection.send(accountsRequest(addresses, head), 5_000);
    assert.deepEqual(
      counts(),
      Array.from({ length: parts }, () => limit),
    );
    await connection.send(accountsRequest(addresses.slice(0, limit), head), 5_000);
    assert.equal(upstream.calls.length, parts + 1);
  }
});

test('An upstream that takes not even one account fails with what it says', async (t) => {
  const { connection, head } = await connectTo(t, text('No accounts at all', 413));
  const addresses = [1, 2, 3].map((byte) => addressFromBytes(new Uint8Array(32).fill(byte)));
  const { kind, reason } = await faultOf(connection.send(accountsRequest(addresses, head), 5_000));
  assert.deepEqual([kind, reason], ['too_large', 'it answered HTTP 413: "No accounts at all"']);
});
