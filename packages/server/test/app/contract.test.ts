import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { getBase58Encoder } from '@solana/kit';
import { Check } from 'typebox/schema';
import { errorsDocument } from '../../../../docs/errors-document.ts';
import { startTestService } from '../../../../test/setup/service.ts';
import { VerificationError, verifyBatch, verifyTransfer } from '../../../client/src/verify/index.ts';
import { warningLevels } from '../../../core/src/findings/warning.ts';
import { type Problem, type ProblemCode, problems, type RouteGroup, routesOf } from '../../src/problems.ts';
import { statusTexts } from '../../src/transfers/reply-schema.ts';
import { paths } from '../../src/transfers/transfer-schema.ts';
import { warningMeanings } from '../../src/transfers/words/warning-words.ts';
import { examplePath, operations, resolved, schemaAt, valueAt, walk } from './openapi-document.ts';
import { readProblem } from './problem.ts';
import { bob, createBody, createPath, linkBody, linksPath, memoBody, memoPath } from './sample-bodies.ts';

const rows = Object.entries<Problem>(problems);

test('The OpenAPI document', async (t) => {
  const service = await startTestService(t);
  const document: unknown = await (await fetch(`${service.url}/openapi.json`)).json();

  await t.test('is of OpenAPI 3.1 and has what that demands', () => {
    assert.equal(valueAt(document, 'openapi'), '3.1.0');
    for (const member of ['title', 'version']) assert.equal(typeof valueAt(document, 'info', member), 'string');
    const ids = operations(document).map(({ operation }) => valueAt(operation, 'operationId'));
    assert.deepEqual([new Set(ids).size, ids.includes(undefined)], [ids.length, false]);
    for (const { path, operation } of operations(document)) {
      assert.match(path, /^\//);
      const responses = Object.entries(valueAt(operation, 'responses') ?? {});
      assert.ok(responses.length > 0);
      for (const [status, response] of responses) {
        assert.match(status, /^[1-5][0-9]{2}$/);
        assert.equal(typeof valueAt(response, 'description'), 'string');
      }
    }
  });

  await t.test('has no reference that leads nowhere and no scheme that is not declared', () => {
    walk(document, (node) => {
      const reference = valueAt(node, '$ref');
      if (reference === undefined) return;
      assert.match(String(reference), /^#\//);
      assert.notEqual(valueAt(document, ...String(reference).slice(2).split('/')), undefined, String(reference));
    });
    for (const { operation } of operations(document)) {
      const security = valueAt(operation, 'security') ?? valueAt(document, 'security');
      for (const scheme of Array.isArray(security) ? security.flatMap(Object.keys) : ['none']) {
        assert.notEqual(valueAt(document, 'components', 'securitySchemes', scheme), undefined, scheme);
      }
    }
  });

  await t.test('has only schemas that make sense in themselves', () => {
    const types = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'];
    const withoutExamples: unknown = JSON.parse(
      JSON.stringify(document, (name, value) =>
        name === 'example' || (name === 'examples' && !Array.isArray(value)) ? undefined : value,
      ),
    );
    walk(withoutExamples, (node) => {
      assert.equal(valueAt(node, 'nullable'), undefined, 'a keyword of OpenAPI 3.0');
      const type = valueAt(node, 'type');
      if (typeof type !== 'string' || type === 'http') return;
      assert.ok(types.includes(type), type);
      const required = valueAt(node, 'required');
      if (Array.isArray(required)) for (const name of required) assert.ok(valueAt(node, 'properties', name), name);
      const pattern = valueAt(node, 'pattern');
      if (pattern !== undefined) {
        for (const example of [valueAt(node, 'examples')].flat()) {
          if (example !== undefined) assert.match(String(example), new RegExp(String(pattern), 'u'));
        }
      }
    });
  });

  await t.test('names paths and methods that exist, with the security that they have', async () => {
    for (const { path, method, operation } of operations(document)) {
      const isOpen = valueAt(operation, 'security', 'length') === 0;
      const { status } = await fetch(service.url + examplePath(path, operation), { method: method.toUpperCase() });
      // The link of the examples does not exist, and a payment needs a body.
      const open = path.startsWith('/pay/') ? { get: 404, post: 400 }[method] : 200;
      assert.equal(status, isOpen ? open : 401, `${method} ${path}`);
    }
    for (const path of Object.values(paths)) assert.ok(valueAt(document, 'paths', path, 'post'), path);
  });

  await t.test(
    'gives examples that work in the sandbox as they are, and schemas that hold for the replies',
    async () => {
      const seen: unknown[] = [];
      for (const path of Object.values(paths)) {
        const json = ['content', 'application/json'];
        const examples = valueAt(document, 'paths', path, 'post', 'requestBody', ...json, 'examples');
        const replySchema = schemaAt(document, 'paths', path, 'post', 'responses', '200', ...json, 'schema');
        for (const example of Object.values(examples ?? {})) {
          const response = await service.post(path, valueAt(example, 'value'));
          assert.equal(response.status, 200);
          const body: unknown = await response.json();
          assert.ok(Check(replySchema, body), path);
          seen.push(valueAt(body, 'status'));
          for (const name of Object.keys(
            valueAt(document, 'paths', path, 'post', 'responses', '200', 'headers') ?? {},
          )) {
            // Of retries alone.
            if (name !== 'Idempotency-Replayed') assert.ok(response.headers.get(name), name);
          }
        }
      }
      assert.deepEqual(seen, Object.values(statusTexts));
    },
  );

  await t.test(
    'gives an example of every field, with which the request works and the client accepts the reply',
    async () => {
      for (const path of [...Object.values(paths), linksPath]) {
        const content = ['paths', path, 'post', 'requestBody', 'content', 'application/json'];
        const [first] = Object.values(valueAt(document, ...content, 'examples') ?? {});
        const schema = schemaAt(document, ...content, 'schema');
        for (const [name, property] of Object.entries(valueAt(schema, 'properties') ?? {})) {
          const examples = [valueAt(property, 'examples')].flat(1);
          assert.equal(examples.length, 1, name);
          assert.equal(typeof valueAt(property, 'description'), 'string', name);
          assert.ok(Check(schemaAt(property), examples[0]), name);
          const { memo: _, amount, amount_decimal: tokens, ...example } = Object(valueAt(first, 'value'));
          const { token_mint_address: mint, ...rest } = example;
          const isInOneToken = name !== 'accepts' && mint !== undefined;
          const others = isInOneToken ? { ...rest, token_mint_address: mint } : rest;
          const paid = { ...(amount && { amount }), ...(tokens && { amount_decimal: tokens }) };
          const body = /^amount|^accepts$/.test(name) ? others : { ...others, ...paid };
          const wrapping = { wrap: true, token_mint_address: 'So11111111111111111111111111111111111111112' };
          const bound = {
            amount_min: { amount_max: '100000000' },
            amount_max: { amount_min: '1' },
            ...{ wrap: wrapping, unwrap: wrapping },
          }[name];
          const needsMemo = path === memoPath && name !== 'memo' && name !== 'yid';
          const request: object = { ...body, ...bound, ...(needsMemo && { memo: 'm' }), [name]: examples[0] };
          assert.ok(Check(schema, request), name);
          // No blockhash is valid for long, no height is one's without it, and there is no sponsor.
          const refused = { recent_blockhash: 422, last_valid_block_height: 400, sponsored: 422 }[name];
          const status = refused ?? (path === linksPath ? 201 : 200);
          const response = await service.post(path, request);
          assert.equal(response.status, status, name);
          const reply: unknown = await response.json();
          if (status === 200) await assertClientKnows({ path, name, request, reply, headers: response.headers });
          if (status < 300) assert.ok(Check(schemaAt(document, ...replyTo(path, status)), reply), name);
        }
      }
    },
  );

  await t.test(
    'holds every status and code that a transfer can be refused with, and the schema of the refusals',
    async () => {
      const groups: readonly RouteGroup[] = ['every', 'keyed', 'transfer'];
      const expected = rows.filter(([code]) => routesOf(code).some((group) => groups.includes(group)));
      const problemSchema = schemaAt(document, 'components', 'schemas', 'Problem');
      for (const path of [memoPath, createPath]) {
        const responses = valueAt(document, 'paths', path, 'post', 'responses');
        const statuses = new Set(['200', ...expected.map(([, { status }]) => String(status))]);
        assert.deepEqual(new Set(Object.keys(responses ?? {})), statuses);
        for (const [code, { status }] of expected) {
          assert.match(String(valueAt(responses, String(status), 'description')), new RegExp(`\\b${code}\\b`));
        }
      }
      assert.deepEqual(valueAt(document, 'components', 'schemas', 'ProblemCode', 'enum'), Object.keys(problems));
      for (const body of [
        '{',
        { ...memoBody, amount: 1 },
        { ...createBody, yid: 'y', token_mint_address: '1'.repeat(32) },
      ]) {
        assert.ok(Check(problemSchema, await readProblem(await service.post(memoPath, body))));
      }
    },
  );

  await t.test('names what a payment link, and the wallet that would pay it, can be refused for', async () => {
    const dave = 'ChqmkzHXQ1g91shQ5H2Cp5U62TRSRyuFqtmhSPW2VBbg';
    const taxed = 'hw9boh1QK2ZRE1wpmFpJGiG8G6C1XBCwt9tV2HA8z4F';
    const made: unknown = await (await service.post(linksPath, linkBody)).json();
    const paid = `/pay/${valueAt(made, 'data', 'id')}`;
    for (const [path, described, body, code] of [
      [linksPath, linksPath, { ...linkBody, token_mint_address: taxed, amount: '1' }, 'nothing_received'],
      [paid, '/pay/{id}', { account: bob }, 'same_wallet'],
      [paid, '/pay/{id}', { account: dave }, 'sender_token_account_not_found'],
    ] as const) {
      const problem = await readProblem(await service.post(path, body));
      assert.equal(problem.code, code);
      const response = valueAt(document, 'paths', described, 'post', 'responses', String(problem.status));
      assert.match(String(valueAt(response, 'description')), new RegExp(`\\b${code}\\b`));
    }
  });

  await t.test(
    'takes an Idempotency-Key wherever a transaction is built or a payment link is made, and nowhere else',
    () => {
      for (const { path, method, operation } of operations(document)) {
        const isMaking = path === linksPath && method === 'post';
        const isBuilding = isMaking || path.endsWith('/refund') || Object.values(paths).some((each) => each === path);
        const parameters = Object.values(valueAt(operation, 'parameters') ?? {});
        const names = parameters.map((parameter) => valueAt(parameter, 'name'));
        assert.equal(names.includes('Idempotency-Key'), isBuilding, path);
        const responses = valueAt(operation, 'responses');
        // A paid link cannot be canceled, and no retry changes that; the other conflicts end.
        const isRetried = valueAt(responses, '409', 'headers', 'Retry-After') !== undefined;
        assert.equal(isRetried, isBuilding || path.endsWith('/cancel'), path);
        const success = isMaking ? '201' : '200';
        assert.equal(valueAt(responses, success, 'headers', 'Idempotency-Replayed') !== undefined, isBuilding, path);
      }
    },
  );

  await t.test('lists the code of every warning', () => {
    const codes = valueAt(document, 'components', 'schemas', 'WarningCode', 'enum');
    assert.deepEqual(codes, Object.keys(warningMeanings));
    assert.deepEqual(codes, Object.keys(warningLevels), 'in the order in which a summary has them');
  });

  await t.test(
    'names every object of a request or a reply, and no alternatives of constants or of whole requests',
    () => {
      for (const { path, operation } of operations(document)) {
        walk(operation, (node) => {
          const schema = valueAt(node, 'schema', '$ref') ?? valueAt(node, 'schema', 'type');
          if (schema === 'object') assert.equal(path, '/openapi.json');
        });
      }
      walk(document, (node) => {
        const alternatives = [valueAt(node, 'anyOf') ?? valueAt(node, 'oneOf') ?? []].flat();
        for (const alternative of alternatives) assert.equal(valueAt(alternative, 'const'), undefined);
        assert.equal(valueAt(node, '$id'), undefined);
      });
      const names = Object.keys(valueAt(document, 'components', 'schemas') ?? {});
      for (const name of ['TokenTransferRequest', 'CreateTokenAccountTransferRequest', 'Summary', 'Problem']) {
        assert.ok(names.includes(name), name);
      }
    },
  );

  await t.test('gives a tag, a description and examples to every operation', () => {
    const tags = Object.values(valueAt(document, 'tags') ?? {}).map((tag) => valueAt(tag, 'name'));
    for (const { path, operation } of operations(document)) {
      assert.ok(tags.includes(valueAt(operation, 'tags', '0')), path);
      assert.match(String(valueAt(operation, 'description')), /\.$/, path);
    }
  });

  await t.test('gives replies as examples that are what the service builds, but for the blockhash', async () => {
    const zeros = (text: unknown, blockhash: unknown): string =>
      Buffer.from(String(text), 'base64')
        .toString('hex')
        .replace(Buffer.from(getBase58Encoder().encode(String(blockhash))).toString('hex'), '00');
    const transactionIn = (data: unknown): unknown =>
      valueAt(data, 'transactions', '0', 'transaction') ?? valueAt(data, 'transaction') ?? data;
    for (const path of Object.values(paths)) {
      const json = ['content', 'application/json', 'examples'];
      const requests = valueAt(document, 'paths', path, 'post', 'requestBody', ...json);
      const ok = valueAt(document, 'paths', path, 'post', 'responses', '200');
      for (const [operation, request] of Object.entries(requests ?? {})) {
        const reply = await service.post(path, {
          ...Object(valueAt(request, 'value')),
          // Of the operations whose reply is always base64, it is no field.
          ...(operation !== 'transfer' && operation !== 'batch' && { encoding: 'base64' }),
        });
        const { data }: { data: unknown } = JSON.parse(await reply.text());
        const example = valueAt(ok, ...json, operation, 'value', 'data');
        assert.equal(
          zeros(transactionIn(example), valueAt(ok, 'headers', 'Solana-Blockhash', 'schema', 'examples', '0')),
          zeros(transactionIn(data), reply.headers.get('solana-blockhash')),
          operation,
        );
      }
    }
  });

  await t.test('gives replies and refusals as examples that their schemas accept', () => {
    let count = 0;
    for (const { operation } of operations(document)) {
      for (const response of Object.values(valueAt(operation, 'responses') ?? {})) {
        for (const content of Object.values(valueAt(response, 'content') ?? {})) {
          const listed = Object.values(valueAt(content, 'examples') ?? {}).map((example) => valueAt(example, 'value'));
          for (const example of [...listed, valueAt(content, 'example')].filter((each) => each !== undefined)) {
            assert.ok(Check(resolved(document, valueAt(content, 'schema')), example), JSON.stringify(example));
            count += 1;
          }
        }
      }
    }
    assert.ok(count > 20);
  });

  await t.test('gives the version of the service', () => {
    assert.equal(valueAt(document, 'info', 'version'), '0.0.0-test');
  });
});

test('Every problem', async (t) => {
  const service = await startTestService(t);

  await t.test('has a page where its type points, with its code, title, status and remedy', async () => {
    for (const [code, { title, status, remedy }] of rows) {
      const response = await fetch(`${service.url}/problems/${code}`);
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      const page = (await response.text())
        .replaceAll(/<\/?code>|`/g, '')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>');
      for (const part of [code, title, `status ${status}`, remedy]) {
        assert.ok(page.includes(part.replaceAll('`', '')), `${code}: ${part}`);
      }
      assert.doesNotMatch(page, /undefined|\[object/);
    }
  });

  await t.test('has a code in snake_case, a status that is an error, and texts that are sentences', () => {
    for (const [code, { title, status, remedy }] of rows) {
      assert.match(code, /^[a-z]+(_[a-z]+)*$/);
      assert.ok(status >= 400 && status <= 599);
      assert.match(title, /^[A-Z`].*[^.]$/);
      assert.match(remedy, /^[A-Z`].*\.$/);
    }
    const titles = rows.map(([, { title }]) => title);
    assert.equal(new Set(titles).size, titles.length);
  });

  await t.test('has the status that the contract fixes', () => {
    const statuses: Partial<Record<ProblemCode, number>> = {
      invalid_json: 400,
      invalid_request: 400,
      api_key_missing: 401,
      api_key_invalid: 401,
      route_not_found: 404,
      method_not_allowed: 405,
      body_too_large: 413,
      unsupported_media_type: 415,
      headers_too_large: 431,
      mint_not_found: 422,
      not_a_mint: 422,
      insufficient_token_balance: 422,
      recipient_token_account_not_found: 422,
      internal_error: 500,
      upstream_error: 502,
      upstream_unavailable: 503,
      upstream_timeout: 504,
    };
    for (const [code, status] of Object.entries(statuses)) {
      assert.equal(rows.find(([name]) => name === code)?.[1].status, status, code);
    }
  });

  await t.test('is in docs/errors.md, which is exactly what the table makes of it', () => {
    const written = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
    assert.equal(written, errorsDocument(), 'run: npm run docs');
    for (const [code, { remedy, status }] of rows) {
      const section = written.split(/^## /m).find((part) => part.startsWith(`${status}\n`)) ?? '';
      const item = section.split('\n').find((line) => line.startsWith('- ') && line.includes(`\`${code}\``));
      assert.ok(item?.includes(`: ${remedy}`), code);
    }
  });
});

function replyTo(path: string, status: number): readonly string[] {
  return ['paths', path, 'post', 'responses', String(status), 'content', 'application/json', 'schema'];
}

/** The fields whose examples change nothing in the bytes; priority costs nothing on a ledger that nobody else uses. */
const withoutEffect = [
  ...['allow_off_curve_recipient', 'allow_off_curve_sender', 'checks', 'create_token_account', 'layout', 'metadata'],
  ...['priority_fee', 'simulate', 'skip_refused', 'summary'],
  // Of sponsors alone.
  ...['max_sponsor_fee', 'sponsor_fee_token_mint_address'],
];

/** The client accepts a reply to the request that it was sent for, and not to the same request without the field. */
async function assertClientKnows(sent: {
  path: string;
  name: string;
  request: object;
  reply: unknown;
  headers: Headers;
}): Promise<void> {
  const { path, name, request, reply, headers } = sent;
  const operation = [paths.memoTransfer, paths.createTransfer, paths.transfers].find((each) => each === path);
  const options = { operation, lifetimeToken: headers.get('solana-blockhash') ?? undefined };
  const verify = (asked: object) =>
    path === paths.batch ? verifyBatch(asked, reply) : verifyTransfer(asked, reply, options);
  await verify(request);
  const without = Object.fromEntries(Object.entries(request).filter(([field]) => field !== name));
  if (!withoutEffect.includes(name)) await assert.rejects(verify(without), VerificationError, name);
}
