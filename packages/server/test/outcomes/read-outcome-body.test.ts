import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeBase58, type TransferIntent } from 'splwright-core';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { buildTransaction } from '../../../core/src/plan/build-transaction.ts';
import { freshWallet, nonceOf, planWith } from '../../../core/test/fixtures.ts';
import { exampleTransactions } from '../../src/app/schema-parts.ts';
import { readOutcomeBody } from '../../src/outcomes/read-outcome-body.ts';
import { outcomeShape, readOutcome } from '../app/read-bodies.ts';

const base64 = exampleTransactions.memo_transfer;
const bytes = [...Buffer.from(base64, 'base64')];
const base58 = encodeBase58(Uint8Array.from(bytes));

function itemsOf(body: unknown): readonly { intent: TransferIntent; lastValidBlockHeight: bigint | undefined }[] {
  const read = readOutcome(body);
  if (!('items' in read)) assert.fail(JSON.stringify(read));
  return read.items;
}

function faultsOf(body: unknown): readonly [code: string, pointer: string, detail: string][] {
  const read = readOutcome(body);
  assert.ok('findings' in read && read.findings.length > 0, 'it has no fault');
  return read.findings.map(({ code, pointer, detail }) => [code, pointer, detail]);
}

const placesOf = (body: unknown): readonly [string, string][] =>
  faultsOf(body).map(([code, pointer]) => [code, pointer]);

test('A transaction is read from an array of bytes, base64 and base58 alike', () => {
  const [first, ...others] = [bytes, base64, base58].map((transaction) => itemsOf({ transaction })[0]?.intent);
  assert.deepEqual(first?.memos, ['invoice 1001']);
  for (const other of others) assert.deepEqual(other, first);
});

test('One is read with its block height, and so is each of a list, in order', () => {
  const one = readOutcome({ transaction: base64, last_valid_block_height: '18446744073709551615' });
  assert.ok('items' in one);
  assert.deepEqual([one.isList, one.items[0]?.lastValidBlockHeight], [false, 2n ** 64n - 1n]);
  const transactions = [
    { transaction: exampleTransactions.transfer, last_valid_block_height: '0' },
    { transaction: bytes },
  ];
  const list = readOutcome({ transactions });
  assert.ok('items' in list);
  assert.deepEqual(
    list.items.map(({ intent, lastValidBlockHeight }) => [intent.memos.length, lastValidBlockHeight]),
    [
      [0, 0n],
      [1, undefined],
    ],
  );
  assert.equal(list.isList, true);
  assert.equal(itemsOf({ transactions: Array.from({ length: 100 }, () => ({ transaction: base64 })) }).length, 100);
});

test('A text that is base64 as well as base58 is what decodes to a transaction', () => {
  // Its characters are in both alphabets, and its length is a multiple of four.
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 3, maxLength: 8 }), (memo) => {
      const text = encodeBase58(withMemo(memo));
      fc.pre(text.length % 4 === 0);
      assert.ok('items' in readOutcome({ transaction: text }));
    }),
  );
});

// The example with other bytes in the place of its memo, which is the first of its instructions.
function withMemo(memo: Uint8Array): Uint8Array {
  const old = Buffer.from('invoice 1001');
  const at = Buffer.from(bytes).indexOf(old);
  return Uint8Array.from([...bytes.slice(0, at - 1), memo.length, ...memo, ...bytes.slice(at + old.length)]);
}

