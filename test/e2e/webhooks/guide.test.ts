import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { it, test } from 'node:test';
import { startBrowser } from '../../setup/browser.ts';
import { freePort } from '../../setup/free-port.ts';
import { assertLooks, openPay } from '../../setup/pay-browser.ts';
import { repository } from '../../setup/process.ts';
import { startTestService } from '../../setup/service.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { blocksOf } from '../documents/document-shell.ts';
import { assertGuide } from './guide.ts';

const browser = await startBrowser(test);

// That in Python is run where other software is: interop/libraries/webhooks.test.ts.
it('docs/webhooks.md has an endpoint in TypeScript that takes what its commands send, and nothing that is forged', (t) =>
  assertGuide(t, 'ts', process.execPath));

it('docs/webhooks.md has a shop whose page says when a payment has arrived', async (t) => {
  const service = await startTestService(t);
  const environment = {
    SPLWRIGHT_URL: service.url,
    SHOP_PORT: String(await freePort()),
    SHOP_DATABASE: `${temporaryFolder(t)}/shop.db`,
  };
  const shop = spawn('bash', ['-c', `exec ${blocksOf('docs/webhooks.md', 'sh').at(-1)}`], {
    cwd: repository,
    env: { ...process.env, ...environment },
    // A process group of its own: npx does not pass signals on to what it runs.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    const closed = once(shop, 'close');
    process.kill(-Number(shop.pid), 'SIGTERM');
    await closed;
  });
  const [line] = await once(createInterface(shop.stdout), 'line');
  const { page, context, faults } = await openPay(browser, /http:\S+$/.exec(String(line))?.[0] ?? '');
  await assertLooks(page, 'shop-product');
  await page.getByRole('button', { name: 'Buy' }).click();
  await page.getByText('This page updates once your payment is final.').waitFor();
  await assertLooks(page, 'shop-order');
  const opened = context.waitForEvent('page');
  await page.getByRole('link', { name: 'Pay' }).click();
  await (await opened).getByRole('button', { name: 'Pay as alice' }).click();
  await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  await assertLooks(page, 'shop-paid');
  assert.deepEqual(faults, []);
});
