import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { type Behaviour, startFakeUpstream, text, upstreamSecret } from '../../../../test/setup/fake-upstream.ts';
import { type RpcRequest, RpcTransport, UrlSecrets } from '../../src/chain/rpc-transport.ts';
import { type FaultKind, UpstreamFault } from '../../src/chain/upstream-faults.ts';

const getHealth: RpcRequest<unknown> = {
  method: 'getHealth',
  params: [],
  read: (result) => result,
  maxAnswerBytes: 1e6,
};

async function faultOf(t: TestContext, behaviour: Behaviour, request = getHealth): Promise<UpstreamFault> {
  const { url } = await startFakeUpstream(t, behaviour);
  const transport = new RpcTransport({ url, timeoutMs: 5_000 });
  t.after(() => transport.close());
  try {
    await transport.call(request, Number.POSITIVE_INFINITY);
  } catch (error) {
    assert.ok(error instanceof UpstreamFault);
    return error;
  }
  return assert.fail('it answered');
}

const error = (code: number, message: string, id = 'null'): string =>
  JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: 0 }).replace('"id":0', `"id":${id}`);

const denials: readonly [answer: string, status: number, kind: FaultKind, reason: string][] = [
  [error(-32000, 'invalid api key'), 200, 'node', 'it answered getHealth with error -32000: "invalid api key"'],
  [error(-32000, 'invalid api key', '77'), 200, 'node', 'it answered getHealth with error -32000: "invalid api key"'],
  [
    error(-32600, 'Must be authenticated!'),
    200,
    'node',
    'it answered getHealth with error -32600: "Must be authenticated!"',
  ],
  [error(-32429, 'slow down', '"gw"'), 200, 'rate_limited', 'it answered getHealth with error -32429: "slow down"'],
  [error(-32401, 'missing api key'), 401, 'http_status', 'it answered HTTP 401: "missing api key"'],
  [
    error(-32600, 'Must be authenticated!', '$id'),
    401,
    'http_status',
    'it answered HTTP 401: "Must be authenticated!"',
  ],
  ['Unauthorized', 401, 'http_status', 'it answered HTTP 401: "Unauthorized"'],
  ['{"error":"quota used up"}', 402, 'http_status', 'it answered HTTP 402: "quota used up"'],
  ['{"message":"no Route matched"}', 404, 'http_status', 'it answered HTTP 404: "no Route matched"'],
  [error(403, 'Access forbidden', '1'), 403, 'node', 'it answered getHealth with error 403: "Access forbidden"'],
  [error(403, 'Access forbidden'), 403, 'http_status', 'it answered HTTP 403: "Access forbidden"'],
  ['<html><h1>Forbidden</h1></html>', 403, 'http_status', 'it answered HTTP 403'],
  [
    error(-32601, 'Method not found', '$id'),
    403,
    'refused',
    'it answered getHealth with error -32601: "Method not found"',
  ],
  [error(410, 'disabled', '$id'), 410, 'refused', 'it answered HTTP 410: "disabled"'],
  ['', 410, 'refused', 'it answered HTTP 410'],
  [error(-32615, 'limited to a 5 range', '$id'), 413, 'too_large', 'it answered HTTP 413: "limited to a 5 range"'],
  ['Request Entity Too Large', 413, 'too_large', 'it answered HTTP 413: "Request Entity Too Large"'],
  ['<html><h1>413</h1></html>', 413, 'too_large', 'it answered HTTP 413'],
  [
    error(-32602, 'Too many inputs provided; max 10', '$id'),
    200,
    'too_large',
    'it answered getHealth with error -32602: "Too many inputs provided; max 10"',
  ],
  ['{"message":"odd"}', 500, 'malformed', 'its answer of HTTP 500 is not the answer to this request: "odd"'],
  [`"${'x'.repeat(300)}"`, 200, 'malformed', 'its answer is not the answer to this request'],
];

test('A node, or a gateway before it, that turns a call away is reported with its status or error and its message:', async (t) => {
  for (const [answer, status, kind, reason] of denials) {
    await t.test(`HTTP ${status} and ${answer.slice(0, 60)}`, async (t2) => {
      const fault = await faultOf(t2, text(answer, status));
      assert.deepEqual([fault.kind, fault.reason], [kind, reason]);
      assert.ok(fault.message.includes(reason));
    });
  }
});

test('Nothing is absent because a gateway says so: only the answer to the request itself counts', async (t) => {
  const absent = { ...getHealth, absentCodes: new Set([-32004]) };
  assert.equal((await faultOf(t, text(error(-32004, 'none')), absent)).kind, 'node');
  const { url } = await startFakeUpstream(t, text(error(-32004, 'none', '$id')));
  const transport = new RpcTransport({ url, timeoutMs: 5_000 });
  t.after(() => transport.close());
  assert.equal(await transport.call(absent, Number.POSITIVE_INFINITY), null);
});

test('A message is one short line without the secrets of the URL and without hidden characters', async (t) => {
  const said = `no key ${upstreamSecret}\nat\u202e /?api-key=${upstreamSecret}\u0000 ${'long '.repeat(100)}`;
  for (const answer of [error(-32000, said), JSON.stringify({ error: said }), said]) {
    const { message, reason } = await faultOf(t, text(answer, 401));
    assert.match(reason, /^it answered HTTP 401: "no key … at \/\?api-key=… (?:long )+.*…"$/);
    assert.ok(reason.length < 240);
    assert.doesNotMatch(message, new RegExp(`${upstreamSecret}|\\p{Cc}|\\p{Cf}`, 'u'));
  }
  assert.equal((await faultOf(t, text('page '.repeat(3_000), 401))).reason, 'it answered HTTP 401');
});

test('No part of a URL that may be a credential is in a masked message, however a gateway quotes it', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_%+@:~'), minLength: 8, maxLength: 20 });
  fc.assert(
    fc.property(word, word, word, word, (user, password, path, query) => {
      const url = new URL(
        `https://${path.replaceAll(/[^a-z]/g, '')}.customer-name.example/v2/${encodeURIComponent(path)}`,
      );
      url.username = encodeURIComponent(user);
      url.password = encodeURIComponent(password);
      url.searchParams.set('k', query);
      const basic = Buffer.from(`${user}:${password}`).toString('base64');
      const masked = new UrlSecrets(url).mask(
        `${basic} ${user} ${url.password} ${path} ${query} ${url.search} ${url.hostname}`,
      );
      for (const secret of [basic, user, password, path, query, 'customer-name'])
        assert.ok(!masked.includes(secret), masked);
    }),
  );
  const short = new UrlSecrets(new URL('https://me:pw1@node.example/v2?k=abc'));
  assert.equal(short.mask('me pw1 abc v2'), 'me … … v2');
});
