import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agreement, Answer } from '../../src/chain/agreement.ts';
import type { ReceivedBlockhash } from '../../src/chain/blockhash-source.ts';
import { ChainHead } from '../../src/chain/chain-head.ts';
import { readAgreedBlockhash } from '../../src/chain/rpc-chain-reader.ts';
import type { RpcRequest } from '../../src/chain/rpc-transport.ts';
import type { UpstreamPool } from '../../src/chain/upstream-pool.ts';

/** The blockhash that an upstream offers: the name of the upstream. */
const offers: readonly Answer<ReceivedBlockhash>[] = ['a', 'b', 'c'].map((upstream, index) => ({
  upstream,
  value: { blockhash: upstream, slot: BigInt(10 + index), lastValidBlockHeight: BigInt(100 + index) },
}));

/** Reads from three upstreams; `known` are those whose blockhash the others know. */
function readFrom(known: string, quorum: number) {
  const asked: string[] = [];
  const pool: Pick<UpstreamPool, 'quorum' | 'size' | 'head'> & { call: unknown } = {
    quorum,
    size: 3,
    head: new ChainHead({ maxSlotLag: 8, hasSeveralUpstreams: true, now: () => 0 }),
    call: async (request: RpcRequest<unknown>, agreement: Agreement<unknown>, deadline: number) => {
      assert.equal(deadline, 5_000);
      const [blockhash] = request.params;
      asked.push(request.method === 'isBlockhashValid' ? `knows ${blockhash}` : 'latest');
      if (request.method !== 'isBlockhashValid') return agreement.agree(offers, quorum) ?? assert.fail('no agreement');
      const answers = offers.map(({ upstream }) => ({
        upstream,
        value: { slot: 9n, isValid: known.includes(`${blockhash}`) },
      }));
      return agreement.agree(answers, quorum);
    },
  };
  return { asked, read: readAgreedBlockhash(pool as unknown as UpstreamPool, 5_000, () => {}) };
}

test('one that others do not know is rejected, and that of another upstream is read', async () => {
  const { asked, read } = readFrom('bc', 2);
  assert.equal((await read).blockhash, 'b');
  assert.deepEqual(asked, ['latest', 'knows a', 'latest', 'knows b']);
});
