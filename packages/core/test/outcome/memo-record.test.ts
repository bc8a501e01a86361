import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoRecordOf } from '../../src/outcome/memo-record.ts';

test('A memo is listed with the number of its bytes', () => {
  assert.equal(memoRecordOf({ memos: ['invoice 1001'] }), '[12] invoice 1001');
  assert.equal(memoRecordOf({ memos: ['für José'] }), '[10] für José');
  assert.equal(memoRecordOf({ memos: ['😀'] }), '[4] 😀');
  assert.equal(memoRecordOf({ memos: [''] }), '[0] ');
});

test('Several memos are joined in their order', () => {
  assert.equal(memoRecordOf({ memos: ['b', '', 'a'] }), '[1] b; [0] ; [1] a');
});

test('A memo that is not UTF-8 is not shown, but counted', () => {
  assert.equal(memoRecordOf({ memos: ['\udcff\udc61'] }), '[2] (unparseable)');
});

test('Without a memo nothing is listed', () => {
  assert.equal(memoRecordOf({ memos: [] }), null);
});
