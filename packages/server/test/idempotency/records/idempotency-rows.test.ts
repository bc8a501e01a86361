import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { builtToColumns, landedToColumn, toBuiltRecord } from '../../../src/idempotency/idempotent-request.ts';
import type { IdempotentRequestRow } from '../../../src/store/schema/tables.ts';
import { builtReply, landedWith, replyWith } from './idempotent-requests.ts';

const unreadable = /^Error: the key database holds the record of an idempotent request that cannot be read$/;

/** The row of a reply, as another program has changed it. */
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
    ...builtToColumns(replyWith()),
    landed: null,
    ...changes,
  };
}

/** The row of a reply whose transactions are this JSON. */
function rowOf(...transactions: readonly unknown[]): IdempotentRequestRow {
  return rowWith({ transactions: JSON.stringify(transactions) });
}

const transaction = { transaction: 'AQID', last_valid_block_height: '9' };
const landed = { transfers: [1], signature: 's', slot: '5', block_time: null, message_hash: 'm' };

describe('the row of a reply', () => {
  it('gives back what was stored, byte for byte', () => {
    const record = toBuiltRecord(rowWith());
    assert.deepEqual(record, {
      whole: { reply: builtReply.reply, headers: builtReply.headers },
      attempt: 'first',
      state: 'built',
      startedAt: 7,
      expiresAt: 8,
      landed: [],
      transactions: builtReply.transactions.map((each) => ({ ...each })),
    });
    assert.ok(!('transfers' in (record.transactions[0] ?? {})));
    assert.deepEqual(toBuiltRecord(rowOf()).transactions, []);
    assert.deepEqual(toBuiltRecord(rowWith({ reply_headers: '{}' })).whole?.headers, {});
    assert.deepEqual(toBuiltRecord(rowOf(transaction)).transactions, [
      { bytes: Uint8Array.of(1, 2, 3), lastValidBlockHeight: 9n },
    ]);
  });

  it('that is never given again has its transactions, what landed, or both', () => {
    const landed = landedToColumn([landedWith()]);
    const none = { reply: null, reply_headers: null };
    const { whole, transactions } = toBuiltRecord(rowWith({ ...none, landed }));
    assert.deepEqual([whole, transactions.length], [undefined, 2]);
    assert.deepEqual(toBuiltRecord(rowWith({ ...none, transactions: null, landed })).landed, [landedWith()]);
    assert.deepEqual(builtToColumns(replyWith({ whole: undefined, transactions: [] })), {
      ...none,
      transactions: null,
    });
  });

  it('is not read where another program has changed it', () => {
    const rows = [
      rowWith({ reply: null, reply_headers: null, transactions: null }),
      ...(['reply', 'reply_headers', 'transactions'] as const).map((column) => rowWith({ [column]: null })),
      ...['', '[', '[]', 'null', '7', '{"a":7}'].map((headers) => rowWith({ reply_headers: headers })),
      ...['', '[', '{}', 'null', '7'].map((transactions) => rowWith({ transactions })),
      ...[null, 7, {}].map((each) => rowOf(each)),
      ...Object.keys(transaction).map((name) => rowOf({ ...transaction, [name]: undefined })),
      ...[7, null, 'AQI', 'AQID!', '====', 'A-ID'].map((base64) => rowOf({ ...transaction, transaction: base64 })),
      ...[7, '', 'x', '1.5', '1'.repeat(21)].map((height) =>
        rowOf({ ...transaction, last_valid_block_height: height }),
      ),
      ...[7, [], [-1], [0.5], ['0'], null].map((transfers) => rowOf({ ...transaction, transfers })),
    ];
    for (const row of rows) assert.throws(() => toBuiltRecord(row), unreadable, JSON.stringify(row));
  });
});

/** The column of what landed, read with its row. */
const toLanded = (column: string | null) => toBuiltRecord(rowWith({ landed: column })).landed;

describe('the column of what has landed', () => {
  it('gives back what was stored, and is null where nothing has landed', () => {
    const all = [landedWith(), landedWith({ blockTime: null, slot: 2n ** 64n - 1n }), landedWith({ blockTime: -7n })];
    assert.deepEqual(toLanded(landedToColumn(all)), all);
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
