import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { describeHidden, quoteText, visibleText } from '../../src/app/visible-text.ts';
import { payerAmount } from '../../src/outcomes/amount-words.ts';

const unseen = [
  '\u0000',
  '\n',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u00ad',
  '\u034f',
  '\u061c',
  '\u180e',
  '\u200b',
  '\u200e',
  '\u200f',
];
const moreUnseen = [
  '\u2028',
  '\u202a',
  '\u202e',
  '\u2060',
  '\u2066',
  '\u2069',
  '\u3164',
  '\ufeff',
  '\ufff9',
  '\u{e0041}',
  '\ud800',
];

const anything = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      ...unseen,
      ...moreUnseen,
      'a',
      'ک',
      '٣',
      'क',
      '👩',
      '🏽',
      '☕',
      '★',
      '1',
      '\u200c',
      '\u200d',
      '\ufe0f',
    ),
  }),
);

describe('the text of a stranger', () => {
  it('shows its control characters, direction overrides and what takes no space', () => {
    assert.equal(visibleText('pay\u202eCDSU'), 'pay⟨U+202E⟩CDSU');
    assert.equal(visibleText('one\ntwo\u0000'), 'one⟨U+000A⟩two⟨U+0000⟩');
    assert.equal(visibleText('\u{e0041}'), '⟨U+E0041⟩');
    for (const character of [...unseen, ...moreUnseen]) {
      assert.match(visibleText(`a${character}b`), /^a⟨U\+[0-9A-F]{4,5}⟩b$/u, JSON.stringify(character));
    }
  });

  it('keeps letters of any script, their marks and emoji', () => {
    const texts = [
      'Café Zürich',
      'مقهى',
      'نمی\u200cخواهم',
      'क्\u200dष',
      '茶館',
      'שלום',
      'ชาไทย',
      '☕️ 👩🏽‍🍳 👨‍👩‍👧 ❤️‍🔥 1️⃣',
      '𝄞',
      '',
    ];
    for (const text of texts) assert.equal(visibleText(text), text);
  });

  it('shows joiners and forms where they join nothing', () => {
    assert.equal(visibleText('US\u200dDC'), 'US⟨U+200D⟩DC');
    assert.equal(visibleText('US\u200cDC'), 'US⟨U+200C⟩DC');
    assert.equal(visibleText('☕\u200dDC'), '☕⟨U+200D⟩DC');
    assert.equal(visibleText('\u200d'), '⟨U+200D⟩');
    assert.equal(visibleText('a\ufe0f'), 'a⟨U+FE0F⟩');
    assert.equal(visibleText('ک\u200d\u061c'), 'ک⟨U+200D⟩⟨U+061C⟩');
    assert.equal(visibleText('★\ufe0f\u200d☕'), '★⟨U+FE0F⟩⟨U+200D⟩☕');
  });

  it('has nothing hidden in it afterwards, and is the same when it is made visible again', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const shown = visibleText(text);
        assert.doesNotMatch(shown, /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        assert.equal(visibleText(shown), shown);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe('a value that is refused', () => {
  it('is told of what is not seen in it, and of each space but the plain one', () => {
    for (const character of [...unseen, ...moreUnseen, '\u00a0', '\u2003', '\u202f', '\u2800', '\u3000', '\u200d']) {
      const codePoint = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
      assert.ok(describeHidden(`ab${character}`)?.startsWith(`contains ${codePoint} (`), codePoint);
      assert.match(describeHidden(`ab${character}`) ?? '', / at position 3: remove it$/);
    }
    assert.equal(
      describeHidden('\u2066ab\u2069'),
      'contains U+2066 (direction mark) at position 1, and others: remove them',
    );
    for (const text of ['', 'a b', '0OIl', 'Ａ', '支付😀']) assert.equal(describeHidden(text), undefined);
  });

  it('is quoted with its characters seen', () => {
    assert.equal(quoteText('to\u00a0address\ufeff"\n'), '"to⟨U+00A0⟩address⟨U+FEFF⟩\\"\\n"');
  });
});

describe('an amount for payers', () => {
  it('has at least two digits after the point where the mint has them, and all that are not zero', () => {
    const rows = [
      [1_500_000n, 6, '1.50'],
      [10_000_000n, 6, '10.00'],
      [1n, 6, '0.000001'],
      [15n, 1, '1.5'],
      [20n, 1, '2.0'],
      [7n, 0, '7'],
    ] as const;
    for (const [amount, decimals, text] of rows) assert.equal(payerAmount(amount, decimals), text);
    assert.equal(payerAmount(2n ** 64n - 1n, 0), '18446744073709551615');
    assert.equal(payerAmount(1n, 255).length, 257);
  });
});
