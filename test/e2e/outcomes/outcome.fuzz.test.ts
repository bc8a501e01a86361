import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Check } from 'typebox/schema';
import { encodeBase58 } from '../../../packages/core/src/index.ts';
import { exampleTransactions } from '../../../packages/server/src/app/openapi/reply-examples.ts';
import { outcomeReplySchema } from '../../../packages/server/src/outcomes/outcome-schema.ts';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import { startTestService } from '../../setup/service.ts';
import { outcomePath } from './outcome-service.ts';

// Fixed, so that a failure is the same for everybody; fast-check prints it with the smallest case.
const seed = 20261122;
const requestsAtOnce = 10;

const whole = Object.values(exampleTransactions).map((text) => Buffer.from(text, 'base64'));
const changed = fc
  .tuple(
    fc.constantFrom(...whole),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 4 }),
    fc.nat({ max: 3 }),
  )
  .map(([bytes, changes, cut]) => {
    const copy = Buffer.from(bytes);
    for (const [at, byte] of changes) copy[at % copy.length] = byte;
    return copy.subarray(0, copy.length - cut * 20);
  });
const transaction = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...whole) },
  { weight: 5, arbitrary: changed },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)) },
);
const encoded = fc
  .tuple(transaction, fc.constantFrom('array', 'base64', 'base58'))
  .map(([bytes, encoding]): unknown =>
    encoding === 'array' ? [...bytes] : encoding === 'base58' ? encodeBase58(bytes) : bytes.toString('base64'),
  );
const value = fc.oneof({ weight: 6, arbitrary: encoded }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) });
const height = fc.constantFrom<unknown[]>(
  '419208222',
  '0',
  '1',
  '18446744073709551615',
  '18446744073709551616',
  '',
  5,
  null,
);
const item = fc.record({ transaction: value, last_valid_block_height: height }, { requiredKeys: ['transaction'] });
const body = fc.oneof(
  { weight: 5, arbitrary: item.map((each) => JSON.stringify(each)) },
  { weight: 4, arbitrary: fc.array(item, { maxLength: 4 }).map((transactions) => JSON.stringify({ transactions })) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
);

test(`Whatever is sent to ${outcomePath} is answered, with outcomes or a well-formed problem (seed ${seed})`, async (t) => {
  const service = await startTestService(t, { LOG_LEVEL: 'warn' });
  const statuses = new Map<number, number>();
  const send = async (text: string): Promise<void> => {
    const reply = await service.post(outcomePath, text);
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    if (reply.status !== 200) {
      const { status, errors } = await readProblem(reply);
      assert.equal(status, 400);
      for (const { pointer } of errors ?? []) assert.match(pointer, /^(\/.*)?$/s);
      return;
    }
    const json: unknown = await reply.json();
    assert.ok(Check(outcomeReplySchema, json), JSON.stringify(json));
  };
  await fc.assert(
    fc.asyncProperty(fc.array(body, { minLength: requestsAtOnce, maxLength: requestsAtOnce }), async (texts) => {
      await Promise.all(texts.map(send));
    }),
    { seed, numRuns: 20 },
  );
  assert.deepEqual(service.log, [], 'nothing above the level of a reply is logged');
  for (const status of [200, 400]) assert.ok((statuses.get(status) ?? 0) > 20, JSON.stringify([...statuses]));
});
