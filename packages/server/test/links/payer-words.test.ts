import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type FindingCode, findingCodes, maxAmount, toAddress } from 'splwright-core';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import {
  closedMessages,
  describeBounds,
  describeFindingToOthers,
  describeFindingToPayer,
  describeProblemToPayer,
  maxPayerMessageLength,
  payerTokenName,
  payerTokens,
} from '../../src/links/payer-words.ts';
import { problems } from '../../src/problems.ts';
import { alice, usdc } from '../app/sample-bodies.ts';
import { everyFindingContext } from '../transfers/words/every-context.ts';
import { linkWith } from './records/links.ts';

const [wallet, mint] = [toAddress(alice), toAddress(usdc)];
const isFindingCode = (text: string): text is FindingCode => text in findingCodes;

/** The tokens whose names and amounts are the longest, and ordinary ones. */
const tokens = ['USDC', 'X'.repeat(40), '\u202e'.repeat(9), '𝒳'.repeat(12), ' ', '', null].flatMap((tokenSymbol) =>
  [0, 2, 6, 9, 255].map((decimals) => ({ mint, decimals, tokenSymbol })),
);

function assertIsMessage(message: string): void {
  assert.ok(message.length <= maxPayerMessageLength, `${message.length} characters: ${message}`);
  assert.match(message, /^[A-Z].*\.$/, message);
  assert.doesNotMatch(message, /undefined|null|NaN|\[object| {2}|\p{Cc}|\p{Bidi_Control}/u, message);
}

/** All messages about a finding, for every token. */
function messagesOf<Code extends FindingCode>(code: Code): readonly string[] {
  return everyFindingContext[code].flatMap((context) =>
    tokens.map((token) => describeFindingToPayer({ code, context }, token)),
  );
}

describe('a payer is told in 80 characters what is wrong and what to do:', () => {
  for (const code of Object.keys(findingCodes).filter(isFindingCode)) {
    test(code, () => {
      for (const message of messagesOf(code)) assertIsMessage(message);
    });
  }
});

test('Everyone who has the link is told why a wallet was refused, without what it holds', () => {
  const token = { mint, decimals: 0, tokenSymbol: 'USDC' };
  for (const code of Object.keys(findingCodes).filter(isFindingCode)) {
    for (const context of everyFindingContext[code]) {
      const message = describeFindingToOthers(Object({ code, context }), token);
      assertIsMessage(message);
      assert.doesNotMatch(message.replace('such as 1.50', ''), /[0-9]|…/, code);
    }
  }
});

const insufficientTokens = (available: bigint, amount: bigint, decimals: number, tokenSymbol: string | null): string =>
  describeFindingToPayer(
    {
      code: 'insufficient_token_balance',
      context: { wallet, mint, tokenAccount: wallet, limitedBy: 'balance', available, amount, decimals },
    },
    { mint, decimals, tokenSymbol },
  );

test('A payer with too little is told both amounts, as prices are written', () => {
  assert.equal(insufficientTokens(3_200_000n, 10_000_000n, 6, 'USDC'), 'You have 3.20 USDC; this payment needs 10.00.');
  assert.equal(insufficientTokens(0n, 1n, 0, null), 'You have 0 Gr6z…2tD1; this payment needs 1.');
  assert.equal(insufficientTokens(1n, 1_234_567n, 6, 'A'), 'You have 0.000001 A; this payment needs 1.234567.');
});

test('A payer of wrapped SOL is told to wrap some, whatever the token calls itself', () => {
  const token = { mint: toAddress('So11111111111111111111111111111111111111112'), decimals: 9, tokenSymbol: 'SOL' };
  const context = { wallet, mint: token.mint, tokenAccount: wallet, decimals: 9 };
  assert.equal(
    describeFindingToPayer({ code: 'sender_token_account_not_found', context }, token),
    'You have no wrapped SOL. Wrap some of your SOL first, or use another wallet.',
  );
  const short = { ...context, available: 500_000_000n, amount: 2_500_000_000n };
  assert.equal(
    describeFindingToPayer({ code: 'insufficient_token_balance', context: { ...short, limitedBy: 'balance' } }, token),
    'You have 0.50 wrapped SOL; this needs 2.50. Wrap more.',
  );
  // Wrapping more does not change what a delegate may send.
  assert.match(
    describeFindingToPayer(
      { code: 'insufficient_token_balance', context: { ...short, limitedBy: 'delegation' } },
      token,
    ),
    /^You can send 0\.50/,
  );
});

test('A payer whose tokens lie in another account is told in which, and what to do', () => {
  const elsewhere = { tokenAccount: wallet, amount: 12_500_000n };
  const context = { wallet, mint, tokenAccount: mint, decimals: 6, elsewhere };
  const token = { mint, decimals: 6, tokenSymbol: 'USDC' };
  const expected = 'Your 12.50 USDC is in FeX3…jvDn. Send it to yourself first.';
  assert.equal(describeFindingToPayer({ code: 'sender_token_account_not_found', context }, token), expected);
  const short = { ...context, limitedBy: 'balance', available: 0n, amount: 1n } as const;
  assert.equal(describeFindingToPayer({ code: 'insufficient_token_balance', context: short }, token), expected);
  const longest = { ...token, tokenSymbol: '𝒳'.repeat(12) };
  assert.equal(
    describeFindingToPayer(
      {
        code: 'sender_token_account_not_found',
        context: { ...context, elsewhere: { ...elsewhere, amount: maxAmount } },
      },
      longest,
    ),
    'Your tokens are in FeX3…jvDn. Send them to yourself first.',
  );
});

test('A payer with too little SOL is told how much to have', () => {
  const cost = { wallet, networkFee: 5_000n, priorityFee: 0n, minimumBalance: 890_880n };
  assert.equal(
    describeFindingToPayer(
      { code: 'insufficient_sol', context: { ...cost, balance: 1_000_000n, rent: 2_039_280n, sent: 0n } },
      { mint, decimals: 6, tokenSymbol: null },
    ),
    'You have 0.001 SOL; the network fee needs 0.00204428 SOL.',
  );
  assert.equal(
    describeFindingToPayer(
      { code: 'insufficient_sol', context: { ...cost, balance: 700_000n, rent: 0n, sent: 0n } },
      { mint, decimals: 6, tokenSymbol: null },
    ),
    'You have 0.0007 SOL; the network fee needs 0.00089588 SOL.',
  );
});

test('Whatever the balance and the amount are, the message is short, and the balance does not read as enough', () => {
  const amount = fc.oneof(fc.bigInt({ min: 0n, max: maxAmount }), fc.bigInt({ min: 0n, max: 10_000n }));
  // Of five digits and more, in groups.
  const number = '(\\d[\\d\\u202f]*(?:\\.\\d+)?(?:e-?\\d+)?)';
  const sentence = new RegExp(`have ${number} .*; this payment needs ${number}\\.$`);
  const read = (text: string): number => Number(text.replaceAll('\u202f', ''));
  // A token may call itself "NaN" or "null": its name says nothing about how the sentence was made.
  const symbolOfAnyText = fc.string().filter((text) => !/undefined|null|NaN|\[object/u.test(text));
  fc.assert(
    fc.property(amount, amount, fc.integer({ min: 0, max: 255 }), symbolOfAnyText, (one, other, decimals, symbol) => {
      fc.pre(one !== other);
      const [has, needs] = one < other ? [one, other] : [other, one];
      const message = insufficientTokens(has, needs, decimals, symbol);
      assertIsMessage(message);
      const [, shownHas = '', shownNeeds = ''] = sentence.exec(message) ?? [];
      assert.ok(read(shownHas) <= read(shownNeeds), message);
      const scale = 10 ** decimals;
      assert.ok(read(shownHas) <= (Number(has) / scale) * (1 + 1e-12), message);
      assert.ok(read(shownNeeds) >= (Number(needs) / scale) * (1 - 1e-12), message);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('A token is called by its symbol, with everything visible and not too long, or by the ends of its mint', () => {
  const nameOf = (tokenSymbol: string | null): string => payerTokenName({ mint, tokenSymbol });
  assert.deepEqual([nameOf(' USDC '), nameOf(null), nameOf('  ')], ['USDC', 'Gr6z…2tD1', 'Gr6z…2tD1']);
  assert.equal(nameOf('ABCDEFGHIJKLMN'), 'ABCDEFGHIJK…');
  assert.equal(nameOf('U\u202eSD'), 'U⟨U+202E⟩SD');
  assert.equal(payerTokens(10_000_000n, { mint, decimals: 6, tokenSymbol: 'USDC' }), '10.00 USDC');
});

test('Every refusal under /pay has a message of 80 characters', () => {
  for (const code of Object.keys(problems)) {
    if (isProblemCode(code)) assertIsMessage(describeProblemToPayer(code));
  }
  for (const message of Object.values(closedMessages)) assertIsMessage(message);
  const amounts = [1n, 1_500_000n, maxAmount];
  for (const token of tokens) {
    for (const minAmount of amounts) {
      for (const most of amounts) assertIsMessage(describeBounds(linkWith({ ...token, minAmount, maxAmount: most })));
    }
  }
  const link = linkWith({ minAmount: 1_000_000n, maxAmount: 5_000_000n, tokenSymbol: 'USDC' });
  assert.equal(describeBounds(link), 'Choose an amount from 1.00 USDC to 5.00 USDC.');
  assert.equal(describeBounds({ ...link, maxAmount: 1_000_000n }), 'This payment is 1.00 USDC.');
});

function isProblemCode(text: string): text is keyof typeof problems {
  return text in problems;
}
