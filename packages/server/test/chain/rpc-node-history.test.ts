import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf, silence, text } from '../../../../test/setup/fake-upstream.ts';
import { clockSysvar } from '../../../core/src/accounts/sysvars.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import { isAppError } from '../../src/problems.ts';
import { anyAddress, anySignature, everyRead, RpcFailure, startHistory } from './history-node.ts';
import { recordedTransaction } from './recorded.ts';
import { clockOf } from './upstream-nodes.ts';

const never = Number.POSITIVE_INFINITY;
const isOfKind = (kind: string) => (error: unknown) => error instanceof UpstreamFault && error.kind === kind;
const memo = recordedTransaction('memo, 2022 (json)');
const epochInfo = (absoluteSlot: number) => ({ absoluteSlot, blockHeight: absoluteSlot });
const status = { slot: 5, err: null, confirmationStatus: 'finalized' };

/** The clock, which probes ask for, and no other account. */
function accountsAt(slot: number, addresses: unknown): object {
  const data = [clockOf(slot).toString('base64'), 'base64'];
  const clock = { lamports: 1, owner: anyAddress, data, executable: false };
  return { context: { slot }, value: (addresses as string[]).map((each) => (each === clockSysvar ? clock : null)) };
}

test('Integers past 2^53 stay exact on their way from the node', async (t) => {
  const { node, upstream } = await startHistory(t, {});
  upstream.behaviour = text('{"id":$id,"result":{"absoluteSlot":9007199254740995,"blockHeight":9007199254740993}}');
  assert.deepEqual(await node.readFinalizedHeight(never), { slot: 9007199254740995n, blockHeight: 9007199254740993n });
  upstream.behaviour = text('{"id":$id,"result":18446744073709551615}');
  assert.equal(await node.readFirstAvailableSlot(never), 2n ** 64n - 1n);
});

test('Requests that ask within 400 ms share one call of each kind', async (t) => {
  const { node, upstream, clock } = await startHistory(t, {
    getMultipleAccounts: () => ({ context: { slot: 378 }, value: [null] }),
    getSignatureStatuses: () => ({ context: { slot: 378 }, value: [null] }),
    getTransaction: () => ({ result: null }),
  });
  for (const read of everyRead) {
    // Whether a blockhash is alive is two calls.
    const ofOneRead = read === everyRead.at(-1) ? 2 : 1;
    upstream.calls.length = 0;
    await Promise.all([read(node, never), read(node, never)]);
    await read(node, never);
    assert.equal(upstream.calls.length, ofOneRead, upstream.calls[0]?.method);
    clock.ahead += 400;
    await read(node, never);
    assert.equal(upstream.calls.length, 2 * ofOneRead, upstream.calls[0]?.method);
  }
});

test('Different pages of one history are different calls', async (t) => {
  const { node, callsOf } = await startHistory(t, { getSignaturesForAddress: () => [] });
  const pages = [
    {},
    { limit: 5 },
    { before: anySignature },
    { until: anySignature },
    { minContextSlot: 5n },
    { minContextSlot: 6n },
  ];
  await Promise.all(pages.map((page) => node.readSignatures(anyAddress, page, never)));
  assert.equal(callsOf('getSignaturesForAddress').length, pages.length);
});

test('The statuses of equal requests are one call', async (t) => {
  const { node, callsOf } = await startHistory(t, {
    getSignatureStatuses: ([signatures]) => ({
      context: { slot: 1_000 },
      value: (signatures as string[]).map((each) => (each === anySignature ? null : status)),
    }),
  });
  const signatures = [anySignature, 'signature 7'];
  const read = await Promise.all([node.readStatuses(signatures, never), node.readStatuses(signatures, never)]);
  const statuses = [null, { slot: 5n, error: null, commitment: 'finalized' }];
  assert.deepEqual(read, [
    { slot: 1_000n, statuses },
    { slot: 1_000n, statuses },
  ]);
  assert.deepEqual(
    callsOf('getSignatureStatuses').map(({ params }) => params[0]),
    [signatures],
  );
});

test('A node that keeps no history refuses, is asked once, and stays in use', async (t) => {
  for (const code of [-32011, -32601, -32602, -32015]) {
    const failure = () => new RpcFailure(code);
    const { node, reader, upstream } = await startHistory(t, {
      getSignaturesForAddress: failure,
      getTransaction: failure,
      getSignatureStatuses: failure,
    });
    for (let count = 0; count < 10; count++) {
      await assert.rejects(node.readSignatures(anyAddress, {}, never), isOfKind('refused'));
      await assert.rejects(node.readTransaction(anySignature, never), isOfKind('refused'));
      await assert.rejects(node.readStatuses([anySignature], never), isOfKind('refused'));
    }
    assert.equal(upstream.calls.length, 30);
    assert.equal(reader.upstreams[0]?.state, 'closed');
  }
});

