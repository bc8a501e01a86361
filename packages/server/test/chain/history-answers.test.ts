import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toAddress } from '../../../core/src/addresses/address.ts';
import type { HistoryPage } from '../../src/chain/chain-history.ts';
import {
  blockHeightRequest,
  blockhashAliveRequest,
  finalizedHeightRequest,
  firstAvailableSlotRequest,
  signaturesRequest,
  statusesRequest,
} from '../../src/chain/history-requests.ts';
import { isRecord, RoundedInteger } from '../../src/chain/json-values.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import { recorded } from './recorded.ts';

const anyAddress = toAddress('1'.repeat(32));
const anySignature = '1'.repeat(64);
const isOfKind = (kind: string) => (error: unknown) => error instanceof UpstreamFault && error.kind === kind;
const isMalformed = isOfKind('malformed');
const tooLittle = { InstructionError: [1, { Custom: 1 }] };

test('The finalized height of a real node is read from its epoch info', () => {
  assert.deepEqual(finalizedHeightRequest.params, [{ commitment: 'finalized' }]);
  assert.deepEqual(finalizedHeightRequest.read(recorded('getEpochInfo').result), { slot: 378n, blockHeight: 378n });
});

test('A height of more blocks than slots is malformed', () => {
  const read = (absoluteSlot: unknown, blockHeight: unknown) => () =>
    finalizedHeightRequest.read({ absoluteSlot, blockHeight });
  assert.throws(read(378, 379), isMalformed);
  assert.throws(read(378, undefined), isMalformed);
  assert.throws(read('378', 1), isMalformed);
  assert.throws(read(2 ** 60, 1), RoundedInteger);
  for (const result of [null, [], 378, 'ok']) assert.throws(() => finalizedHeightRequest.read(result), isMalformed);
});

test('The first available slot of a real node is read', () => {
  assert.equal(firstAvailableSlotRequest.read(recorded('getFirstAvailableBlock').result), 0n);
  assert.equal(firstAvailableSlotRequest.read(300_000_000), 300_000_000n);
  for (const result of [null, '0', -1, 1.5, {}]) {
    assert.throws(() => firstAvailableSlotRequest.read(result), isMalformed);
  }
});

test('The height of a block of a real node is read, and of a slot without one, or without a height, none', () => {
  const { params, read } = blockHeightRequest(1n);
  const config = { commitment: 'confirmed', transactionDetails: 'none', rewards: false };
  assert.deepEqual(params, [1, { ...config, maxSupportedTransactionVersion: 1 }]);
  assert.equal(read(recorded('getBlock').result), 1n);
  assert.equal(read(null), null);
  assert.equal(read({ blockHeight: null }), null);
  for (const result of [{}, { blockHeight: '1' }, { blockHeight: 2 }, [], 1, undefined]) {
    assert.throws(() => read(result), isMalformed, JSON.stringify(result));
  }
});

test('Whether a real node would still accept a blockhash is read, unless its answer is too old', () => {
  const { params, read } = blockhashAliveRequest(anyAddress, 'processed', 378n);
  assert.deepEqual(params, [anyAddress, { commitment: 'processed', minContextSlot: 378 }]);
  assert.deepEqual(blockhashAliveRequest(anyAddress, 'finalized', 0n).params, [
    anyAddress,
    { commitment: 'finalized' },
  ]);
  assert.equal(read(recorded('isBlockhashValid').result), true);
  assert.equal(read(recorded('isBlockhashInvalid').result), false);
  assert.throws(() => read({ context: { slot: 377 }, value: false }), isOfKind('lagging'));
  for (const value of [null, 'false', 0, undefined]) {
    assert.throws(() => read({ context: { slot: 378 }, value }), isMalformed);
  }
});

test('Statuses of a real node are read with how certain they are, and a signature that it does not know as null', () => {
  const { params, result } = recorded('getSignatureStatuses');
  const { read } = statusesRequest(params[0] as string[]);
  assert.deepEqual(read(result), {
    slot: 378n,
    statuses: [{ slot: 378n, error: null, commitment: 'confirmed' }, null],
  });
  const all = recorded('statuses of all');
  const request = statusesRequest(all.params[0] as string[]);
  assert.deepEqual(request.params, all.params);
  const { slot, statuses } = request.read(all.result);
  assert.equal(slot, 101n);
  assert.equal(statuses.length, 6);
  assert.deepEqual(statuses[0], { slot: 44n, error: null, commitment: 'finalized' });
  assert.deepEqual(statuses[5], { slot: 49n, error: tooLittle, commitment: 'finalized' });
});

