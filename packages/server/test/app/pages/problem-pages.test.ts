import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../../../../../test/setup/service.ts';
import { named } from '../../../../../test/setup/wallets.ts';
import { problemExamples } from '../../../src/app/pages/problem-examples.ts';
import { isProblemCode } from '../../../src/app/pages/problem-page.ts';
import { sandboxApiKey } from '../../../src/keys/authenticated-key.ts';
import type { ProblemCode } from '../../../src/problems.ts';
import { paths } from '../../../src/transfers/transfer-schema.ts';
import { assertProblem, readProblem } from '../problem.ts';
import { alice, createBody, memoBody, memoPath } from '../sample-bodies.ts';

const browserAccepts = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const programsAccept = ['*/*', 'application/json', 'application/json, text/html;q=0.5'];

test('A browser that meets a path with nothing to read gets a page that says where to go', async (t) => {
  const { url } = await startTestService(t);
  for (const [path, status, text] of [
    ['/nothing', 404, 'There is nothing at /nothing. See /openapi.json for the paths of this service.'],
    ['/v1/tranfers?a=1', 404, 'There is nothing at /v1/tranfers. Did you mean /v1/transfers?'],
    ['/problems/nothing', 404, 'Unknown error code.'],
    ['/pay/a/b/c', 404, 'There is nothing at /pay/a/b/c.'],
    ['/v1/transfers', 405, '/v1/transfers takes POST, not GET.'],
  ] as const) {
    const reply = await fetch(url + path, { headers: { accept: browserAccepts } });
    const names = ['content-type', 'cache-control', 'vary', 'x-content-type-options'];
    assert.deepEqual(
      [reply.status, ...names.map((name) => reply.headers.get(name))],
      [status, 'text/html; charset=utf-8', 'no-store', 'Accept', 'nosniff'],
      path,
    );
    assert.match(reply.headers.get('content-security-policy') ?? '', /^default-src 'none'; .*frame-ancestors 'none'$/);
    const page = await reply.text();
    assert.ok(page.includes(text), page);
    for (const place of ['/', '/docs', '/openapi.json', '/problems/']) assert.ok(page.includes(`<a href="${place}">`));
    if (status === 405) assert.equal(reply.headers.get('allow'), 'POST');
  }
  const pasted = await (await fetch(`${url}/${sandboxApiKey}`, { headers: { accept: browserAccepts } })).text();
  assert.ok(pasted.includes('There is nothing at /swk_') && !pasted.includes(sandboxApiKey));
  const problems = await fetch(`${url}/problems`, { headers: { accept: browserAccepts } });
  assert.deepEqual([problems.status, problems.headers.get('vary')], [200, 'Accept, Accept-Encoding']);
});

test('A program gets there what it always got, and so does a browser that posts', async (t) => {
  const { url, post } = await startTestService(t);
  for (const [path, code, detail] of [
    ['/nothing', 'route_not_found', 'There is nothing at /nothing. See /openapi.json for the paths of this service.'],
    ['/problems/', 'route_not_found', 'Unknown error code.'],
    ['/problems/nothing', 'route_not_found', 'Unknown error code.'],
    ['/v1/transfers', 'method_not_allowed', '/v1/transfers takes POST, not GET.'],
  ] as const) {
    for (const accept of programsAccept) {
      const reply = await fetch(url + path, { headers: { accept } });
      assert.ok(!/Accept/.test(reply.headers.get('vary') ?? ''));
      assert.equal(reply.headers.get('content-security-policy'), null);
      await assertProblem(reply, code, detail);
    }
  }
  const posted = await post('/nothing', {}, { accept: browserAccepts });
  assert.equal((await readProblem(posted)).code, 'route_not_found');
});

test('A service without console and reference names neither', async (t) => {
  const { url } = await startTestService(t, { PAGES: 'off' });
  const page = await (await fetch(`${url}/nothing`, { headers: { accept: browserAccepts } })).text();
  assert.doesNotMatch(page, /console|\/docs/);
  for (const [, path = ''] of page.matchAll(/(?:href|src)="([^"]+)"/g))
    assert.equal((await fetch(url + path, { headers: { accept: browserAccepts } })).status, 200, path);
});

test('Every example of a problem is what the sandbox says', async (t) => {
  const service = await startTestService(t);
  const carol = named(service.sandbox.world.wallets, 'carol').address;
  const { to_address: _, ...withoutRecipient } = createBody;
  const transfer = (body: unknown, headers?: Record<string, string>) => service.post(paths.transfers, body, headers);
  const requests: Partial<Record<ProblemCode, () => Promise<Response>>> = {
    invalid_json: () => transfer('{"from_address": }'),
    missing_field: () => transfer(withoutRecipient),
    unknown_field: () => transfer({ ...createBody, ammount: '1' }),
    wrong_type: () => transfer({ ...createBody, amount: 1500000 }),
    invalid_address: () => transfer({ ...createBody, to_address: 'bob.sol' }),
    invalid_amount: () => transfer({ ...createBody, amount: '1,5' }),
    same_wallet: () => transfer({ ...createBody, to_address: alice }),
    api_key_missing: () => fetch(service.url + paths.transfers, { method: 'POST' }),
    api_key_invalid: () => transfer(createBody, { authorization: 'Bearer swk_x' }),
    unsupported_media_type: () => transfer('x', { 'content-type': 'text/plain' }),
    route_not_found: () => service.post('/v1/transfer', createBody),
    method_not_allowed: () => fetch(service.url + paths.transfers),
    not_a_mint: () => transfer({ ...createBody, token_mint_address: createBody.to_address }),
    sender_token_account_not_found: () => transfer({ ...createBody, from_address: carol }),
    recipient_token_account_not_found: () => service.post(memoPath, { ...memoBody, to_address: carol }),
    insufficient_token_balance: () => transfer({ ...createBody, amount: '9000000000000' }),
  };
  for (const code of Object.keys(problemExamples).filter(isProblemCode)) {
    const { detail, pointer } = problemExamples[code] ?? {};
    const body = await readProblem((await requests[code]?.()) ?? assert.fail(`no request for ${code}`));
    const said = body.errors?.map((each) => [each.code, each.pointer, each.detail]) ?? [
      [body.code, undefined, body.detail],
    ];
    assert.deepEqual(said, [[code, pointer, detail]]);
  }
});
