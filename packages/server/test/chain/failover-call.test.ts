import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { callWithFailover } from '../../src/chain/failover-call.ts';
import type { RpcRequest } from '../../src/chain/rpc-transport.ts';
import type { Upstream } from '../../src/chain/upstream.ts';

/** An upstream that is always usable; `attempt` is told the milliseconds that it is given. */
function upstreamWith(attempt: (timeoutMs: number) => Promise<string>, usualMs = Number.POSITIVE_INFINITY): Upstream {
  const upstream: Pick<Upstream, 'isUsable' | 'hedgeDelayMs'> & { attempt: unknown } = {
    isUsable: true,
    hedgeDelayMs: () => usualMs,
    attempt: (_request: unknown, timeoutMs: number) => attempt(timeoutMs),
  };
  return upstream as unknown as Upstream;
}

const request = { method: 'getSlot' } as RpcRequest<string>;

test('an attempt leaves each upstream that was not tried yet its share of the time, and the last one all of it', async () => {
  const given: number[] = [];
  const failing = () =>
    upstreamWith((timeoutMs) => {
      given.push(timeoutMs);
      return Promise.reject(new Error('down'));
    });
  const answering = upstreamWith(async (timeoutMs) => {
    given.push(timeoutMs);
    return 'answered';
  });
  const hedged: Upstream[] = [];
  const answer = await callWithFailover(request, {
    upstreams: [failing(), failing(), answering],
    deadline: 900,
    onHedge: (upstream) => hedged.push(upstream),
    now: () => 0,
  });
  assert.equal(answer, 'answered');
  assert.deepEqual(given, [300, 450, 900]);
  assert.deepEqual(hedged, []);
});

test('a millisecond before its deadline a call is still made', async () => {
  const answering = upstreamWith(async (timeoutMs) => `in ${timeoutMs} ms`);
  const options = { upstreams: [answering], deadline: 900, onHedge: () => {}, now: () => 899 };
  assert.equal(await callWithFailover(request, options), 'in 1 ms');
});

test('past its deadline nothing is asked', async () => {
  let asked = 0;
  const unasked = upstreamWith(async () => `asked ${++asked} times`);
  for (const now of [900, 901]) {
    const call = callWithFailover(request, { upstreams: [unasked], deadline: 900, onHedge: () => {}, now: () => now });
    await assert.rejects(call, { code: 'upstream_timeout' });
  }
  assert.equal(asked, 0);
});

test('an upstream whose usual time is not known is left to go on', async () => {
  const slow = upstreamWith(async () => {
    await sleep(20);
    return 'slow';
  });
  const unasked = upstreamWith(() => assert.fail('it was asked too'));
  const options = { upstreams: [slow, unasked], deadline: 5_000, now: () => 0 };
  assert.equal(await callWithFailover(request, { ...options, onHedge: () => assert.fail('it was asked too') }), 'slow');
});

test('a fault that is final ends the call at once, and no other does', async () => {
  const asked: string[] = [];
  const failing = (name: string) =>
    upstreamWith(() => {
      asked.push(name);
      return Promise.reject(new Error(name));
    });
  const call = callWithFailover(request, {
    upstreams: [failing('one'), failing('two'), failing('three')],
    deadline: 900,
    onHedge: () => {},
    isFinal: (fault) => fault instanceof Error && fault.message === 'two',
    now: () => 0,
  });
  await assert.rejects(call, { message: 'two' });
  assert.deepEqual(asked, ['one', 'two']);
});

test('a call leaves no timer behind that would keep the process', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
  const before = timers();
  const answering = upstreamWith(async () => 'answered', 60_000);
  const options = { upstreams: [answering, answering], deadline: 900, onHedge: () => {}, now: () => 0 };
  await callWithFailover(request, options);
  assert.ok(timers() <= before);
});
