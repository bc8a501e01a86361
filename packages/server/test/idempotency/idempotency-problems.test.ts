import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alreadyLanded, identicalTransaction, previousMayLand } from '../../src/idempotency/idempotency-problems.ts';
import { verdicts } from './verdicts.ts';

describe('the refusal of a retry that is too soon', () => {
  const said = (verdict: Parameters<typeof previousMayLand>[0], seconds = 2): string =>
    previousMayLand(verdict, seconds).message;
  const again = (seconds: string): string =>
    `, so nothing was built. Send this request again in ${seconds}: POST /v1/transfers/outcome says more about it.`;

  it('says after how many seconds to ask again', () => {
    const { code, retryAfterSeconds } = previousMayLand(verdicts.pending({ reason: 'nonce_unused' }), 7);
    assert.deepEqual([code, retryAfterSeconds], ['previous_may_land', 7]);
    const start = 'What was built for this Idempotency-Key may still land';
    assert.equal(said(verdicts.pending({ reason: 'nonce_unused' }), 1), `${start}${again('1 second')}`);
    assert.equal(said(verdicts.pending({ reason: 'nonce_unused' }), 2), `${start}${again('2 seconds')}`);
    assert.equal(said(verdicts.expired()), `${start}${again('2 seconds')}`);
  });

  it('says until which height it can land, where it lives by a blockhash and both heights are known', () => {
    for (const reason of ['lifetime', 'failed_but_alive'] as const) {
      assert.match(said(verdicts.pending({ reason })), /it can land until block height 1150 is final, and 900 is, so/);
      assert.match(said(verdicts.pending({ reason, blockHeight: undefined })), /Key may still land, so/);
      assert.match(said(verdicts.pending({ reason, lastValidBlockHeight: undefined })), /Key may still land, so/);
    }
    assert.match(said(verdicts.pending({ reason: 'not_final' })), /Key may still land, so/);
  });

  it('names what is on chain and may be it', () => {
    assert.match(said(verdicts.pending({ similar: ['one', 'two'] })), /may have landed: .* may be it \(one, two\), so/);
  });

  it('names the signature of what failed, or why nobody can tell', () => {
    assert.match(said(verdicts.failed()), /failed with the signature 5{88}, which is not final yet, so/);
    assert.match(said(verdicts.unknown()), /cannot tell for certain \(history_pruned\), so/);
  });
});

it('the refusal of an identical transaction says what to do, all of it', () => {
  const { message, retryAfterSeconds } = identicalTransaction([{ lastValidBlockHeight: 1n }]);
  assert.match(message, /^An equal payment .* Send this request again in a second: .* avoids this\.$/);
  assert.equal(retryAfterSeconds, 1);
  const byNonce = identicalTransaction([{ lastValidBlockHeight: undefined }]);
  assert.match(byNonce.message, /again once the other has landed, or with another nonce_account\.$/);
  assert.equal(byNonce.retryAfterSeconds, 30);
});

describe('the refusal of a retry whose payment has landed', () => {
  const signature = '5'.repeat(88);
  const landed = { signature, slot: '900', block_time: 1_795_000_000 };
  const start = `What was built for this Idempotency-Key landed in slot 900 with the signature ${signature}.`;

  it('names the transaction, and others that it may be', () => {
    const plain = alreadyLanded(verdicts.landed());
    assert.equal(plain.message, `${start} Nothing was built. For another payment send another Idempotency-Key.`);
    assert.deepEqual([plain.landed, plain.progress], [landed, {}]);
    assert.deepEqual(alreadyLanded(verdicts.landed({ blockTime: null })).landed, { ...landed, block_time: null });
    assert.match(alreadyLanded(verdicts.landed({ ambiguous: ['one', 'two'] })).message, / of these: one, two\. For/);
  });

  it('counts the transactions of a batch of several', () => {
    const transactions = [
      { transfers: [0], signature },
      { transfers: [1], signature: 'another' },
    ];
    const several = alreadyLanded(verdicts.landed(), { landed_transactions: transactions });
    assert.match(several.message, /5\. So did the other transactions of the batch, 2 in all: .* Nothing was built\./);
    assert.deepEqual(several.progress?.landed_transactions, transactions);
    const one = { landed_transactions: transactions.slice(1) };
    assert.ok(!alreadyLanded(verdicts.landed(), one).message.includes('So did'));
  });
});
