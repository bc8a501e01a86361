import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { startTestService } from '../../../../test/setup/service.ts';
import { sandboxApiKey } from '../../src/keys/authenticated-key.ts';
import { assertFaults, assertProblem, readProblem } from '../app/problem.ts';
import { createBody, createPath, memoPath, yidBody } from '../app/sample-bodies.ts';

// Each fault of a body, with its sentence: wire/refused-bodies.test.ts and wire/read-json.test.ts.
test('A body is refused', async (t) => {
  const service = await startTestService(t);
  const valid = JSON.stringify(yidBody);

  await t.test('with every fault of its fields and of its texts, each with its pointer', async () => {
    const { amount: _, ...others } = createBody;
    for (const path of [createPath, memoPath]) {
      await assertFaults(await service.post(path, { ...others, memo: 'm', yid: 'y', to_address: 'O0', extra: 1 }), [
        ['/extra', 'unknown_field', /^"extra" is not a field of this operation\./],
        ['/amount', 'missing_field', 'amount is missing.'],
        ['/yid', 'memo_and_yid', 'memo and yid are both present. Send memo, or yid, not both.'],
        ['/to_address', 'invalid_address', /^to_address has "O" at position 1/],
      ]);
    }
  });

  await t.test('as a whole where it is no object', async () => {
    const detail = 'The body is an array and must be a JSON object.';
    await assertFaults(await service.post(memoPath, `[${valid}]`), [['', 'wrong_type', detail]]);
  });

  await t.test('as invalid JSON, with what is wrong with it', async () => {
    const headers = { authorization: `Bearer ${sandboxApiKey}`, 'content-type': 'application/json' };
    for (const [body, detail] of [
      ['', 'The body is empty; it must be a JSON object.'],
      [
        `${valid}}`,
        `The body is not valid JSON: Unexpected non-whitespace character after JSON at position ${valid.length} (line 1 column ${valid.length + 1}).`,
      ],
      [valid.replace('{', '{"amount":"1",'), 'The body has the field "amount" more than once.'],
      [Buffer.from(`\ufeff${valid}`, 'utf16le'), 'The body is not valid UTF-8.'],
    ] as const) {
      const response = await fetch(service.url + createPath, { method: 'POST', headers, body: Buffer.from(body) });
      await assertProblem(response, 'invalid_json', detail);
    }
  });
});

const fieldValue = fc.oneof(fc.constantFrom(...Object.values(yidBody)), fc.string({ unit: 'binary' }), fc.jsonValue());
const nearBody = fc
  .dictionary(fc.constantFrom(...Object.keys(yidBody), '__proto__', 'ammount', '~'), fieldValue, { maxKeys: 2 })
  .map((changes) => JSON.stringify({ ...yidBody, ...changes }));
const body = fc.oneof(
  { weight: 3, arbitrary: nearBody.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.json().map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.nat({ max: 40_000 }).map((depth) => Buffer.from('['.repeat(depth))) },
);
// What HTTP allows in a field value, so that it reaches the service.
const headerText = fc.string({ unit: fc.constantFrom(...' !"%,;=/a*é\u00ff') });
const headers = fc.record(
  {
    authorization: fc.oneof(headerText, fc.constantFrom('Bearer', `Basic ${sandboxApiKey}`)),
    'content-type': fc.oneof(headerText, fc.constantFrom('application/json;', 'text/plain')),
    'content-encoding': fc.oneof(headerText, fc.constantFrom('gzip', '')),
    'x-request-id': headerText,
    accept: headerText,
    'idempotency-key': headerText,
    'if-none-match': headerText,
    origin: headerText,
    'x-forwarded-for': headerText,
  },
  { requiredKeys: [] },
);

test('Whatever is sent is answered with success or a well-formed problem that is the fault of the caller', async (t) => {
  const service = await startTestService(t, { LOG_LEVEL: 'warn' });
  await fc.assert(
    fc.asyncProperty(body, fc.oneof(fc.constant({}), headers), async (sent, more) => {
      const standard = { authorization: `Bearer ${sandboxApiKey}`, 'content-type': 'application/json' };
      const init = { method: 'POST', headers: { ...standard, ...more }, body: sent };
      const response = await fetch(service.url + memoPath, init);
      if (response.status !== 200) assert.ok((await readProblem(response)).status < 500);
    }),
    { numRuns: propertyRuns(300) },
  );
  assert.deepEqual(service.log, [], 'nothing above the level of a reply is logged');
});
