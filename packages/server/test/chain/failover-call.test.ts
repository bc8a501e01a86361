import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RpcRequest } from '../../src/chain/rpc/rpc-transport.ts';
import { callWithFailover } from '../../src/chain/upstreams/failover-call.ts';
import type { Upstream } from '../../src/chain/upstreams/upstream.ts';

/** An upstream that is always usable; `attempt` is told the milliseconds that it is given. */
function upstreamWith(attempt: (timeoutMs: number) => Promise<string>): Upstream {
  const upstream: Pick<Upstream, 'isUsable' | 'hedgeDelayMs'> & { attempt: unknown } = {
    isUsable: true,
    hedgeDelayMs: () => Number.POSITIVE_INFINITY,
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