test('A page that strangers made too long is too large, and is not counted against the node', async (t) => {
  const { node, reader, upstream } = await startHistory(t, {});
  upstream.behaviour = resultOf(() => ['x'.repeat(5_000_000)]);
  for (let count = 0; count < 6; count++) {
    await assert.rejects(node.readSignatures(anyAddress, {}, never), isOfKind('too_large'));
  }
  assert.equal(upstream.calls.length, 6);
  assert.equal(reader.upstreams[0]?.state, 'closed');
});

test('A call that fails for a moment is repeated within the time of its request', async (t) => {
  const { node, upstream } = await startHistory(t, {});
  const well = upstream.behaviour;
  upstream.behaviour = (_call, response) => {
    upstream.behaviour = well;
    response.destroy();
  };
  assert.equal((await node.readFinalizedHeight(never)).slot, 378n);
  assert.equal(upstream.calls.length, 2);
  upstream.behaviour = silence;
  const asked = performance.now();
  await assert.rejects(node.readFirstAvailableSlot(asked + 200), (error) => isAppError(error, 'upstream_timeout'));
  assert.ok(performance.now() - asked < 1_900, 'less than one attempt may take');
});

test('Finalized slots, which are behind all others, are not called lagging', async (t) => {
  const { node, reader } = await startHistory(t, {
    getMultipleAccounts: () => ({ context: { slot: 1_000 }, value: [null] }),
    getEpochInfo: () => epochInfo(900),
  });
  await reader.readAccounts([anyAddress], never);
  assert.equal((await node.readFinalizedHeight(never)).slot, 900n);
  assert.equal(reader.upstreams[0]?.slotLag, 0n);
  await reader.readAccounts([anyAddress], never);
});

test('What is read after a finalized height is of its slot or later', async (t) => {
  const slots = { slot: 1_000 };
  const { node, clock, callsOf } = await startHistory(t, {
    getEpochInfo: () => epochInfo(1_000),
    isBlockhashValid: () => ({ context: slots, value: false }),
    getMultipleAccounts: ([addresses]) => accountsAt(slots.slot, addresses),
  });
  assert.equal(await node.isBlockhashAlive(anyAddress, never), false);
  const configs = () => callsOf('isBlockhashValid').map(({ params }) => params[1]);
  assert.deepEqual(configs(), [{ commitment: 'processed' }, { commitment: 'finalized' }]);
  await node.readFinalizedHeight(never);
  slots.slot = 999;
  await assert.rejects(node.isBlockhashAlive(anyAddress, never), isOfKind('lagging'));
  assert.deepEqual(configs().slice(2, 4), [
    { commitment: 'processed', minContextSlot: 1_000 },
    { commitment: 'finalized', minContextSlot: 936 },
  ]);
  await assert.rejects(node.readNonce(anyAddress, never), isOfKind('lagging'));
  // A local ledger that was restarted begins at a lower slot.
  clock.ahead += 10_000;
  assert.equal(await node.isBlockhashAlive(anyAddress, never), false);
  assert.deepEqual(await node.readNonce(anyAddress, never), { slot: 999n, nonce: undefined });
});

test('A status from before the newest finalized height is none: a node that knows the floor refuses, another one is compared', async (t) => {
  let slot = 1_000;
  const { node, callsOf } = await startHistory(t, {
    getEpochInfo: () => epochInfo(1_000),
    getSignatureStatuses: () => ({ context: { slot }, value: [null] }),
  });
  await node.readFinalizedHeight(never);
  assert.deepEqual(await node.readStatuses([anySignature], never), { slot: 1_000n, statuses: [null] });
  assert.deepEqual(callsOf('getSignatureStatuses')[0]?.params[1], {
    searchTransactionHistory: true,
    minContextSlot: 1_000,
  });
  slot = 999;
  await assert.rejects(node.readStatuses(['2'.repeat(64)], never), isOfKind('lagging'));
});

test('A status of a moment ago is not shared with a request that has seen a later finalized height', async (t) => {
  let newest = 1_000;
  const { node, clock, callsOf } = await startHistory(t, {
    getEpochInfo: () => epochInfo(newest),
    getSignatureStatuses: () => ({ context: { slot: newest }, value: [null] }),
  });
  await node.readFinalizedHeight(never);
  // Asked a little later than the height, it is still shared when the height is not.
  clock.ahead += 300;
  assert.equal((await node.readStatuses([anySignature], never)).slot, 1_000n);
  clock.ahead += 100;
  newest = 1_001;
  await node.readFinalizedHeight(never);
  assert.equal((await node.readStatuses([anySignature], never)).slot, 1_001n);
  assert.equal(callsOf('getSignatureStatuses').length, 2);
});

