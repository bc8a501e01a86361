import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transactionRequest } from '../../src/chain/history-requests.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import { changesIn, ownersIn } from './balances.ts';
import { recorded, recordedTransaction } from './recorded.ts';

const isOfKind = (kind: string) => (error: unknown) => error instanceof UpstreamFault && error.kind === kind;
const isMalformed = isOfKind('malformed');
const memo = recordedTransaction('memo, 2022 (json)');
/** A call of the token program. */
const callOfToken = {
  programIdIndex: memo.json.transaction.message.accountKeys.findIndex((key: string) => key.startsWith('Token')),
  accounts: [0],
  data: '1',
};
const [sender, senderAccount = '', recipientAccount = ''] = memo.json.transaction.message.accountKeys;
const read = (result: unknown, signature = memo.signature) => transactionRequest(signature).read(result);
const readWith = (meta: object) => read({ ...memo.inBase64, meta: { ...memo.json.meta, ...meta } });

test('A transaction of a real node is read in base64, with its fee and no token changes where it moved no tokens', () => {
  const { params, result } = recorded('getTransaction64');
  const signature = String(params[0]);
  const request = transactionRequest(signature);
  assert.deepEqual(request.params, [
    signature,
    { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 1 },
  ]);
  const landed = request.read(result);
  const [base64] = (result as { transaction: [string] }).transaction;
  assert.ok(landed);
  const { content, ...rest } = landed;
  assert.equal(content?.hasCalls, true);
  assert.deepEqual(rest, {
    slot: 378n,
    blockTime: 1795292463n,
    bytes: Buffer.from(base64, 'base64'),
    loadedAddresses: { writable: [], readonly: [] },
    error: null,
    fee: 5_000n,
    balances: new Map(),
  });
});

test('A transaction that the node does not know is null', () => {
  const { params, result } = recorded('getTransactionNone');
  assert.equal(read(result, String(params[0])), null);
});

test('What token accounts got, after a fee of the mint, is read from their balances', () => {
  const landed = read(memo.inBase64);
  assert.ok(landed);
  assert.deepEqual(Buffer.from(landed.bytes), memo.bytes);
  assert.deepEqual(
    changesIn(landed),
    new Map([
      [senderAccount, -1_500_000n],
      [recipientAccount, 1_495_000n],
    ]),
  );
  assert.equal(ownersIn(landed).get(senderAccount), sender);
  assert.equal(ownersIn(landed).get(recipientAccount), '6boLu8RJV6zwPa7uWqyra2MdZY7YVeTmqRfiwKPmAfuy');
});

test('A token account that the transaction made had nothing before, and one that it closed has nothing after', () => {
  const made = recordedTransaction('create, sponsored, version 0, 2022 (json)');
  const account = made.json.transaction.message.accountKeys[2] ?? '';
  const landed = read(made.inBase64, made.signature);
  assert.equal(changesIn(landed).get(account), 1_495_000n);
  assert.equal(ownersIn(landed).get(account), 'H5hprzUzrySgxU8ASZ5bXmccBzRp548wFF6FxE24zbap');
  assert.equal(landed?.fee, 10_000n);
  const closed = readWith({ postTokenBalances: [] });
  assert.deepEqual([...changesIn(closed).values()], [-1_000_000_000_000n, 0n]);
  assert.equal(ownersIn(closed).size, 2);
});

test('A transaction that failed has its error, its fee, and changed no balance', () => {
  const failed = recordedTransaction('failed: too little, 2022 (json)');
  const landed = read(failed.inBase64, failed.signature);
  assert.deepEqual(landed?.error, { InstructionError: [1, { Custom: 1 }] });
  assert.equal(landed?.fee, 5_000n);
  assert.deepEqual([...changesIn(landed).values()], [0n, 0n]);
});

/** A transaction in version 0 whose last byte, the number of its lookup tables, is replaced by one table with one writable account. */
function withLookupTable() {
  const made = recordedTransaction('create, sponsored, version 0, 2022 (json)');
  const bytes = Buffer.from([...made.bytes.subarray(0, -1), 1, ...Buffer.alloc(32, 7), 1, 0, 0]);
  return { ...made, bytes, result: { ...made.inBase64, transaction: [bytes.toString('base64'), 'base64'] } };
}

test('The accounts that lookup tables gave come after those in the bytes', () => {
  const { signature, json, result } = withLookupTable();
  const loadedAddresses = { writable: [recipientAccount], readonly: [] };
  const accountIndex = json.transaction.message.accountKeys.length;
  const balances = [{ accountIndex, mint: sender, uiTokenAmount: { amount: '7' } }];
  const meta = { ...json.meta, loadedAddresses, preTokenBalances: [], postTokenBalances: balances };
  const landed = read({ ...result, meta }, signature);
  assert.deepEqual(landed?.loadedAddresses, loadedAddresses);
  assert.deepEqual(changesIn(landed), new Map([[recipientAccount, 7n]]));
  const without = read({ ...result, meta: { ...meta, loadedAddresses: null } }, signature);
  assert.deepEqual([without?.loadedAddresses, without?.balances], [{ writable: [], readonly: [] }, undefined]);
});

