import { test } from 'node:test';
import { startTestService } from '../../../../../test/setup/service.ts';
import { assertFaults, type Fault } from '../problem.ts';
import { alice, createBody, createPath, memoBody, memoPath, yidBody } from '../sample-bodies.ts';

const createFields = 'from_address, to_address, token_mint_address, amount';

const optionalFields =
  'memo, yid, fee_payer, priority_fee, nonce_account, transaction_version, encoding, references, allow_off_curve_recipient, checks, ' +
  'simulate, summary';

const unknown = (pointer: string, name: string): Fault => [
  pointer,
  'unknown_field',
  `${JSON.stringify(name)} is not a field of this operation. The required fields are ${createFields}; the others are ${optionalFields}.`,
];
const alsoUnknown = (name: string): Fault => [
  `/${name}`,
  'unknown_field',
  `"${name}" is not a field of this operation.`,
];
const meant = (name: string, field: string): Fault => [
  `/${name}`,
  'unknown_field',
  `"${name}" is not a field of this operation. Did you mean ${field}?`,
];
const missing = (field: string): Fault => [`/${field}`, 'missing_field', `${field} is missing.`];
const neither: Fault = [
  '',
  'memo_or_yid_required',
  'memo and yid are both missing. Send memo, or yid; one of them chooses the operation.',
];
const both: Fault = ['/yid', 'memo_and_yid', 'memo and yid are both present. Send memo, or yid, not both.'];
const wrongType = (field: string, type: string): Fault => [
  `/${field}`,
  'wrong_type',
  `${field} is ${type} and must be a JSON string.`,
];
const numberOf = (field: string, number: string): Fault => [
  `/${field}`,
  'wrong_type',
  `${field} is the number ${number}; send the string "${number}".`,
];
const amountOfType = (type: string): Fault => [
  '/amount',
  'wrong_type',
  `amount is ${type}; send a string in base units: for a mint with 6 decimals "1500000" is 1.5 tokens.`,
];

/** The body's text with one more member, which no object literal could hold under every name. */
const having = (member: string, body: object = yidBody): string => JSON.stringify(body).replace('{', `{${member},`);

