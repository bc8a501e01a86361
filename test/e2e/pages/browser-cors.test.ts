import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { memoPath, yidBody } from '../../../packages/server/test/app/sample-bodies.ts';
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
