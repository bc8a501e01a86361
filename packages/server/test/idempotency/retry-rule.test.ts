import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  decideRetry,
  type RetryDecision,
  retryAfterSeconds,
  type TransactionFate,
} from '../../src/idempotency/retry-rule.ts';
import type { PendingVerdict, Verdict } from '../../src/outcomes/verdict.ts';
import { verdicts } from './verdicts.ts';

const { landed, failed, pending, expired, unknown } = verdicts;

/** Of a transaction whose own bytes can land up to block height 1000. */
function decide(verdict: Verdict, blockHeight: bigint | undefined, last: bigint | undefined = 1000n): RetryDecision {
  return decideRetry([{ verdict, lastValidBlockHeight: last }], blockHeight);
}

const withNonce = (verdict: Verdict): RetryDecision =>
  decideRetry([{ verdict, lastValidBlockHeight: undefined }], undefined);

/** For how many seconds it waits, at slots of 200 ms unless they take longer. */
function waits(decision: RetryDecision, slotMs: number | undefined = 200): number {
  assert.equal(decision.kind, 'may_land');
  return 'verdict' in decision ? retryAfterSeconds(decision.verdict, slotMs) : Number.NaN;
}

describe('a retry', () => {
  it('gets the same reply up to the last block at which the transaction can land, and not after it', () => {
    assert.equal(decide(pending(), 1n).kind, 'replay');
    assert.equal(decide(pending(), 1000n).kind, 'replay');
    assert.equal(decide(pending(), 1001n).kind, 'may_land');
    assert.equal(decide(pending({ reason: 'failed_but_alive' }), 1000n).kind, 'replay');
  });

  it('gets no reply that cannot be shown to land', () => {
    assert.equal(decide(pending(), undefined).kind, 'may_land');
  });

  it('gets no reply while the transaction seems to be on its way', () => {
    for (const reason of ['not_final', 'blockhash_alive'] as const) {
      assert.equal(decide(pending({ reason }), 1n).kind, 'may_land');
    }
  });

  it('gets the same reply as long as the durable nonce is not used, and not after it', () => {
    assert.equal(withNonce(pending({ reason: 'nonce_unused' })).kind, 'replay');
    assert.equal(withNonce(pending({ reason: 'nonce_used_not_final' })).kind, 'may_land');
    assert.equal(withNonce(pending()).kind, 'may_land');
  });

  it('builds again when the transaction never landed and never can, or failed for good', () => {
    assert.equal(decide(expired(), 1151n).kind, 'rebuild');
    assert.equal(withNonce({ outcome: 'expired', nonceUsedBy: 'x' }).kind, 'rebuild');
    assert.equal(decide(failed(), 1n).kind, 'rebuild');
  });

  it('waits for a failure to be final', () => {
    assert.equal(waits(decide(failed({ commitment: 'confirmed' }), 1n)), 5);
  });

  it('is refused with the transaction that landed, final or not', () => {
    for (const commitment of ['confirmed', 'finalized'] as const) {
      const verdict = landed({ commitment });
      assert.deepEqual(decide(verdict, 1n), { kind: 'landed', landed: [{ index: 0, verdict }] });
    }
  });

  it('waits while nothing is certain', () => {
    assert.equal(waits(decide(unknown(), 2000n)), 30);
  });

  it('waits as long as the blocks take until it is certain at the measured pace, from 1 to 60 seconds', () => {
    const left = (blockHeight: bigint, slotMs?: number): number =>
      waits(decide(pending({ blockHeight, lastValidBlockHeight: 1150n }), 1001n), slotMs);
    assert.deepEqual([left(1144n), left(1100n), left(1000n), left(849n), left(1n)], [2, 10, 30, 60, 60]);
    assert.deepEqual([left(1150n), left(1160n)], [1, 1]);
    assert.deepEqual([left(1147n, 400), left(1100n, 400), left(1000n, 400)], [2, 20, 60]);
    const unmeasured = decide(pending({ blockHeight: 1147n, lastValidBlockHeight: 1150n }), 1001n);
    assert.ok('verdict' in unmeasured);
    assert.equal(retryAfterSeconds(unmeasured.verdict, undefined), 30);
    const unsaid: PendingVerdict = { outcome: 'pending', reason: 'lifetime' };
    for (const said of [{}, { blockHeight: 900n }, { lastValidBlockHeight: 1150n }]) {
      assert.equal(waits(decide({ ...unsaid, ...said }, 1001n)), 30);
    }
    assert.equal(waits(decide(pending({ reason: 'blockhash_alive', blockHeight: 1151n }), 1151n)), 1);
    assert.equal(waits(decide(pending({ reason: 'not_final' }), 1n)), 5);
  });
});

describe('a retry of several transactions', () => {
  const decideAll = (...all: readonly Verdict[]): RetryDecision => {
    const fates: TransactionFate[] = all.map((verdict) => ({ verdict, lastValidBlockHeight: 1000n }));
    return decideRetry(fates, 990n);
  };

  it('gets the same reply while one of them can still land, though others have', () => {
    assert.equal(decideAll(landed(), pending(), expired()).kind, 'replay');
  });

  it('builds again what is dead, and only that', () => {
    const [one, other] = [landed({ signature: 'one' }), landed({ signature: 'other' })];
    assert.deepEqual(decideAll(expired(), one, failed(), other), {
      kind: 'rebuild',
      landed: [
        { index: 1, verdict: one },
        { index: 3, verdict: other },
      ],
    });
    assert.deepEqual(decideAll(expired(), failed()), { kind: 'rebuild', landed: [] });
  });

  it('builds nothing again while one of them may have landed, or may still, or what landed can be undone by a fork', () => {
    assert.equal(waits(decideAll(expired(), unknown(), landed())), 30);
    assert.equal(waits(decideAll(expired(), failed({ commitment: 'confirmed' }), landed())), 5);
    assert.equal(waits(decideAll(expired(), landed({ commitment: 'confirmed' }), landed())), 5);
  });

  it('is refused with all of them when all have landed, final or not', () => {
    const [one, other] = [landed({ signature: 'one' }), landed({ commitment: 'confirmed' })];
    assert.deepEqual(decideAll(one, other), {
      kind: 'landed',
      landed: [
        { index: 0, verdict: one },
        { index: 1, verdict: other },
      ],
    });
  });
});