test('Everything that is wrong with a body is found at once', () => {
  const body = {
    transactions: [
      { transaction: base64, last_valid_block_height: 1 },
      { last_valid_block_height: '01' },
      null,
      { transaction: [...bytes.slice(0, 7), 256], more: 1, 'a/b~': 2 },
      { transaction: {} },
      { transaction: 'O0' },
      { transaction: [1, 2, 3], lastValidBlockHeight: '1' },
    ],
    transactons: [],
    last_valid_block_height: '5',
  };
  const places = placesOf(body).map((place) => place.join(' '));
  const expected = [
    ['unknown_field', '/transactons'],
    ['unknown_field', '/last_valid_block_height'],
    ['wrong_type', '/transactions/0/last_valid_block_height'],
    ['missing_field', '/transactions/1/transaction'],
    ['invalid_block_height', '/transactions/1/last_valid_block_height'],
    ['wrong_type', '/transactions/2'],
    ['unknown_field', '/transactions/3/more'],
    ['unknown_field', '/transactions/3/a~1b~0'],
    ['wrong_type', '/transactions/3/transaction/7'],
    ['wrong_type', '/transactions/4/transaction'],
    ['invalid_transaction', '/transactions/5/transaction'],
    ['unknown_field', '/transactions/6/lastValidBlockHeight'],
    ['invalid_transaction', '/transactions/6/transaction'],
  ];
  assert.deepEqual(places.sort(), expected.map((place) => place.join(' ')).sort());
  for (const [, , detail] of faultsOf(body)) assert.match(detail, /^\S.*[^.\s][.?]$/);
});

test('A body asks for one outcome, or for 1 to 100', () => {
  assert.deepEqual(placesOf({}), [['transaction_or_transactions_required', '']]);
  assert.deepEqual(placesOf({ transaction: base64, transactions: [{ transaction: base64 }] }), [
    ['transaction_and_transactions', '/transactions'],
  ]);
  for (const length of [0, 101, 5_000]) {
    const transactions = Array.from({ length }, () => ({ transaction: base64 }));
    assert.deepEqual(placesOf({ transactions }), [['invalid_value', '/transactions']]);
  }
  assert.deepEqual(placesOf({ transactions: {} }), [['wrong_type', '/transactions']]);
  for (const body of [null, [], 'x', 1]) assert.deepEqual(placesOf(body), [['wrong_type', '']]);
});

test('The lifetime of a reply is taken as it was given, and must be that of the transaction', () => {
  const [item] = itemsOf({ transaction: base64 });
  assert.ok(item && 'blockhash' in item.intent.lifetime);
  const { blockhash } = item.intent.lifetime;
  const lifetime = { blockhash, last_valid_block_height: '5' };
  assert.equal(itemsOf({ transaction: base64, ...lifetime })[0]?.lastValidBlockHeight, 5n);
  itemsOf({ transactions: [{ transaction: bytes, ...lifetime }] });
  const other = '11111111111111111111111111111111';
  assert.deepEqual(faultsOf({ transaction: base64, blockhash: other, nonce: other, nonce_account: 7 }), [
    ['wrong_type', '/nonce_account', 'nonce_account is the number 7; send a JSON string: "7".'],
    [
      'invalid_value',
      '/blockhash',
      `blockhash is not that of the transaction, which has the blockhash ${blockhash}. Send the lifetime that came with it.`,
    ],
    [
      'invalid_value',
      '/nonce',
      'nonce is not that of the transaction, which has none. Send the lifetime that came with it.',
    ],
  ]);
  assert.deepEqual(placesOf({ transactions: [{ transaction: base64 }], blockhash }), [['unknown_field', '/blockhash']]);
});

test('So is that of a transaction with a nonce', () => {
  const plan = planWith({ sender: freshWallet() });
  const nonce = nonceOf(plan.sender);
  const transaction = [...buildTransaction({ ...plan, nonce }, nonce.nonce)];
  const lifetime = { nonce: nonce.nonce, nonce_account: nonce.account };
  itemsOf({ transaction, ...lifetime });
  for (const name of ['nonce', 'nonce_account']) {
    const changed = { transaction, ...lifetime, [name]: '1' };
    assert.deepEqual(placesOf(changed), [['invalid_value', `/${name}`]]);
  }
});

test('A block height is decimal digits of 64 bits', () => {
  for (const height of ['', '-1', '1.0', ' 1', '1e3', '01', '18446744073709551616', '1'.repeat(1_000)]) {
    const body = { transaction: base64, last_valid_block_height: height };
    assert.deepEqual(placesOf(body), [['invalid_block_height', '/last_valid_block_height']]);
  }
});