test('Statuses that are not as many as were asked for, or no statuses, are malformed', () => {
  const { read } = statusesRequest([anySignature]);
  const good = { slot: 1, err: null, confirmationStatus: 'processed' };
  const readOf = (...value: unknown[]) => read({ context: { slot: 1 }, value });
  assert.equal(readOf(good).statuses[0]?.commitment, 'processed');
  const without = (member: string) => Object.fromEntries(Object.entries(good).filter(([name]) => name !== member));
  const bad = [
    undefined,
    'confirmed',
    [],
    without('slot'),
    without('err'),
    without('confirmationStatus'),
    { ...good, slot: '1' },
    { ...good, confirmationStatus: 'rooted' },
    { ...good, confirmationStatus: null },
    { ...good, err: { a: { b: { c: { d: { e: 1 } } } } } },
    { ...good, err: 'x'.repeat(1_001) },
  ];
  for (const value of bad) assert.throws(() => readOf(value), isMalformed, JSON.stringify(value));
  assert.throws(() => readOf(), isMalformed);
  assert.throws(() => readOf(good, good), isMalformed);
  assert.throws(() => read({ value: [good] }), isMalformed);
  for (const value of ['1', { length: 1 }]) assert.throws(() => read({ context: { slot: 1 }, value }), isMalformed);
});

test('The history of a real node is read with memos, errors and times, newest first', () => {
  const { params, result } = recorded("history of the sender's token account");
  const [address] = params;
  const request = signaturesRequest(toAddress(String(address)), { limit: 10 });
  assert.deepEqual(request.params, params);
  const entries = request.read(result);
  assert.equal(entries.length, 8);
  assert.deepEqual(entries[0], {
    slot: 55n,
    error: tooLittle,
    commitment: 'finalized',
    signature: '2FDVTYaiCasBxFZ1u6guCcfgWfTub2iuaaHzLThqDAaSUYQTiJ4XHtpywCNXFu427ZeVVKHXNL7ziswrcSCfXbj8',
    memo: '[8] too much',
    blockTime: 1795295028n,
  });
  assert.deepEqual(
    entries.map(({ memo }) => memo),
    ['[8] too much', '[5] yid-7', null, null, '[25] ünïcode "quoted" 发票', '[12] invoice 1001', null, null],
  );
});

test('A page of history is asked for as what it is', () => {
  const page = { before: anySignature, minContextSlot: 300_000_000n };
  assert.deepEqual(signaturesRequest(anyAddress, page).params, [
    anyAddress,
    { commitment: 'confirmed', limit: 1_000, before: anySignature, minContextSlot: 300_000_000 },
  ]);
  assert.deepEqual(signaturesRequest(anyAddress, {}).params, [anyAddress, { commitment: 'confirmed', limit: 1_000 }]);
  assert.deepEqual(signaturesRequest(anyAddress, { until: anySignature, limit: 3 }).params, [
    anyAddress,
    { commitment: 'confirmed', limit: 3, until: anySignature },
  ]);
});

test('A page that names no slot is asked of nodes that are not behind the others', () => {
  const head = { minContextSlot: { minContextSlot: 77 } };
  const slotIn = (page: HistoryPage): unknown => {
    const [, options] = signaturesRequest(anyAddress, page, head).params;
    return isRecord(options) ? options.minContextSlot : undefined;
  };
  assert.equal(slotIn({}), 77);
  assert.equal(slotIn({ minContextSlot: 5n }), 5);
});

test('A history that is not sorted, too long or of no entries is malformed', () => {
  const good = {
    slot: 5,
    err: null,
    confirmationStatus: 'finalized',
    signature: anySignature,
    memo: null,
    blockTime: 7,
  };
  const { read } = signaturesRequest(anyAddress, { limit: 2 });
  assert.deepEqual(
    read([good, { ...good, memo: undefined, blockTime: null }]).map(({ memo, blockTime }) => [memo, blockTime]),
    [
      [null, 7n],
      [null, null],
    ],
  );
  const bad = [
    [good, { ...good, slot: 6 }],
    [good, good, good],
    [{ ...good, signature: undefined }],
    [{ ...good, signature: '1'.repeat(63) }],
    [{ ...good, signature: `${'1'.repeat(63)}0` }],
    [{ ...good, memo: 5 }],
    [{ ...good, memo: ['a'] }],
    [{ ...good, blockTime: '7' }],
    [{ ...good, blockTime: -7 }],
    [{ ...good, blockTime: 8_640_000_000_001 }],
    [{ ...good, confirmationStatus: undefined }],
    [null],
    {},
    null,
  ];
  for (const result of bad) assert.throws(() => read(result), isMalformed, JSON.stringify(result));
});

test('A page of 1,000 entries with the longest memos of 1,232 bytes is within its bound, and one of any memos need not be', () => {
  const entry = {
    blockTime: 1_795_295_028,
    confirmationStatus: 'finalized',
    err: tooLittle,
    memo: `[1100] ${'x'.repeat(1_100)}`,
    signature: '5'.repeat(88),
    slot: 400_000_000,
    transactionIndex: 1_000,
  };
  const page = JSON.stringify(Array.from({ length: 1_000 }, () => entry));
  const { maxAnswerBytes, sizeFault } = signaturesRequest(anyAddress, {});
  assert.ok(page.length * 2 < maxAnswerBytes, `${page.length} of ${maxAnswerBytes}`);
  assert.equal(sizeFault, 'too_large');
});
