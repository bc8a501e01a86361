import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/schema';
import { outcomeReplySchema } from '../../src/outcomes/outcome-schema.ts';
import { outcomeText, verdictJson } from '../../src/outcomes/verdict-json.ts';
import { everyVerdict } from '../transfers/words/every-verdict.ts';

test('The reply about every outcome is what its schema says, alone and in a list', () => {
  for (const verdict of everyVerdict) {
    const reply: unknown = JSON.parse(outcomeText([verdict], false));
    assert.ok(Check(outcomeReplySchema, reply), JSON.stringify(reply));
  }
  const list: unknown = JSON.parse(outcomeText(everyVerdict, true));
  assert.ok(Check(outcomeReplySchema, list));
  assert.deepEqual(JSON.parse(outcomeText([], true)), { data: [], status: 'transfer outcome found successfully' });
});

test('An outcome is final when it is expired, or on chain at finalized', () => {
  for (const verdict of everyVerdict) {
    const isFinal = verdict.outcome === 'expired' || ('commitment' in verdict && verdict.commitment === 'finalized');
    assert.equal(verdictJson(verdict).is_final, isFinal);
  }
});

test('Every member of a verdict is written, and none that it does not have', () => {
  const [landed] = everyVerdict;
  assert.ok(landed);
  const { reason, ...members } = verdictJson(landed);
  assert.ok(reason.length > 0);
  assert.deepEqual(members, {
    outcome: 'landed',
    is_final: false,
    signature: '5'.repeat(88),
    matched_by: 'signature',
    slot: '440208190',
    block_time: 1_795_000_000,
    commitment: 'confirmed',
    network_fee: '5000',
    payments: [
      {
        recipient: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
        recipient_token_account: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
        amount: '1500000',
        received_amount: '1485000',
      },
    ],
  });
  const bare = verdictJson({ outcome: 'pending', reason: 'nonce_unused', blockHeight: undefined, similar: undefined });
  assert.deepEqual(Object.keys(bare), ['outcome', 'is_final', 'reason', 'reason_code']);
  const full = verdictJson({
    outcome: 'pending',
    reason: 'lifetime',
    blockHeight: 1n,
    lastValidBlockHeight: 2n,
    similar: ['s'],
  });
  assert.deepEqual([full.similar, full.block_height, full.last_valid_block_height], [['s'], '1', '2']);
  assert.equal(verdictJson({ outcome: 'expired', nonceUsedBy: 's' }).nonce_used_by, 's');
});
