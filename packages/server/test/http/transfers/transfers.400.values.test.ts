import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../../../../../test/setup/service.ts';
import { generateApiKey } from '../../../src/keys/api-key.ts';
import { assertFaults, type Fault } from '../problem.ts';
import { alice, createBody, createPath, memoPath } from '../sample-bodies.ts';

const addressHint = 'A Solana address is the base58 text of 32 bytes.';
const notAddresses: readonly [name: string, value: string, why: string][] = [
  ['empty', '', 'is empty'],
  ['of 31 bytes', '1'.repeat(31), 'decodes to 31 bytes instead of 32'],
  ['of 33 bytes', '1'.repeat(33), 'decodes to 33 bytes instead of 32'],
  ['of 33 bytes of 255', '2K3n5t4wSaF5mj27Tw9vStXWLWyRjjiH5Cp3CFLpKVCr1c', 'decodes to 33 bytes instead of 32'],
  ['two characters short', alice.slice(0, -2), 'decodes to 31 bytes instead of 32'],
  ['of Ethereum', '0x52908400098527886E0F7030069857D2E4169EE7', 'is an EVM (Ethereum) address, not a Solana one'],
  ['with a space before it', ` ${alice}`, 'has white space at position 1'],
  ['with 0 in it', `${alice.slice(0, 9)}0`, 'has "0" at position 10, which is not in the base58 alphabet'],
  ['with l in it', 'l', 'has "l" at position 1, which is not in the base58 alphabet'],
  ['with a full-width letter', 'Ａ', 'has "Ａ" at position 1, which is not in the base58 alphabet'],
  ['with an emoji', `${alice}😀`, `has "😀" at position ${alice.length + 1}, which is not in the base58 alphabet`],
  ['that is a domain name', 'name.sol', 'is "name.sol", a domain name: send the address that it resolves to'],
  [
    'that is a signature',
    '5'.repeat(87),
    'decodes to 64 bytes, as a signature or a secret key does: send an address, and never a secret key',
  ],
  ['in hex', 'ab'.repeat(32), 'decodes to 47 bytes instead of 32'],
  ['of 10,000 characters', '1'.repeat(10_000), 'has 10000 characters instead of 32 to 44'],
];

const hidden: readonly [character: string, name: string][] = [
  ['\n', 'U+000A (line break)'],
  ['\u0000', 'U+0000 (control character)'],
  ['\u00a0', 'U+00A0 (no-break space)'],
  ['\u00ad', 'U+00AD (invisible character)'],
  ['\u200b', 'U+200B (zero width space)'],
  ['\u202e', 'U+202E (direction mark)'],
  ['\u202f', 'U+202F (narrow no-break space)'],
  ['\u3000', 'U+3000 (space)'],
  ['\ufeff', 'U+FEFF (byte order mark)'],
  ['\u{e0041}', 'U+E0041 (invisible character)'],
];

const amountHint = (range: string): string =>
  `It counts base units, the smallest unit of the token, in plain decimal digits${range}: for a mint with 6 decimals "1500000" is 1.5 tokens.`;
const inTokens = ' For whole tokens send amount_decimal, which /v1/transfers, batches and payment links take.';
const tooLarge = 'is more than 18446744073709551615, the most a token account can hold';
const notAmounts: readonly [value: string, why: string][] = [
  ['', 'is empty'],
  ['0', 'is zero'],
  ['000', 'is zero'],
  ['01', 'has a leading zero'],
  ['1.5', 'has a decimal point'],
  ['1,5', 'has a comma'],
  ['1.', 'has a decimal point'],
  ['-1', 'has a sign'],
  ['+1', 'has a sign'],
  ['1e6', 'has an exponent'],
  ['1E+6', 'has an exponent'],
  ['0x10', 'is not in decimal base'],
  ['0b1', 'is not in decimal base'],
  [' 1', 'has white space in it'],
  ['1 000', 'has white space in it'],
  ['1,000', 'has separators between its digits'],
  ['1_000', 'has separators between its digits'],
  ['１２', 'has digits other than 0 to 9'],
  ['१२', 'has digits other than 0 to 9'],
  ['1n', 'is not a whole number'],
  ['NaN', 'is not a whole number'],
  ['Infinity', 'is not a whole number'],
  ['18446744073709551616', tooLarge],
  ['99999999999999999999', tooLarge],
  ['100000000000000000000', tooLarge],
  ['9'.repeat(10_000), tooLarge],
];

