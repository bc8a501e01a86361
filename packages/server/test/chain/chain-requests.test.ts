import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockSysvar } from '../../../core/src/accounts/sysvars.ts';
import { toAddress } from '../../../core/src/addresses/address.ts';
import { ChainHead } from '../../src/chain/chain-head.ts';
import {
  accountsRequest,
  blockhashKnownRequest,
  blockhashRequest,
  genesisHashRequest,
  healthRequest,
  pricesRequest,
  probeRequest,
  simulationRequest,
  tokenAccountsRequest,
} from '../../src/chain/chain-requests.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import { alice, bob } from '../app/sample-bodies.ts';

const head = new ChainHead({ hasSeveralUpstreams: false, now: () => 0 });
head.note(1_000n);
const confirmed = { commitment: 'confirmed', minContextSlot: 990 };
const [one, other] = [toAddress(alice), toAddress(bob)];

test('accounts are read up to 32 KiB, or up to 512 KiB, and an answer may have what base64 makes of that', () => {
  for (const [isLong, length] of [
    [false, 32_768],
    [true, 524_288],
  ] as const) {
    const { method, params, maxAnswerBytes } = accountsRequest([one, other], head, isLong);
    const config = { ...confirmed, encoding: 'base64', dataSlice: { offset: 0, length } };
    assert.deepEqual([method, params], ['getMultipleAccounts', [[one, other], config]]);
    assert.equal(maxAnswerBytes, 4_096 + 2 * (1_024 + (length / 3) * 4));
  }
  assert.deepEqual(accountsRequest([one], head).params, accountsRequest([one], head, false).params);
  assert.deepEqual(probeRequest(head).params, accountsRequest([clockSysvar], head).params);
});

test('an answer with accounts has its slot', () => {
  const { read, slotOf } = accountsRequest([one], head);
  const answer = read({ context: { slot: 1_001 }, value: [null] });
  assert.deepEqual([answer.accounts, slotOf?.(answer)], [[null], 1_001n]);
});

test('every request says how current its answer must be, where it can, and how long it may be', () => {
  const simulated = { ...confirmed, encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true };
  for (const [request, method, params, maxAnswerBytes] of [
    [blockhashRequest(head, () => {}), 'getLatestBlockhash', [confirmed], 4_096],
    [blockhashKnownRequest('hash', head), 'isBlockhashValid', ['hash', confirmed], 4_096],
    [simulationRequest(Uint8Array.of(1, 2, 255), head), 'simulateTransaction', ['AQL/', simulated], 1_048_576],
    [pricesRequest([one]), 'getRecentPrioritizationFees', [[one]], 1_048_576],
    [genesisHashRequest, 'getGenesisHash', [], 4_096],
    [healthRequest, 'getHealth', [], 4_096],
  ] as const) {
    assert.deepEqual([request.method, request.params, request.maxAnswerBytes], [method, params, maxAnswerBytes]);
  }
});

test('the token accounts of a wallet are read without their extensions, and a node that does not look for them knows of none', () => {
  const { method, params, absentCodes, read, maxAnswerBytes, sizeFault } = tokenAccountsRequest(one, other, head);
  const config = { ...confirmed, encoding: 'base64', dataSlice: { offset: 0, length: 165 } };
  assert.deepEqual([method, params], ['getTokenAccountsByOwner', [one, { mint: other }, config]]);
  assert.deepEqual([...(absentCodes ?? [])], [-32601, -32602, -32010]);
  assert.equal(read(null).size, 0);
  // Anyone may open so many accounts for a wallet that the answer is too long.
  assert.deepEqual([maxAnswerBytes, sizeFault], [1_048_576, 'too_large']);
});

test('a blockhash that the caller cannot use is no answer', () => {
  const result = { context: { slot: 1_001 }, value: { blockhash: one, lastValidBlockHeight: 1_100 } };
  const usable = blockhashRequest(head, () => {});
  const answer = usable.read(result);
  assert.deepEqual([answer.lastValidBlockHeight, usable.slotOf?.(answer)], [1_100n, 1_001n]);
  const unusable = blockhashRequest(head, ({ blockhash }) => assert.fail(`${blockhash} is too old`));
  assert.throws(() => unusable.read(result), /is too old/);
});

test('a simulation has its slot', () => {
  const { read, slotOf } = simulationRequest(new Uint8Array(1), head);
  const answer = read({ context: { slot: 1_001 }, value: { err: null, logs: [], unitsConsumed: 1 } });
  assert.equal(slotOf?.(answer), 1_001n);
});

test('a node is healthy when it says ok, and nothing else', () => {
  healthRequest.read('ok');
  for (const other of ['behind', null, undefined, { ok: true }]) {
    assert.throws(
      () => healthRequest.read(other),
      (error) => error instanceof UpstreamFault && error.kind === 'node',
    );
  }
});