test('Of a transaction whose loaded accounts the node does not name the bytes are kept, and no token changes', () => {
  const { bytes, result, signature } = withLookupTable();
  const landed = read(result, signature);
  assert.deepEqual(Buffer.from(landed?.bytes ?? []), bytes);
  assert.deepEqual([landed?.balances, landed?.content], [undefined, undefined]);
  assert.equal(landed?.error, null);
  assert.throws(() => read(result), isMalformed, 'though its first signature is still looked at');
});

test('Of a version 1 with settings that are not known the bytes are kept', () => {
  const transaction = [Buffer.from([0x81, 1, 0, 0, 0, 0, 0, 0x80]).toString('base64'), 'base64'];
  assert.equal(read({ ...memo.inBase64, transaction })?.bytes.length, 8);
});

test('A node that kept no token balances, or not how a transaction ended, says so', () => {
  const landed = readWith({ preTokenBalances: null, postTokenBalances: null });
  assert.equal(landed?.balances, undefined);
  const emptied = { preTokenBalances: [], postTokenBalances: [] };
  assert.equal(readWith(emptied)?.balances, undefined, 'it names a token program');
  assert.deepEqual(readWith({ ...emptied, err: 'AccountInUse' })?.balances, new Map());
  assert.throws(() => read({ ...memo.inBase64, meta: null }), isOfKind('refused'));
  assert.equal(read({ ...memo.inBase64, blockTime: null })?.blockTime, null);
});

test('An owner that the node does not name is absent', () => {
  const balances = memo.json.meta.postTokenBalances as object[];
  const unnamed = balances.map((balance) => ({ ...balance, owner: undefined }));
  const landed = readWith({ preTokenBalances: unnamed, postTokenBalances: unnamed });
  assert.deepEqual([landed?.balances?.size, ownersIn(landed).size], [2, 0]);
});

test('Amounts up to 2^64 - 1 are exact', () => {
  const balance = (amount: string) => [{ accountIndex: 2, mint: sender, uiTokenAmount: { amount } }];
  const max = String(2n ** 64n - 1n);
  const changed = readWith({ preTokenBalances: balance('1'), postTokenBalances: balance(max) });
  assert.equal(changesIn(changed).get(recipientAccount), 2n ** 64n - 2n);
  assert.throws(() => readWith({ postTokenBalances: balance(String(2n ** 64n)) }), isMalformed);
});

test('A transaction of another signature, or that is none, is malformed', () => {
  const created = recordedTransaction('create, sponsored, version 0, 2022 (json)');
  assert.throws(() => read(created.inBase64), isMalformed);
  const [balance] = memo.json.meta.postTokenBalances as object[];
  const bad: readonly unknown[] = [
    undefined,
    [],
    'AQ==',
    { ...memo.inBase64, transaction: memo.json.transaction },
    { ...memo.inBase64, transaction: [memo.bytes.toString('base64'), 'base58'] },
    { ...memo.inBase64, transaction: ['AQ=', 'base64'] },
    { ...memo.inBase64, transaction: ['', 'base64'] },
    { ...memo.inBase64, slot: null },
    { ...memo.inBase64, blockTime: 'now' },
    { ...memo.inBase64, blockTime: 8_640_000_000_001 },
    { ...memo.inBase64, meta: undefined },
  ];
  for (const result of bad) assert.throws(() => read(result), isMalformed, JSON.stringify(result)?.slice(0, 200));
  const badMetas = [
    { err: undefined },
    { err: { a: { b: { c: { d: { e: 1 } } } } } },
    { fee: undefined },
    { loadedAddresses: [] },
    { loadedAddresses: { writable: [] } },
    { loadedAddresses: { writable: ['nobody'], readonly: [] } },
    { fee: '5000' },
    { preTokenBalances: undefined },
    { postTokenBalances: {} },
    { postTokenBalances: [null] },
    { postTokenBalances: [{ ...balance, accountIndex: 6 }] },
    { postTokenBalances: [{ ...balance, accountIndex: -1 }] },
    { postTokenBalances: [{ ...balance, accountIndex: '2' }] },
    { postTokenBalances: [{ ...balance, uiTokenAmount: { amount: 5 } }] },
    { postTokenBalances: [{ ...balance, uiTokenAmount: { amount: '5.0' } }] },
    { postTokenBalances: [{ ...balance, uiTokenAmount: null }] },
    { postTokenBalances: [{ ...balance, owner: 'nobody' }] },
    { postTokenBalances: [{ ...balance, owner: 5 }] },
    { postTokenBalances: [{ ...balance, mint: undefined }] },
    { innerInstructions: {} },
    { innerInstructions: [null] },
    { innerInstructions: [{ index: 0 }] },
    { innerInstructions: [{ index: 9, instructions: [] }] },
    { innerInstructions: [0, 0].map((index) => ({ index, instructions: [] })) },
    ...[{ accounts: [99] }, { programIdIndex: 99 }, { accounts: '0' }, { data: 5 }, { data: '0' }].map((wrong) => ({
      innerInstructions: [{ index: 0, instructions: [{ ...callOfToken, ...wrong }] }],
    })),
  ];
  for (const meta of badMetas) assert.throws(() => readWith(meta), isMalformed, JSON.stringify(meta));
});
