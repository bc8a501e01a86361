import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Check } from 'typebox/schema';
import { readApiDocument } from '../../../../test/setup/api-document.ts';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { exampleTransactions } from '../../src/app/schema-parts.ts';
import { outcomePath } from '../../src/outcomes/outcome-routes.ts';
import { outcomeReasons } from '../../src/outcomes/outcome-words.ts';
import { schemaAt, valueAt, withoutNulls } from './openapi-document.ts';
import { readOutcome } from './read-bodies.ts';

const document = await readApiDocument();
const operation = ['paths', outcomePath, 'post'] as const;
const json = ['content', 'application/json'] as const;
const requestSchema = schemaAt(document, ...operation, 'requestBody', ...json, 'schema');

function faultsOf(body: unknown): readonly string[] {
  const read = readOutcome(body);
  return 'findings' in read ? read.findings.map(({ code }) => code) : [];
}

/** What no schema of one object says: what the bytes are, and which of the two fields is there. */
const unsaid: readonly string[] = [
  'invalid_transaction',
  'not_a_transfer',
  'transaction_and_transactions',
  'transaction_or_transactions_required',
];

const good = exampleTransactions.transfer;
const often = <T>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: wrong });
const transaction = often<unknown>(
  fc.constantFrom<unknown[]>(good, [...Buffer.from(good, 'base64')], '', []),
  fc.constantFrom<unknown[]>([256], [-1], [1.5], ['1'], null, 1, {}),
);
const height = often<unknown>(
  fc.constantFrom<unknown[]>('0', '1', '18446744073709551615'),
  fc.constantFrom<unknown[]>('18446744073709551616', '01', '-1', '', ' 1', 1, null),
);
const known = { transaction, last_valid_block_height: height };
const item = often<unknown>(
  fc.record(known, { requiredKeys: ['transaction'] }),
  fc.record({ ...known, other: fc.constant(1) }, { requiredKeys: [] }),
);
const list = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.array(fc.oneof({ weight: 6, arbitrary: item }, { weight: 1, arbitrary: transaction }), {
      maxLength: 3,
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom<unknown[]>({}, null, 'x') },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 99, max: 102 }).map((length) => Array.from({ length }, () => ({ transaction: good }))),
  },
);
const body = fc.oneof(
  { weight: 3, arbitrary: item },
  {
    weight: 5,
    arbitrary: fc.record({ transactions: list, ...known }, { requiredKeys: ['transactions'] }),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);

test('The request schema of outcomes accepts exactly the bodies whose shape the service accepts, but for what it says in words', () => {
  const counts = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(body, (sent) => {
      // A block height that goes with no transaction is a fault of two fields, too.
      const isMisplaced =
        (Object(sent).transactions ?? null) !== null && (Object(sent).last_valid_block_height ?? null) !== null;
      fc.pre(!isMisplaced || (Object(sent).transaction ?? null) !== null);
      const faults = faultsOf(sent).filter((code) => !unsaid.includes(code));
      assert.equal(Check(requestSchema, withoutNulls(sent, requestSchema)), faults.length === 0, faults.join());
      counts[faults.length === 0 ? 'accepted' : 'refused'] += 1;
    }),
    { numRuns: propertyRuns(500) },
  );
  const runs = counts.accepted + counts.refused;
  assert.ok(runs < 50 || Math.min(counts.accepted, counts.refused) > runs / 10, JSON.stringify(counts));
});

test('It says in words which of the fields go together', () => {
  const both = { transaction: good, transactions: [{ transaction: good }] };
  const misplaced = { transactions: [{ transaction: good }], last_valid_block_height: '1' };
  for (const sent of [{}, both, misplaced])
    assert.deepEqual([Check(requestSchema, sent), faultsOf(sent).length], [true, 1]);
});

test('Its examples are requests without a fault', () => {
  const examples = Object.values(valueAt(document, ...operation, 'requestBody', ...json, 'examples') ?? {});
  assert.equal(examples.length, 2);
  for (const example of examples) assert.deepEqual(faultsOf(valueAt(example, 'value')), []);
});

test('It names the reasons, and the refusals that a question can have and no other', () => {
  assert.deepEqual(
    valueAt(document, 'components', 'schemas', 'TransferOutcome', 'properties', 'reason_code', 'enum'),
    Object.keys(outcomeReasons),
  );
  const statuses = Object.keys(valueAt(document, ...operation, 'responses') ?? {});
  assert.deepEqual(statuses, ['200', '400', '401', '408', '413', '415', '429', '431', '500', '502', '503', '504']);
  const description = String(valueAt(document, ...operation, 'responses', '400', 'description'));
  assert.match(description, /\binvalid_transaction, not_a_transfer, invalid_block_height\b/);
  assert.doesNotMatch(description, /memo|amount/);
});
