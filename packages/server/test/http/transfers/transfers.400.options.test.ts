import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../../../../../test/setup/service.ts';
import { assertFaults, type Fault } from '../problem.ts';
import { alice, bob, createBody, createPath, memoBody, memoPath } from '../sample-bodies.ts';

// The token account of alice's, derived and so off the curve.
const offCurve = '8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t';
const elevenAddresses = Array.from({ length: 11 }, (_, index) => '1'.repeat(31) + '23456789ABC'[index]);

const addressHint = 'A Solana address is the base58 text of 32 bytes.';
const badAddress = (field: string, why: string): Fault => [
  `/${field}`,
  'invalid_address',
  `${field} ${why}. ${addressHint}`,
];
const wrongType = (field: string, type: string, expected: string): Fault => [
  `/${field}`,
  'wrong_type',
  `${field} is ${type} and must be ${expected}.`,
];
const notOneOf = (field: string, choices: string): Fault => [
  `/${field}`,
  'invalid_value',
  `${field} must be one of ${choices}.`,
];
const badPriorityFee: Fault = [
  '/priority_fee',
  'invalid_value',
  'priority_fee must be "none", "low", "medium", "high", or micro-lamports per compute unit in plain decimal digits, ' +
    'at most 18446744073709551615.',
];
const twice = (index: number): Fault => [
  `/references/${index}`,
  'invalid_value',
  `references has ${bob} more than once. Send each reference once.`,
];

const text = 'a JSON string';
const versions = '"legacy", 0, 1';
const encodings = '"array", "base64", "base58"';

const cases: readonly [options: object, faults: readonly Fault[]][] = [
  ...['fee_payer', 'nonce_account'].flatMap((field): (typeof cases)[number][] => [
    [{ [field]: '' }, [badAddress(field, 'is empty')]],
    [{ [field]: ` ${bob}` }, [badAddress(field, 'has white space at position 1')]],
    [{ [field]: bob.slice(0, -2) }, [badAddress(field, 'decodes to 31 bytes instead of 32')]],
    [{ [field]: 'O0' }, [badAddress(field, 'has "O" at position 1, which is not in the base58 alphabet')]],
    [{ [field]: 5 }, [wrongType(field, 'a number', text)]],
    [{ [field]: [bob] }, [wrongType(field, 'an array', text)]],
  ]),
  [
    { fee_payer: offCurve },
    [
      [
        '/fee_payer',
        'fee_payer_off_curve',
        `${offCurve} is off the Ed25519 curve, so no key can sign for it. Send the address of a wallet.`,
      ],
    ],
  ],
  ...['', 'None', 'LOW', 'max', ' low', '-1', '+1', '01', '1.5', '1e6', '0x1', '１', '18446744073709551616'].map(
    (priorityFee): (typeof cases)[number] => [{ priority_fee: priorityFee }, [badPriorityFee]],
  ),
  [{ priority_fee: '9'.repeat(10_000) }, [badPriorityFee]],
  [
    { priority_fee: 25_000 },
    [['/priority_fee', 'wrong_type', 'priority_fee is the number 25000; send the string "25000".']],
  ],
  ...[2, -1, 0.5, '0', '1', 'Legacy', 'v0', '', true, [0]].map((transactionVersion): (typeof cases)[number] => [
    { transaction_version: transactionVersion },
    [notOneOf('transaction_version', versions)],
  ]),
  ...['hex', 'Base64', 'base64url', '', 64, ['array']].map((encoding): (typeof cases)[number] => [
    { encoding },
    [notOneOf('encoding', encodings)],
  ]),
  ...['None', 'some', '', false].map((checks): (typeof cases)[number] => [
    { checks },
    [notOneOf('checks', '"full", "none"')],
  ]),
  ...['allow_off_curve_recipient', 'simulate', 'summary'].flatMap((field): (typeof cases)[number][] => [
    [{ [field]: 'true' }, [wrongType(field, 'a string', 'true or false')]],
    [{ [field]: 1 }, [wrongType(field, 'a number', 'true or false')]],
    [{ [field]: {} }, [wrongType(field, 'an object', 'true or false')]],
  ]),
  [{ references: bob }, [wrongType('references', 'a string', 'an array of addresses')]],
  [{ references: { 0: bob } }, [wrongType('references', 'an object', 'an array of addresses')]],
  [
    { references: [bob, 1, null] },
    [
      wrongType('references/1', 'a number', text),
      ['/references/2', 'wrong_type', 'references/2 is null; send a JSON string.'],
    ],
  ],
  [
    { references: ['', bob, 'l'] },
    [
      badAddress('references/0', 'is empty'),
      badAddress('references/2', 'has "l" at position 1, which is not in the base58 alphabet'),
    ],
  ],
  [{ references: [bob, alice, bob, bob] }, [twice(2), twice(3)]],
  [
    { references: elevenAddresses },
    [['/references', 'invalid_value', 'references has 11 addresses; one transfer takes 10. Send fewer.']],
  ],
  [
    { summary: 1, references: ['x y'], checks: 'all', fee_payer: 'l', from_address: 'O', encoding: 5 },
    [
      wrongType('summary', 'a number', 'true or false'),
      notOneOf('checks', '"full", "none"'),
      notOneOf('encoding', encodings),
      ['/from_address', 'invalid_address', /"O" at position 1/],
      ['/fee_payer', 'invalid_address', /"l" at position 1/],
      ['/references/0', 'invalid_address', /white space at position 2/],
    ],
  ],
];

test('An option is refused, on both paths alike, in', async (t) => {
  const service = await startTestService(t);
  for (const [options, faults] of cases) {
    await t.test(JSON.stringify(options).slice(0, 80), async () => {
      await assertFaults(await service.post(createPath, { ...createBody, ...options }), faults);
      await assertFaults(await service.post(memoPath, { ...memoBody, ...options }), faults);
    });
  }
});

test('A memo has the room that the options leave it, and the refusal says how much that is', async (t) => {
  const service = await startTestService(t);
  const rooms: readonly [options: object, room: number][] = [
    [{}, 916],
    [{ transaction_version: 0 }, 914],
    [{ fee_payer: bob }, 820],
    [{ references: [bob] }, 883],
    [{ transaction_version: 1 }, 3767],
  ];
  for (const field of ['memo', 'yid']) {
    for (const [options, room] of rooms) {
      await t.test(`${field} with ${JSON.stringify(options)}: ${room} bytes`, async () => {
        const longest = { ...createBody, ...options, [field]: 'm'.repeat(room) };
        assert.equal((await service.post(memoPath, longest)).status, 200);
        const detail = `${field} has ${room + 1} bytes of UTF-8; this transaction has room for ${room}. Shorten it by 1 bytes.`;
        const tooLong = { ...longest, [field]: 'm'.repeat(room + 1) };
        await assertFaults(await service.post(memoPath, tooLong), [[`/${field}`, 'memo_too_long', detail]]);
      });
    }
  }
});

test('An empty list of references counts as none, and ten are the maximum', async (t) => {
  const service = await startTestService(t);
  for (const references of [[], elevenAddresses.slice(1)]) {
    assert.equal((await service.post(createPath, { ...createBody, references })).status, 200);
  }
});