const cases: readonly [name: string, path: string, body: unknown, faults: readonly Fault[]][] = [
  ['nothing on the memo path', memoPath, {}, [neither, ...createFields.split(', ').map(missing)]],
  ['nothing on the create path', createPath, {}, createFields.split(', ').map(missing)],
  ['neither memo nor yid', memoPath, createBody, [neither]],
  ['both memo and yid', memoPath, { ...memoBody, yid: 'y' }, [both]],
  ['both memo and yid on the create path', createPath, { ...memoBody, yid: 'y' }, [both]],
  [
    'a number as amount',
    memoPath,
    { ...yidBody, amount: 1_500_000 },
    [
      [
        '/amount',
        'wrong_type',
        'amount is the number 1500000; send a string in base units, the smallest unit of the token: "1500000".',
      ],
    ],
  ],
  ['a number with a fraction as amount', memoPath, { ...yidBody, amount: 1.5 }, [amountOfType('a number')]],
  [
    'a number that no double holds',
    memoPath,
    having('"memo":1').replace('"1500000"', '9007199254740993'),
    [both, numberOf('memo', '1'), amountOfType('a number')],
  ],
  ['null as amount', memoPath, { ...yidBody, amount: null }, [amountOfType('null')]],
  [
    'null as an address',
    createPath,
    { ...createBody, to_address: null },
    [['/to_address', 'wrong_type', 'to_address is null; send an address, as a JSON string.']],
  ],
  ['null as memo and as yid', memoPath, { ...memoBody, memo: null, yid: null }, [neither]],
  ['an array as address', memoPath, { ...yidBody, to_address: [alice] }, [wrongType('to_address', 'an array')]],
  ['an object as address', memoPath, { ...yidBody, from_address: {} }, [wrongType('from_address', 'an object')]],
  ['a boolean as memo', memoPath, { ...createBody, memo: true }, [wrongType('memo', 'a boolean')]],
  ['a misspelled amount', memoPath, { ...yidBody, ammount: '1' }, [meant('ammount', 'amount')]],
  [
    'a misspelled amount alone',
    createPath,
    { ...createBody, amount: undefined, ammount: '1' },
    [meant('ammount', 'amount'), missing('amount')],
  ],
  ['a field in camel case', memoPath, { ...yidBody, fromAddress: alice }, [meant('fromAddress', 'from_address')]],
  ['a field in other case', memoPath, { ...yidBody, AMOUNT: '1' }, [meant('AMOUNT', 'amount')]],
  [
    'a field with a hyphen',
    memoPath,
    { ...yidBody, 'token-mint-address': '1' },
    [meant('token-mint-address', 'token_mint_address')],
  ],
  [
    'fields by the names of other services',
    createPath,
    { ...createBody, from: alice, recipient: alice, mint: alice, value: '1', payer: alice },
    [
      meant('from', 'from_address'),
      meant('recipient', 'to_address'),
      meant('mint', 'token_mint_address'),
      meant('value', 'amount'),
      meant('payer', 'fee_payer'),
    ],
  ],
  [
    'a name with what is not seen',
    memoPath,
    { ...yidBody, 'memo\u200b': '1' },
    [['/memo\u200b', 'unknown_field', '"memo⟨U+200B⟩" is not a field of this operation. Did you mean memo?']],
  ],
  ['a field with a space', memoPath, { ...yidBody, 'memo ': '1' }, [meant('memo ', 'memo')]],
  ['an empty name', memoPath, { ...yidBody, '': '1' }, [unknown('/', '')]],
  ['~ and / in a name', memoPath, { ...yidBody, '~a/b~1/': '1' }, [unknown('/~0a~1b~01~1', '~a/b~1/')]],
  ['a lone surrogate in a name', memoPath, having('"\\ud800":1'), [unknown('/\ufffd', '\ud800')]],
  [
    'a name of 1,000 characters',
    memoPath,
    { ...yidBody, ['n'.repeat(1000)]: '1' },
    [unknown(`/${'n'.repeat(64)}`, `${'n'.repeat(64)}…`)],
  ],
  ['an index as name', memoPath, { ...yidBody, 0: '1' }, [unknown('/0', '0')]],
  [
    'misspelled options',
    createPath,
    { ...createBody, feePayer: alice, 'priority fee': 'low', simulat: true, refrences: [] },
    [
      meant('feePayer', 'fee_payer'),
      meant('priority fee', 'priority_fee'),
      meant('simulat', 'simulate'),
      meant('refrences', 'references'),
    ],
  ],
  [
    'fields of other services',
    createPath,
    { ...createBody, blockhash: alice, compute_budget: '1', amount: '' },
    [unknown('/blockhash', 'blockhash'), alsoUnknown('compute_budget'), ['/amount', 'invalid_amount', /empty/]],
  ],
  ...['__proto__', 'constructor', 'hasOwnProperty', 'prototype', 'toString', 'valueOf', 'toJSON'].map(
    (name): (typeof cases)[number] => [
      `${name} as a name`,
      memoPath,
      having(`"${name}":{"amount":"5","memo":"m"}`),
      [unknown(`/${name}`, name)],
    ],
  ),
  [
    'all its fields inside __proto__',
    createPath,
    `{"__proto__":${JSON.stringify(createBody)}}`,
    [unknown('/__proto__', '__proto__'), ...createFields.split(', ').map(missing)],
  ],
  [
    'several faults at once',
    memoPath,
    { from_address: 1, to_address: 'O0', extra: 1, memo: '', yid: 2, amount: '1.5' },
    [
      both,
      wrongType('from_address', 'a number'),
      unknown('/extra', 'extra'),
      numberOf('yid', '2'),
      missing('token_mint_address'),
      ['/to_address', 'invalid_address', /"O" at position 1/],
      ['/amount', 'invalid_amount', /decimal point/],
      ['/memo', 'invalid_memo', /empty/],
    ],
  ],
];

test('A body is refused with every fault and its pointer when it has', async (t) => {
  const service = await startTestService(t);
  for (const [name, path, body, faults] of cases) {
    await t.test(name, async () => assertFaults(await service.post(path, body), faults));
  }
});
