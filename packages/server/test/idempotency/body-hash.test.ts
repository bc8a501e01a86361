import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { hashBody } from '../../src/idempotency/idempotency-key.ts';

/** The same JSON with the members of every object in another order, and with white space. */
function rewrite(value: unknown, pick: () => number): string {
  const space = (): string => [' ', '\n', '\t', '\r\n  ', ''][pick() % 5] ?? '';
  if (Array.isArray(value)) return `[${space()}${value.map((each) => rewrite(each, pick)).join(`${space()},`)}]`;
  if (typeof value !== 'object' || value === null) return `${space()}${JSON.stringify(value)}${space()}`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${rewrite(member, pick)}`);
  for (let index = members.length - 1; index > 0; index--) {
    const other = pick() % (index + 1);
    [members[index], members[other]] = [members[other] ?? '', members[index] ?? ''];
  }
  return `{${space()}${members.join(`,${space()}`)}}`;
}

const picks = fc.infiniteStream(fc.nat({ max: 1000 }));
const parsed = (text: string): unknown => JSON.parse(text);

describe('the hash of a body', () => {
  it('is the same whatever white space there is and in whatever order the members are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), picks, (value, stream) => {
        const again = rewrite(value, () => Number(stream.next().value));
        assert.deepEqual(hashBody(parsed(again)), hashBody(value), again);
      }),
    );
  });

  it('differs where the values differ', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        // As JSON, which has no negative zero.
        const isEqual = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        assert.equal(hashBody(one).bodyHash === hashBody(other).bodyHash, isEqual);
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it('is the same for a member that is null as without it', () => {
    const { bodyHash } = hashBody({ amount: '1', splits: [{ a: 'b' }] });
    assert.equal(hashBody({ memo: null, amount: '1', splits: [{ a: 'b', c: null }] }).bodyHash, bodyHash);
    assert.notEqual(hashBody({ amount: '1', splits: [{ a: 'b' }, null] }).bodyHash, bodyHash);
  });

  it('keeps apart what only looks alike', () => {
    const texts = [
      '{}',
      '[]',
      'null',
      '""',
      '{"amount":"1"}',
      '{"amount":1}',
      '{"references":["a","b"]}',
      '{"references":["b","a"]}',
      '{"references":["a,b"]}',
      '{"a":{"b":"c"}}',
      '{"a":"{\\"b\\":\\"c\\"}"}',
      '{"__proto__":{"a":1}}',
      '{"__proto__":{"a":2}}',
    ];
    assert.equal(new Set(texts.map((text) => hashBody(parsed(text)).bodyHash)).size, texts.length);
  });

  it('is that of the canonical text, which no later version may change', () => {
    const body = parsed('{ "memo": "支付 \\u0001", "amount": "1", "summary": true, "splits": [ { "b": 1.50 } ] }');
    const bodyHash = '046b1f54f7522c985a85ddcae769d9dff44ba9ace06cf455eb033f54b940149e';
    assert.deepEqual(hashBody(body), { bodyHash, bodyBytes: 73 });
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  // As pairs, because an object would lose a member named `__proto__` and put names that are numbers first.
  const pairs = Object.entries(value)
    .filter(([, member]) => member !== null)
    .map(([name, member]) => [name, sorted(member)]);
  return { pairs: pairs.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)) };
}
