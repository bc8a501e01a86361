import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { readProblem } from '../../../packages/server/test/http/problem.ts';
import { linkBody, linksPath } from '../../../packages/server/test/http/sample-bodies.ts';
import { startLinkService } from './link-service.ts';

const runs = 600;
const { client, service, alice, bob } = await startLinkService({ after });
const { id } = await client.create(linkBody);
const { amount: _, ...unpriced } = linkBody;
const chosen = await client.create({
  ...unpriced,
  amount_min: '1',
  amount_max: '18446744073709551615',
  single_use: false,
});

const text = fc.oneof(
  fc.constantFrom('', '0', '1', '1.5', '-1', '1e6', '\0', '\ud800', '\u202e', alice.address, bob.address, '__proto__'),
  fc.constantFrom('https://a.example/', 'http://a.example', 'javascript:alert(1)', 'x'.repeat(600), '9'.repeat(30)),
  fc.string({ unit: 'binary', maxLength: 90 }),
);
const value = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 2, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: fc.integer() },
);
const fieldName = fc.oneof(
  fc.constantFrom('to_address', 'token_mint_address', 'amount', 'amount_min', 'amount_max', 'memo', 'label', 'message'),
  fc.constantFrom(
    'icon',
    'redirect',
    'expires_in',
    'single_use',
    'allow_off_curve_recipient',
    'from_address',
    'constructor',
  ),
  fc.string({ maxLength: 9 }),
);
const creation = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.subarray(Object.keys(linkBody)), fc.array(fc.tuple(fieldName, value), { maxLength: 3 }))
      .map(([dropped, added]) => {
        const kept = Object.entries(linkBody).filter(([name]) => !dropped.includes(name) || dropped.length > 2);
        return JSON.stringify(Object.fromEntries([...kept, ...added]));
      }),
  },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
);
const payment = fc.oneof(
  { weight: 4, arbitrary: fc.record({ account: value }).map((body) => JSON.stringify(body)) },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
);
const query = fc.oneof(
  fc.constant(''),
  text.map((each) => `?amount=${encodeURIComponent(each.toWellFormed())}`),
  fc.string({ unit: 'grapheme-ascii', maxLength: 20 }).map((each) => `?${encodeURI(each)}`),
);
const pathPart = fc.oneof(
  fc.constantFrom(id, chosen.id, id.toLowerCase(), `${id}1`),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 }).map(encodeURIComponent),
);

/** Asserts that a reply is a success of its kind, or a refusal as every one is. */
async function assertOrderly(response: Response, success: number): Promise<number> {
  const { status } = response;
  assert.ok(status < 500, `${status}: ${await response.clone().text()}`);
  if (status === success) await response.body?.cancel();
  else {
    const { message } = await readProblem(response);
    const isForPayer = new URL(response.url).pathname.startsWith('/pay');
    assert.equal(message !== undefined, isForPayer);
    if (message !== undefined) assert.ok(message.length <= 80, message);
  }
  return status;
}

const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(service.url + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
const authorization = { authorization: 'Bearer swk_SplwrightSandboxLoopbackOnly000000qSPrF' };

test('Whatever is sent to make a link, it is made or refused in an orderly way', async () => {
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(creation, async (body) => {
      seen.add(await assertOrderly(await post(linksPath, body, authorization), 201));
    }),
    { numRuns: runs },
  );
  assert.deepEqual(
    [201, 400].filter((status) => !seen.has(status)),
    [],
    [...seen].join(),
  );
});

test('Whatever a wallet sends, it gets a transaction, or is told why not', async () => {
  const seen = new Set<number>();
  const anyAccount = fc
    .constantFrom(alice.address, alice.address, bob.address)
    .map((account) => JSON.stringify({ account }));
  await fc.assert(
    fc.asyncProperty(pathPart, query, fc.oneof(anyAccount, payment), async (part, search, body) => {
      seen.add(await assertOrderly(await post(`/pay/${part}${search}`, body), 200));
    }),
    { numRuns: runs },
  );
  assert.deepEqual(
    [200, 400, 404].filter((status) => !seen.has(status)),
    [],
    [...seen].join(),
  );
});

test('Whatever is read, it is there or is refused in an orderly way', async () => {
  const path = fc.oneof(
    fc.tuple(pathPart, query).map(([part, search]) => `${linksPath}/${part}${search}`),
    fc
      .tuple(fc.constantFrom('limit', 'cursor', 'x'), text)
      .map(([name, each]) => `${linksPath}?${name}=${encodeURIComponent(each.toWellFormed())}`),
    fc.tuple(pathPart, query).map(([part, search]) => `/pay/${part}${search}`),
  );
  await fc.assert(
    fc.asyncProperty(path, fc.constantFrom('GET', 'DELETE', 'PATCH'), async (each, method) => {
      await assertOrderly(await fetch(service.url + each, { method, headers: authorization }), 200);
    }),
    { numRuns: runs },
  );
});
