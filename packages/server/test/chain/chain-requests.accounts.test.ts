import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { token2022Program, tokenProgram } from '../../../core/src/addresses/programs.ts';
import { readAccountsResult, readBlockhashResult, readTokenAccountsResult } from '../../src/chain/chain-requests.ts';
import { decodeBase64, RoundedInteger } from '../../src/chain/json-values.ts';
import { isAppError } from '../../src/problems.ts';

const system = '1'.repeat(32);
const context = { apiVersion: '3.0.0', slot: 7 };
const account = {
  lamports: 5,
  owner: system,
  data: ['AAEC', 'base64'],
  executable: false,
  rentEpoch: 18446744073709551615n,
  space: 3,
};
const value = { blockhash: system, lastValidBlockHeight: 150 };

const assertNonsense = (read: () => unknown): void =>
  assert.throws(read, (error) => isAppError(error, 'upstream_error'));

test('The result of getMultipleAccounts is read', async (t) => {
  await t.test('with its slot, its bytes, and null for what is not there', () => {
    assert.deepEqual(readAccountsResult({ context, value: [account, null] }, 2, 1_000), {
      slot: 7n,
      accounts: [{ owner: system, lamports: 5n, data: Buffer.from([0, 1, 2]), executable: false }, null],
      cut: new Set(),
    });
  });

  await t.test('with empty data, and with numbers past 2^53 that arrive exact', () => {
    const huge = { ...account, lamports: 18446744073709551615n, data: ['', 'base64'], space: 0 };
    const read = readAccountsResult({ context: { slot: 9007199254740993n }, value: [huge] }, 1, 1_000);
    assert.equal(read.slot, 9007199254740993n);
    assert.deepEqual([read.accounts[0]?.lamports, read.accounts[0]?.data.length], [18446744073709551615n, 0]);
  });
});

const nonsenseAccounts: readonly [name: string, part: object][] = [
  ['negative lamports', { lamports: -1 }],
  ['lamports with a fraction', { lamports: 1.5 }],
  ['lamports beyond 64 bits', { lamports: 2n ** 64n }],
  ['lamports as text', { lamports: '5' }],
  ['no lamports', { lamports: undefined }],
  ['an owner that is no address', { owner: 'system' }],
  ['an owner of 31 bytes', { owner: '1'.repeat(31) }],
  ['no owner', { owner: undefined }],
  ['executable as text', { executable: 'false' }],
  ['no data', { data: undefined }],
  ['data as base58 text', { data: '111' }],
  ['data as a number', { data: [5, 'base64'] }],
  ['data in another encoding', { data: ['AAEC', 'base64+zstd'] }],
  ['parsed data', { data: { program: 'spl-token', parsed: {} } }],
  ['data with a character outside base64', { data: ['AA*C', 'base64'] }],
  ['data that was cut short', { data: ['AAECA', 'base64'] }],
  ['data without its padding', { data: ['AAE', 'base64'] }],
  ['data with padding in the middle', { data: ['AA==AAEC', 'base64'] }],
  ['data in the alphabet of URLs', { data: ['AA_-', 'base64'] }],
  ['data with stray bits at its end', { data: ['AB==', 'base64'] }],
];

test('The result of getMultipleAccounts is nonsense, never a fact, with', async (t) => {
  for (const [name, part] of nonsenseAccounts) {
    await t.test(name, () => {
      assertNonsense(() => readAccountsResult({ context, value: [{ ...account, ...part }] }, 1, 1_000));
    });
  }
  await t.test('less of its data than was asked for and is there', () => {
    const data = [Buffer.alloc(10).toString('base64'), 'base64'];
    assertNonsense(() => readAccountsResult({ context, value: [{ ...account, data, space: 11 }] }, 1, 11));
  });
  await t.test('an account that is not an object', () => {
    for (const other of [undefined, false, 0, '', [], 'null']) {
      assertNonsense(() => readAccountsResult({ context, value: [other] }, 1, 1_000));
    }
  });
  await t.test('another number of accounts than was asked for', () => {
    for (const other of [undefined, null, {}, [], [account], [null, null, null]]) {
      assertNonsense(() => readAccountsResult({ context, value: other }, 2, 1_000));
    }
  });
  await t.test('no context, or none with a slot', () => {
    for (const other of [undefined, null, 'ok', [], [null], { value: [null] }]) {
      assertNonsense(() => readAccountsResult(other, 1, 1_000));
    }
    for (const slot of [undefined, null, -1, '7', 1.5]) {
      assertNonsense(() => readAccountsResult({ context: { slot }, value: [null] }, 1, 1_000));
    }
  });
});

