import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Pool } from 'undici';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { readProblem } from '../../../packages/server/test/http/problem.ts';
import {
  createBody,
  createPath,
  memoBody,
  memoPath,
  yidBody,
} from '../../../packages/server/test/http/sample-bodies.ts';
import { startTestService } from '../../setup/service.ts';

// Fixed, so that a failure is the same for everybody; fast-check prints it with the smallest case.
const seed = 20260131;
const requestsPerPath = 2000;
const requestsAtOnce = 20;

interface FuzzedRequest {
  body: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

const encode = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));
const fieldName = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...Object.keys(memoBody), 'yid') },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'ammount', '', '~', '/') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);
const fieldValue = fc.oneof(
  fc.constantFrom(...Object.values(yidBody), '1', '0', '1e6', '1'.repeat(32), '1'.repeat(33), '18446744073709551616'),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('😀', '支', 'é', 'a', '\u0000', '\u202e'), maxLength: 400 }),
  fc.jsonValue(),
);
const mutatedJson = fc
  .tuple(fc.constantFrom(createBody, memoBody, yidBody), fc.array(fc.tuple(fieldName, fieldValue), { maxLength: 3 }))
  .map(([valid, changes]) => JSON.stringify(Object.fromEntries([...Object.entries(valid), ...changes])));
const mutatedBytes = fc
  .tuple(mutatedJson, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 3 }))
  .map(([text, changes]) => {
    const bytes = encode(text);
    for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
    return bytes;
  });
const body: fc.Arbitrary<Uint8Array<ArrayBuffer>> = fc.oneof(
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => new Uint8Array(bytes)) },
  { weight: 2, arbitrary: fc.json().map(encode) },
  { weight: 6, arbitrary: mutatedJson.map(encode) },
  { weight: 3, arbitrary: mutatedBytes },
  { weight: 1, arbitrary: fc.nat({ max: 9000 }).map((depth) => encode('['.repeat(depth))) },
  { weight: 1, arbitrary: fc.nat({ max: 40_000 }).map((length) => encode(`{"memo":"${'x'.repeat(length)}"}`)) },
);

// What HTTP allows in a field value, so that it reaches the service.
const headerText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code === 0x7f ? 0x20 : code)),
});
const headers = fc
  .record(
    {
      authorization: fc.oneof(
        headerText,
        fc.constantFrom('Bearer', `bearer  ${sandboxApiKey}`, `Basic ${sandboxApiKey}`),
      ),
      'content-type': fc.oneof(
        headerText,
        fc.constantFrom('application/json; charset=UTF-8', 'text/plain', 'application/json;', 'a/b;c'),
      ),
      'content-encoding': fc.oneof(headerText, fc.constantFrom('gzip', 'identity', '')),
      'x-request-id': headerText,
      accept: headerText,
      'accept-encoding': headerText,
      'if-none-match': headerText,
      range: headerText,
      cookie: headerText,
      origin: headerText,
      'x-forwarded-for': headerText,
      'x-http-method-override': fc.constantFrom('GET', 'DELETE'),
    },
    { requiredKeys: [] },
  )
  .map((record) => ({ authorization: `Bearer ${sandboxApiKey}`, 'content-type': 'application/json', ...record }));
const plainHeaders = fc.constant({ authorization: `Bearer ${sandboxApiKey}`, 'content-type': 'application/json' });
const request: fc.Arbitrary<FuzzedRequest> = fc.record({
  body,
  headers: fc.oneof({ weight: 2, arbitrary: plainHeaders }, { weight: 1, arbitrary: headers }),
});

for (const path of [memoPath, createPath]) {
  test(`Whatever is sent to ${path} is answered, with success or a well-formed problem (seed ${seed})`, async (t) => {
    const service = await startTestService(t, { LOG_LEVEL: 'warn' });
    const agent = new Pool(service.url, { connections: requestsAtOnce });
    t.after(() => agent.destroy());
    const statuses = new Map<number, number>();
    const send = async (fuzzed: FuzzedRequest): Promise<void> => {
      const signal = AbortSignal.timeout(60_000);
      const reply = await agent.request({ path, method: 'POST', ...fuzzed, signal });
      const replyHeaders = Object.entries(reply.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      const response = new Response(await reply.body.bytes(), { status: reply.statusCode, headers: replyHeaders });
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (response.status === 200) return;
      const { status } = await readProblem(response);
      assert.ok(status < 500, `a ${status}`);
    };
    const batch = fc.array(request, { minLength: requestsAtOnce, maxLength: requestsAtOnce });
    await fc.assert(
      fc.asyncProperty(batch, async (requests) => {
        await Promise.all(requests.map(send));
      }),
      { seed, numRuns: requestsPerPath / requestsAtOnce },
    );
    assert.deepEqual(service.log, [], 'nothing above the level of a reply is logged');
    // Else the requests would all have ended at the door.
    for (const status of [200, 400, 401, 413, 415, 422]) assert.ok((statuses.get(status) ?? 0) > 0, `no ${status}`);
    t.diagnostic(JSON.stringify(Object.fromEntries(statuses)));
  });
}
