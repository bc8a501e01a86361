import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Finding, findingInWhole, indexInWhole, type Warning } from '../../../core/src/index.ts';
import { partWithout, warningInWhole } from '../../src/transfers/batch-reply.ts';
import { batchOf } from './sample-batch.ts';

const batch = batchOf(6);

describe('a part of a batch', () => {
  it('is the whole batch where nothing is left out', () => {
    assert.deepEqual(partWithout(batch, []), { request: batch, indices: [0, 1, 2, 3, 4, 5] });
  });

  it('leaves out what is named in any order, and keeps the order and the options', () => {
    const { request, indices } = partWithout(batch, [4, 0, 3]);
    const { transfers, ...options } = request;
    const { transfers: all, ...whole } = batch;
    assert.deepEqual([indices, options], [[1, 2, 5], whole]);
    assert.deepEqual(transfers, [all[1], all[2], all[5]]);
  });

  it('names its transfers, in findings and warnings, as the whole batch does', () => {
    const part = partWithout(batch, [0, 2]);
    assert.deepEqual(
      [0, 1, 2, 3].map((transfer) => indexInWhole(part, transfer)),
      [1, 3, 4, 5],
    );
    assert.throws(() => indexInWhole(part, 4), RangeError);
    const finding: Finding = {
      code: 'recipient_is_mint',
      field: { transfer: 1, part: 'to' },
      context: { recipient: batch.mint, program: batch.mint },
    };
    assert.deepEqual(findingInWhole(part, finding), { ...finding, field: { transfer: 3, part: 'to' } });
    const warning: Warning = { code: 'repeated_recipient', context: { recipient: batch.from, transfers: [0, 3] } };
    assert.deepEqual(warningInWhole(part, warning), {
      code: 'repeated_recipient',
      context: { recipient: batch.from, transfers: [1, 5] },
    });
  });

  it('has findings and warnings about no transfer as they are', () => {
    const part = partWithout(batch, [0]);
    const context = { recipient: batch.mint, program: batch.mint };
    for (const field of ['mint', { split: 0, part: 'to' }] as const) {
      const finding: Finding = { code: 'recipient_is_mint', field, context };
      assert.equal(findingInWhole(part, finding), finding);
    }
    const warning: Warning = { code: 'durable_nonce', context: { nonceAccount: batch.from } };
    assert.equal(warningInWhole(part, warning), warning);
  });
});