test('The result of getLatestBlockhash', async (t) => {
  await t.test('is read with exact numbers', () => {
    const slot = 9007199254740993n;
    const lastValidBlockHeight = slot + 150n;
    const read = readBlockhashResult({ context: { slot }, value: { ...value, lastValidBlockHeight } });
    assert.deepEqual(read, { blockhash: system, lastValidBlockHeight, slot });
  });
  await t.test('is nonsense when there would have been more blocks than slots', () => {
    for (const lastValidBlockHeight of [158, 2n ** 64n - 1n]) {
      assertNonsense(() => readBlockhashResult({ context, value: { ...value, lastValidBlockHeight } }));
    }
    assert.equal(readBlockhashResult({ context, value: { ...value, lastValidBlockHeight: 157 } }).slot, 7n);
  });
  await t.test('is nonsense unless it is a blockhash with its last valid block height, as of a slot', () => {
    for (const other of [
      null,
      undefined,
      [],
      'x',
      {},
      { ...value, blockhash: 5 },
      { ...value, blockhash: '1'.repeat(31) },
    ]) {
      assertNonsense(() => readBlockhashResult({ context, value: other }));
    }
    for (const lastValidBlockHeight of [undefined, null, -1, '150', 0.5]) {
      assertNonsense(() => readBlockhashResult({ context, value: { ...value, lastValidBlockHeight } }));
    }
    for (const other of [null, undefined, value, { value }]) assertNonsense(() => readBlockhashResult(other));
  });
});

test('Of the accounts that are longer than what was asked for, the mints and token accounts of Token-2022 need to be read on', () => {
  const dataOf = (type: number): unknown => {
    const bytes = Buffer.alloc(170);
    bytes[165] = type;
    return [bytes.toString('base64'), 'base64'];
  };
  const kinds = [
    [token2022Program, 1],
    [token2022Program, 2],
    [token2022Program, 0],
    [tokenProgram, 1],
    [system, 1],
  ] as const;
  const value = kinds.map(([owner, type]) => ({ ...account, owner, data: dataOf(type), space: 10_000_000 }));
  const { cut, accounts } = readAccountsResult({ context, value }, kinds.length, 170);
  assert.deepEqual(cut, new Set([0, 1]));
  for (const read of accounts) assert.equal(read?.space, 10_000_000);
});

test('An account of SPL Token that is longer than what was asked for is no token account, and is not read on', () => {
  const data = [Buffer.alloc(165).toString('base64'), 'base64'];
  const long = { ...account, owner: tokenProgram, data, space: 300 };
  assert.deepEqual(readAccountsResult({ context, value: [long] }, 1, 165).cut, new Set());
});

test('A number that plain parsing has rounded asks to be parsed exactly', () => {
  assert.throws(
    () => readAccountsResult({ context, value: [{ ...account, lamports: 2 ** 53 }] }, 1, 1_000),
    RoundedInteger,
  );
  assert.throws(() => readAccountsResult({ context: { slot: 2 ** 60 }, value: [null] }, 1, 1_000), RoundedInteger);
  const lastValidBlockHeight = 2 ** 55;
  assert.throws(() => readBlockhashResult({ context, value: { ...value, lastValidBlockHeight } }), RoundedInteger);
});

test('Base64 is decoded exactly when encoding what came of it gives the same text', () => {
  const nearlyBase64 = fc
    .array(fc.constantFrom(...'AZaz09+/=-_ Bw\n*'), { maxLength: 12 })
    .map((parts) => parts.join(''));
  const base64 = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64'));
  fc.assert(
    fc.property(fc.oneof(nearlyBase64, base64), (text) => {
      const bytes = Buffer.from(text, 'base64');
      const expected = bytes.toString('base64') === text ? bytes : undefined;
      assert.deepEqual(decodeBase64(text), expected);
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('The result of getTokenAccountsByOwner is read', async (t) => {
  const read = (value: unknown) => readTokenAccountsResult({ context, value }, 3);

  await t.test('with the address of each account', () => {
    const expected = { owner: system, lamports: 5n, data: Buffer.from([0, 1, 2]), executable: false };
    assert.deepEqual([...read([{ pubkey: system, account }])], [[system, expected]]);
    assert.equal(read([]).size, 0);
  });

  await t.test('and is a fault of the node where it is anything else', () => {
    for (const [, part] of nonsenseAccounts) {
      assertNonsense(() => read([{ pubkey: system, account: { ...account, ...part } }]));
    }
    for (const value of [
      undefined,
      null,
      {},
      [null],
      [account],
      [{ pubkey: system, account: null }],
      [{ pubkey: 'x', account }],
      [{ pubkey: 7, account }],
      [{ pubkey: system, account: { ...account, data: ['AAECAw==', 'base64'] } }],
    ]) {
      assertNonsense(() => read(value));
    }
    assertNonsense(() => readTokenAccountsResult([], 3));
    assertNonsense(() => readTokenAccountsResult({ value: [] }, 3));
  });
});