const cases: readonly [name: string, body: object, faults: readonly Fault[]][] = [
  ...['from_address', 'to_address', 'token_mint_address'].flatMap((field) =>
    notAddresses.map(([name, value, why]): (typeof cases)[number] => [
      `${field} ${name}`,
      { ...createBody, [field]: value },
      [[`/${field}`, 'invalid_address', `${field} ${why}. ${addressHint}`]],
    ]),
  ),
  ...hidden.map(([character, name]): (typeof cases)[number] => [
    `what is not seen: ${name}`,
    {
      ...createBody,
      to_address: `${alice}${character}`,
      amount: `1${character}0`,
      references: [alice, `${character}${alice}`],
    },
    [
      ['/to_address', 'invalid_address', `to_address contains ${name} at position ${alice.length + 1}: remove it.`],
      ['/amount', 'invalid_amount', `amount contains ${name} at position 2: remove it.`],
      ['/references/1', 'invalid_address', `references/1 contains ${name} at position 1: remove it.`],
    ],
  ]),
  [
    'several characters that are not seen, in any value that is refused',
    { ...createBody, priority_fee: 'low\ufeff', encoding: '\u202abase64\u202c' },
    [
      [
        '/encoding',
        'invalid_value',
        'encoding contains U+202A (direction mark) at position 1, and others: remove them.',
      ],
      ['/priority_fee', 'invalid_value', 'priority_fee contains U+FEFF (byte order mark) at position 4: remove it.'],
    ],
  ],
  [
    'names in place of addresses',
    { ...createBody, to_address: 'bob', token_mint_address: 'USDC' },
    [
      [
        '/to_address',
        'invalid_address',
        `to_address is "bob", a name: send the address that it stands for. ${addressHint}`,
      ],
      [
        '/token_mint_address',
        'invalid_address',
        `token_mint_address is "USDC", a symbol, which several tokens may have: send the address of the mint. ${addressHint}`,
      ],
    ],
  ],
  ...notAmounts.map(([value, why]): (typeof cases)[number] => [
    `${JSON.stringify(value.slice(0, 40))} as amount`,
    { ...createBody, amount: value },
    [
      [
        '/amount',
        'invalid_amount',
        `amount ${why}. ${amountHint(why === tooLarge ? '' : ' from 1 to 18446744073709551615')}${why === 'has a decimal point' ? inTokens : ''}`,
      ],
    ],
  ]),
  [
    'a sender that cannot sign',
    { ...createBody, from_address: '8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t' },
    [
      [
        '/from_address',
        'sender_off_curve',
        /^8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t is off the Ed25519 curve, so no key/,
      ],
    ],
  ],
  [
    'the sender as recipient',
    { ...createBody, to_address: alice },
    [['/to_address', 'same_wallet', `from_address and to_address are both ${alice}. Send to another wallet.`]],
  ],
  [
    'a fault in every value',
    { from_address: '', to_address: 'I', token_mint_address: ' ', amount: '-1' },
    [
      ['/from_address', 'invalid_address', /^from_address is empty\./],
      ['/to_address', 'invalid_address', /^to_address has "I" at position 1/],
      ['/token_mint_address', 'invalid_address', /^token_mint_address has white space at position 1\./],
      ['/amount', 'invalid_amount', /^amount has a sign\./],
    ],
  ],
];

test('A transfer is refused, at both paths alike, for', async (t) => {
  const service = await startTestService(t);
  for (const [name, body, faults] of cases) {
    await t.test(name, async () => {
      await assertFaults(await service.post(createPath, body), faults);
      await assertFaults(await service.post(memoPath, { ...body, memo: 'm' }), faults);
    });
  }
});

const longest = 'a'.repeat(916);
const memos: readonly [name: string, json: string, code: Fault[1], detail: (field: string) => string | RegExp][] = [
  ['that is empty', '""', 'invalid_memo', (field) => `${field} is empty. Send at least one character.`],
  ...['"\\ud800"', '"a\\udfffb"', '"\\udc00\\ud800"'].map((json): (typeof memos)[number] => [
    `with a lone surrogate: ${json}`,
    json,
    'invalid_memo',
    (field) => `${field} has a lone surrogate, which has no UTF-8 form. Send valid Unicode.`,
  ]),
  [
    'one byte too long',
    `"${longest}a"`,
    'memo_too_long',
    (field) => `${field} has 917 bytes of UTF-8; this transaction has room for 916. Shorten it by 1 bytes.`,
  ],
  [
    'counted in bytes, not characters',
    `"${'é'.repeat(459)}"`,
    'memo_too_long',
    (field) =>
      new RegExp(`^${field} has 918 bytes of UTF-8; this transaction has room for \\d+. Shorten it by \\d+ bytes.$`),
  ],
  [
    'that costs too much to run',
    `"${'😀'.repeat(120)}"`,
    'memo_too_costly',
    (field) =>
      new RegExp(
        `^${field} could cost the classic Memo program [0-9]{7} compute units; a transaction may spend ` +
          '1400000, of which the memo may take [0-9]{7}\\. Use fewer characters outside the Latin alphabets\\.$',
      ),
  ],
  [
    'that would publish an API key',
    `"my key: ${generateApiKey()}"`,
    'memo_holds_api_key',
    (field) => `${field} has an API key in it, which everyone could read on chain. Send another ${field}.`,
  ],
];

test('A memo is refused', async (t) => {
  const service = await startTestService(t);
  for (const field of ['memo', 'yid']) {
    for (const [name, json, code, detail] of memos) {
      await t.test(`as ${field} ${name.slice(0, 60)}`, async () => {
        const body = JSON.stringify(createBody).replace('{', `{"${field}":${json},`);
        await assertFaults(await service.post(memoPath, body), [[`/${field}`, code, detail(field)]]);
      });
    }
    await t.test(`as ${field} not when it fills the transaction to the last byte`, async () => {
      assert.equal((await service.post(memoPath, { ...createBody, [field]: longest })).status, 200);
    });
  }
});