test('A transaction is asked for as of the slot in which its status is final', async (t) => {
  const { node, callsOf } = await startHistory(t, {
    getEpochInfo: () => epochInfo(40),
    getSignatureStatuses: () => ({
      context: { slot: 45 },
      value: [
        { ...status, slot: 44 },
        { ...status, slot: 45, confirmationStatus: 'confirmed' },
      ],
    }),
    getTransaction: () => ({ result: null }),
  });
  await node.readFinalizedHeight(never);
  await node.readStatuses([memo.signature, anySignature], never);
  assert.equal(await node.readTransaction(memo.signature, never), null);
  assert.deepEqual(callsOf('getTransaction')[0]?.params[1], {
    commitment: 'confirmed',
    encoding: 'base64',
    maxSupportedTransactionVersion: 1,
    minContextSlot: 44,
  });
});

test('A status goes by its `confirmationStatus` alone: what `confirmations` counts is not read', async (t) => {
  const of = (confirmationStatus: string, confirmations: unknown) => ({ ...status, confirmationStatus, confirmations });
  const { node } = await startHistory(t, {
    getSignatureStatuses: () => ({
      context: { slot: 9 },
      value: [of('finalized', 0), of('confirmed', null), of('processed', 31), of('finalized', 'many')],
    }),
  });
  const { statuses } = await node.readStatuses(['1', '2', '3', '4'], never);
  assert.deepEqual(
    statuses.map((each) => each?.commitment),
    ['finalized', 'confirmed', 'processed', 'finalized'],
  );
});

test('A blockhash is alive when the newest or the newest finalized block of the node accepts it', async (t) => {
  const accepting = new Set<unknown>();
  const { node, clock } = await startHistory(t, {
    isBlockhashValid: ([, config]) => ({
      context: { slot: 1_000 },
      value: accepting.has((config as { commitment: string }).commitment),
    }),
  });
  for (const commitments of [['processed', 'finalized'], ['processed'], ['finalized'], []]) {
    accepting.clear();
    for (const commitment of commitments) accepting.add(commitment);
    assert.equal(await node.isBlockhashAlive(anyAddress, never), commitments.length > 0, commitments.join());
    clock.ahead += 400;
  }
});

test('A slot without a block has no height, which is not counted against the node, and a final height is kept', async (t) => {
  const codes = [-32001, -32004, -32007, -32009, -32014];
  const { node, reader, clock, callsOf } = await startHistory(t, {
    getEpochInfo: () => epochInfo(1_000),
    getBlock: ([slot]) => (Number(slot) < 100 ? new RpcFailure(codes[Number(slot)] ?? 0) : { blockHeight: 90 }),
  });
  await node.readFinalizedHeight(never);
  for (const index of codes.keys()) assert.equal(await node.readBlockHeight(BigInt(index), never), null);
  assert.equal(callsOf('getBlock').length, codes.length);
  assert.equal(reader.upstreams[0]?.state, 'closed');
  for (const [slot, calls] of [
    [1_000n, 1],
    [1_001n, 2],
  ] as const) {
    const before = callsOf('getBlock').length;
    for (let count = 0; count < 2; count++) {
      assert.equal(await node.readBlockHeight(slot, never), 90n);
      clock.ahead += 400;
    }
    assert.equal(callsOf('getBlock').length - before, calls);
  }
});

test('A transaction is kept once it is finalized, and is asked for again before', async (t) => {
  const { node, clock, callsOf } = await startHistory(t, {
    getEpochInfo: () => epochInfo(44),
    getTransaction: ([signature]) => (signature === memo.signature ? memo.inBase64 : { result: null }),
  });
  const readAgain = () => {
    clock.ahead += 400;
    return node.readTransaction(memo.signature, never);
  };
  await readAgain();
  await readAgain();
  assert.equal(callsOf('getTransaction').length, 2, 'nothing is known to be final');
  await node.readFinalizedHeight(never);
  const landed = await readAgain();
  assert.equal(callsOf('getTransaction').length, 3);
  assert.equal(await readAgain(), landed);
  assert.equal(callsOf('getTransaction').length, 3);
  for (let count = 0; count < 2; count++) {
    clock.ahead += 400;
    assert.equal(await node.readTransaction(anySignature, never), null);
  }
  assert.equal(callsOf('getTransaction').length, 5, 'what the node does not know may land yet');
});

test('A finalized transaction is asked for again until the node shows its balances', async (t) => {
  for (const lists of [[], null]) {
    let meta: object = { ...memo.json.meta, preTokenBalances: lists, postTokenBalances: lists };
    const { node, clock, callsOf } = await startHistory(t, {
      getEpochInfo: () => epochInfo(10_000),
      getTransaction: () => ({ ...memo.inBase64, meta }),
    });
    await node.readFinalizedHeight(never);
    const balancesNow = async () => {
      clock.ahead += 400;
      return (await node.readTransaction(memo.signature, never))?.balances?.size;
    };
    assert.deepEqual([await balancesNow(), await balancesNow()], [undefined, undefined]);
    meta = memo.json.meta;
    assert.deepEqual([await balancesNow(), await balancesNow()], [2, 2]);
    assert.equal(callsOf('getTransaction').length, 3);
  }
});
