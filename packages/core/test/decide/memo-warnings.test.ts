import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { quoteMemo, warnOfMemo } from '../../src/decide/memo-warnings.ts';
import { codesOf } from '../fixtures.ts';

const memoCodes = (text: string): string[] => codesOf(warnOfMemo(text));

describe('of a memo a warning is given', () => {
  test('for no ordinary text, in any script, and for no ordinary emoji', () => {
    for (const text of [
      'invoice 1001',
      'a\u00a0b',
      'Grüße №7',
      '订单 7',
      'فاتورة ٧',
      'חשבונית',
      'किताब',
      '❤️ 👍🏽',
      '🇨🇭',
      '﷽',
      '0️⃣',
    ])
      assert.deepEqual(memoCodes(text), [], text);
  });

  const table = {
    memo_control_characters: ['\u0000', '\t', '\n', '\r', '\u001b', '\u007f', '\u0085', '\u009b', '\u2028', '\u2029'],
    memo_direction_characters: [...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'],
    memo_invisible_characters: [
      ...'\u00ad\u034f\u115f\u1160\u180e\u200b\u200c\u200d\u2060\u2064\u3164\ufe00\ufeff\uffa0\ufff9',
      '\u{e0041}',
      '\u{e0100}',
    ],
  };
  for (const [code, characters] of Object.entries(table)) {
    test(`${code} for each of its characters, which it names`, () => {
      for (const character of characters) {
        const warnings = warnOfMemo(`order ${character} 7`);
        const hex = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
        assert.deepEqual(warnings, [{ code, context: { characters: [character] } }], hex);
      }
    });
  }

  test('once of each kind, in a fixed order, with each character once', () => {
    const text = '\u200b\u200b\u202e\u0001\u0002\u0003\u0004\u0005\u0006\u0007';
    assert.deepEqual(memoCodes(text), Object.keys(table));
    assert.deepEqual(
      warnOfMemo(text).map(({ context }) => context),
      [[...'\u0001\u0002\u0003\u0004\u0005\u0006\u0007'], ['\u202e'], ['\u200b']].map((characters) => ({ characters })),
    );
  });
});

test('A memo in quotes shows nothing that a warning is about, and is the memo itself once it is read', () => {
  const anyMemo = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('\\', '"', '\n', '\u202e', '\u200b', '\u001b', '\u007f', '\u{e0041}', 'u', '{', 'a'),
    }),
  );
  fc.assert(
    fc.property(anyMemo, (text) => {
      const quoted = quoteMemo(text);
      const read: unknown = JSON.parse(
        quoted.replaceAll(/\\u\{([0-9A-F]+)\}|\\./g, (escaped, hex: string | undefined) =>
          hex === undefined ? escaped : JSON.stringify(String.fromCodePoint(Number.parseInt(hex, 16))).slice(1, -1),
        ),
      );
      return memoCodes(quoted).length === 0 && read === text;
    }),
  );
});
