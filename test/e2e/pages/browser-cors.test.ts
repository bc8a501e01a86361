import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { memoPath, yidBody } from '../../../packages/server/test/http/sample-bodies.ts';
import { startBrowser, startPage } from '../../setup/browser.ts';
import { startTestService } from '../../setup/service.ts';

/** What a script in a page could read of a reply; only `error` when the browser kept the reply from it. */
interface Read {
  status?: number;
  headers?: Record<string, string>;
  text?: string;
  error?: string;
}

const browser = await startBrowser(test);

/** Opens a page of an origin, and returns what its scripts can read of the service. */
async function openPage(origin: string): Promise<(url: string, body?: unknown, key?: string) => Promise<Read>> {
  const page = await browser.newPage();
  await page.goto(origin);
  return (url, body, key = sandboxApiKey) =>
    page.evaluate(
      async ([target, text, bearer]): Promise<Read> => {
        const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
        const options = text === undefined ? {} : { method: 'POST', headers, body: text };
        try {
          const reply = await fetch(target, options);
          return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
        } catch (error) {
          return { error: String(error) };
        }
      },
      [url, body === undefined ? undefined : JSON.stringify(body), key] as const,
    );
}

const hidden: Read = { error: 'TypeError: Failed to fetch' };

test('A page of another origin builds a transfer on the sandbox and reads our headers', async (t) => {
  const service = await startTestService(t);
  const read = await openPage(await startPage(t));
  const { status, headers, text } = await read(service.url + memoPath, yidBody);
  assert.equal(status, 200);
  assert.equal(JSON.parse(text ?? '').status, 'SPL token transfer tx created successfully');
  assert.match(headers?.['solana-blockhash'] ?? '', /^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
  assert.match(headers?.['solana-last-valid-block-height'] ?? '', /^[0-9]+$/);
  assert.match(headers?.ratelimit ?? '', /^"default";r=/);
  assert.match(headers?.['ratelimit-policy'] ?? '', /^"default";q=/);
  assert.match(headers?.['x-request-id'] ?? '', /^[0-9a-f-]{36}$/);
  assert.equal((await read(`${service.url}/openapi.json`)).status, 200);
});

test('A page of another origin reads a refusal, with the time after which it may come back', async (t) => {
  const service = await startTestService(t, { RATE_LIMIT_PER_MINUTE: '1' });
  const read = await openPage(await startPage(t));
  const url = service.url + memoPath;
  const unknown = await read(url, yidBody, 'swk_wrong');
  assert.deepEqual([unknown.status, JSON.parse(unknown.text ?? '').code], [401, 'api_key_invalid']);
  const refused = await read(url, { ...yidBody, token_mint_address: yidBody.to_address });
  assert.deepEqual([refused.status, JSON.parse(refused.text ?? '').code], [422, 'not_a_mint']);
  const limited = await read(url, yidBody);
  assert.deepEqual([limited.status, JSON.parse(limited.text ?? '').code], [429, 'rate_limited']);
  assert.match(limited.headers?.['retry-after'] ?? '', /^[0-9]+$/);
});

test('Pages read only where their origin is listed, and no route but the API', async (t) => {
  const [ours, others] = [await startPage(t), await startPage(t)];
  const service = await startTestService(t, { CORS_ORIGINS: `https://shop.example,${ours}` });
  const [readOurs, readOthers] = [await openPage(ours), await openPage(others)];
  assert.equal((await readOurs(service.url + memoPath, yidBody)).status, 200);
  assert.deepEqual(await readOthers(service.url + memoPath, yidBody), hidden);
  assert.equal((await readOurs(`${service.url}/openapi.json`)).status, 200);
  assert.deepEqual(await readOthers(`${service.url}/openapi.json`), hidden);
  assert.deepEqual(await readOurs(`${service.url}/sandbox/world`), hidden);
});

test('No page reads a service on a real network without a list of origins, and a refused one builds nothing', async (t) => {
  const service = await startTestService(t, { SOLANA_RPC_URLS: 'http://127.0.0.1:1' });
  const read = await openPage(await startPage(t));
  assert.deepEqual(await read(service.url + memoPath, yidBody), hidden);
  assert.deepEqual(await read(`${service.url}/openapi.json`), hidden);
  const requests = service.log.filter((line) => line.includes('"msg":"request"')).map((line) => JSON.parse(line));
  // The preflight, and the document that the page could not read.
  assert.deepEqual(
    requests.map(({ method, status }) => [method, status]),
    [
      ['OPTIONS', 405],
      ['GET', 200],
    ],
  );
});
