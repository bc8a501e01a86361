import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retryAfterSeconds, stateOf, type TransactionState } from '../../src/idempotency/retry-rule.ts';
import type { PendingVerdict, Verdict } from '../../src/outcomes/verdict.ts';
import { verdicts } from './verdicts.ts';

const { landed, failed, pending, expired, unknown } = verdicts;

/** Of a transaction whose own bytes can land up to block height 1000. */
function stateAt(verdict: Verdict, blockHeight: bigint | undefined): TransactionState {
  return stateOf({ verdict, lastValidBlockHeight: 1000n }, blockHeight);
}

const withNonce = (verdict: Verdict): TransactionState =>
  stateOf({ verdict, lastValidBlockHeight: undefined }, undefined);

/** Whether it may land, and its own bytes can. */
const canBeSent = (state: TransactionState): boolean | undefined =>
  state.kind === 'may_land' ? state.canBeSent : undefined;

/** For how many seconds it waits, at slots of 200 ms unless they take longer. */
function waits(state: TransactionState, slotMs: number | undefined = 200): number {
  assert.equal(state.kind, 'may_land');
  return 'verdict' in state ? retryAfterSeconds(state.verdict, slotMs) : Number.NaN;
}

describe('a transaction that was built before', () => {
  it('can be sent up to the last block at which it can land, and not after it', () => {
    assert.equal(canBeSent(stateAt(pending(), 1n)), true);
    assert.equal(canBeSent(stateAt(pending(), 1000n)), true);
    assert.equal(canBeSent(stateAt(pending(), 1001n)), false);
    assert.equal(canBeSent(stateAt(pending({ reason: 'failed_but_alive' }), 1000n)), true);
  });

  it('is not sent where nothing shows that it can land', () => {
    assert.equal(canBeSent(stateAt(pending(), undefined)), false);
  });

  it('is not sent while it seems to be on its way', () => {
    for (const reason of ['not_final', 'blockhash_alive'] as const) {
      assert.equal(canBeSent(stateAt(pending({ reason }), 1n)), false);
    }
  });

  it('is not sent once its own bytes failed: the chain takes them once', () => {
    assert.equal(canBeSent(stateAt(pending({ reason: 'failed_but_alive', hasFailed: true }), 1n)), false);
  });

  it('is not sent while a payment is on chain that may be it', () => {
    assert.equal(canBeSent(stateAt(pending({ similar: [] }), 1n)), true);
    assert.equal(canBeSent(stateAt(pending({ similar: ['x'] }), 1n)), false);
  });

  it('can be sent as long as its durable nonce is not used, and not after it', () => {
    assert.equal(canBeSent(withNonce(pending({ reason: 'nonce_unused' }))), true);
    assert.equal(canBeSent(withNonce(pending({ reason: 'nonce_used_not_final' }))), false);
    assert.equal(canBeSent(withNonce(pending())), false);
  });

  it('is dead when it never landed and never can, or failed for good', () => {
    assert.equal(stateAt(expired(), 1151n).kind, 'dead');
    assert.equal(withNonce({ outcome: 'expired', nonceUsedBy: 'x' }).kind, 'dead');
    assert.equal(stateAt(failed(), 1n).kind, 'dead');
  });

  it('waits for a failure to be final', () => {
    assert.equal(waits(stateAt(failed({ commitment: 'confirmed' }), 1n)), 5);
  });

  it('has landed, final or not', () => {
    for (const commitment of ['confirmed', 'finalized'] as const) {
      const verdict = landed({ commitment });
      assert.deepEqual(stateAt(verdict, 1n), { kind: 'landed', verdict });
    }
  });

  it('waits while nothing is certain', () => {
    assert.equal(waits(stateAt(unknown(), 2000n)), 30);
  });

  it('waits as long as the blocks take until it is certain at the measured pace, from 1 to 60 seconds', () => {
    const left = (blockHeight: bigint, slotMs?: number): number =>
      waits(stateAt(pending({ blockHeight, lastValidBlockHeight: 1150n }), 1001n), slotMs);
    assert.deepEqual([left(1144n), left(1100n), left(1000n), left(849n), left(1n)], [2, 10, 30, 60, 60]);
    assert.deepEqual([left(1150n), left(1160n)], [1, 1]);
    assert.deepEqual([left(1147n, 400), left(1100n, 400), left(1000n, 400)], [2, 20, 60]);
    const unmeasured = stateAt(pending({ blockHeight: 1147n, lastValidBlockHeight: 1150n }), 1001n);
    assert.ok('verdict' in unmeasured);
    assert.equal(retryAfterSeconds(unmeasured.verdict, undefined), 30);
    const unsaid: PendingVerdict = { outcome: 'pending', reason: 'lifetime' };
    for (const said of [{}, { blockHeight: 900n }, { lastValidBlockHeight: 1150n }]) {
      assert.equal(waits(stateAt({ ...unsaid, ...said }, 1001n)), 30);
    }
    assert.equal(waits(stateAt(pending({ reason: 'blockhash_alive', blockHeight: 1151n }), 1151n)), 1);
    assert.equal(waits(stateAt(pending({ reason: 'not_final' }), 1n)), 5);
  });
});