test('What is not a transaction is told from what is not a transfer, and says why', () => {
  const faultOf = (transaction: unknown): string | undefined => {
    const [fault, ...others] = faultsOf({ transaction });
    assert.deepEqual([fault?.[1].startsWith('/transaction'), others], [true, []]);
    return `${fault?.[0]}: ${fault?.[2]}`;
  };
  const remedy = 'Send the transaction as it was built or as it was signed.';
  assert.equal(
    faultOf(''),
    `invalid_transaction: transaction is not a transaction: the bytes end at 0, too early. ${remedy}`,
  );
  assert.equal(faultOf([]), faultOf(''));
  for (const text of [`${base64} `, base64.replace(/=*$/, ''), base64.replaceAll('/', '_'), '€', '-', '0OIl!']) {
    const neither = `invalid_transaction: transaction is neither base64 (with its padding) nor base58. ${remedy}`;
    if (text !== base64) assert.equal(faultOf(text), neither);
  }
  for (const [byteCount, what] of [
    [64, 'a signature or a secret key'],
    [32, 'an address'],
  ] as const) {
    const few = Uint8Array.from({ length: byteCount }, (_, index) => 255 - index);
    const detail = `invalid_transaction: transaction has ${byteCount} bytes, as many as ${what} has. ${remedy}`;
    for (const sent of [encodeBase58(few), Buffer.from(few).toString('base64'), [...few]]) {
      assert.equal(faultOf(sent), detail);
    }
  }
  const ofSize = (size: string): string =>
    `invalid_transaction: transaction has ${size}; a transaction has at most 4096 bytes. ${remedy}`;
  assert.equal(faultOf('1'.repeat(5_597)), ofSize('5597 characters'));
  assert.equal(faultOf(Array.from({ length: 4_097 }, () => 1)), ofSize('4097 bytes'));
  assert.match(faultOf(bytes.slice(0, -1)) ?? '', /^invalid_transaction: .*too early/);
  assert.match(faultOf([...bytes, 0]) ?? '', /^invalid_transaction: /);
  for (const entry of [-1, 256, 1.5, '1', null, Number.NaN, [1]]) {
    assert.match(
      faultOf([0, entry]) ?? '',
      /^wrong_type: transaction\/1 is .* and must be an integer from 0 to 255\.$/,
    );
  }
  // The example with a transfer of another kind: the discriminator of `TransferChecked`, 12, is 3.
  const at = bytes.lastIndexOf(12);
  assert.match(faultOf(bytes.with(at, 3)) ?? '', /^not_a_transfer: transaction has no TransferChecked/);
});

test('Whatever is sent is read, or refused with findings that point into it', () => {
  const value = fc.oneof(
    fc.constantFrom(base64, base58, bytes, bytes.slice(1), '', null, '1', { transaction: base64 }, [
      { transaction: base64 },
    ]),
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ unit: fc.constantFrom('1', 'A', 'z', '/', '=', '😀') }),
  );
  const name = fc.oneof(
    fc.constantFrom('transaction', 'transactions', 'last_valid_block_height', '__proto__'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 4 }), (members) => {
      const body: unknown = JSON.parse(
        `{${members.map(([key, each]) => `${JSON.stringify(key)}:${JSON.stringify(each)}`).join()}}`,
      );
      const read = readOutcome(body);
      if ('items' in read) return;
      assert.ok(read.findings.length > 0);
      for (const { pointer } of read.findings) assert.match(pointer, /^(\/.*)?$/s);
    }),
    { numRuns: propertyRuns(1000) },
  );
});

test('Of thousands of unknown fields a hundred and one are described', () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field ${index}`, index]));
  const transactions = [
    { ...many, transaction: base64 },
    { ...many, transaction: base64 },
  ];
  const read = readOutcome({ transactions });
  assert.ok('findings' in read);
  assert.equal(read.findings.length, 101);
});

test('Reading takes a step for each transaction', () => {
  const transactions = Array.from({ length: 100 }, () => ({ transaction: base64 }));
  assert.equal([...readOutcomeBody(outcomeShape({ transactions }))].length, 100);
});
