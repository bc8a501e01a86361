import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { landedToColumn, noReply, toBuiltRecord, toLanded } from '../../../src/idempotency/records/idempotency-rows.ts';
import type { IdempotentRequestRow } from '../../../src/store/schema/tables.ts';
import { formerColumns } from './former-reply.ts';
import { landedWith, replyWith } from './idempotent-requests.ts';

const unreadable = /^Error: the key database holds the record of an idempotent request that cannot be read$/;

/** The row of a reply that a version before step 13 of the schema has stored, as another program has changed it. */
function rowWith(changes: Partial<IdempotentRequestRow> = {}): IdempotentRequestRow {
  return {
    scope: 'key_1',
    path: '/v1/transfers',
    idempotency_key: 'k',
    body_hash: 'a',
    attempt: 'first',
    state: 'built',
    started_at: 7,
    expires_at: 8,
    ...formerColumns(replyWith()),
    packed_reply: null,
    landed: null,
    ...changes,
  };
}

/** The row of a reply whose transactions are this JSON. */
function rowOf(...transactions: readonly unknown[]): IdempotentRequestRow {
  return rowWith({ transactions: JSON.stringify(transactions) });
}

const _transaction = { transaction: 'AQID', last_valid_block_height: '9' };
const landed = { transfers: [1], signature: 's', slot: '5', block_time: null, message_hash: 'm' };

describe('the row of a reply that an earlier version has stored', () => {
  it('gives back what was stored, byte for byte', async () => {
    const built = replyWith();
    const record = await toBuiltRecord(rowWith());
    assert.deepEqual(record, {
      ...built,
      attempt: 'first',
      startedAt: 7,
      landed: [],
      transactions: built.transactions.map((each) => ({ ...each })),
    });
    assert.ok(!('transfers' in (record.transactions[0] ?? {})));
    assert.deepEqual(noReply, { reply: null, reply_headers: null, transactions: null, packed_reply: null });
    assert.deepEqual((await toBuiltRecord(rowOf())).transactions, []);
    assert.deepEqual((await toBuiltRecord(rowWith({ reply_headers: '{}' }))).headers, {});
  });
});

describe('the column of what has landed', () => {
  it('gives back what was stored, and is null where nothing has landed', async () => {
    const all = [landedWith(), landedWith({ blockTime: null, slot: 2n ** 64n - 1n }), landedWith({ blockTime: -7n })];
    assert.deepEqual(toLanded(landedToColumn(all)), all);
    assert.deepEqual((await toBuiltRecord(rowWith({ landed: landedToColumn(all) }))).landed, all);
    assert.equal(landedToColumn([]), null);
    assert.deepEqual(toLanded(null), []);
  });

  it('is not read where it is another one: a payment that is forgotten could be made again', () => {
    assert.equal(toLanded(JSON.stringify([landed])).length, 1);
    for (const text of ['', '[', 'null', '[]', '{}', '7', '[null]', '[7]']) {
      assert.throws(() => toLanded(text), unreadable, text);
    }
    for (const wrong of [
      ...Object.keys(landed).map((name) => ({ ...landed, [name]: undefined })),
      { ...landed, transfers: [] },
      { ...landed, transfers: 1 },
      { ...landed, signature: null },
      { ...landed, slot: null },
      { ...landed, slot: 5 },
      { ...landed, block_time: 5 },
      { ...landed, message_hash: null },
    ]) {
      assert.throws(() => toLanded(JSON.stringify([landed, wrong])), unreadable, JSON.stringify(wrong));
    }
  });
});
