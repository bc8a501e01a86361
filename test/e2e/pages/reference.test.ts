import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { startBrowser } from '../../setup/browser.ts';
import { openPay } from '../../setup/pay-browser.ts';
import { startTestService } from '../../setup/service.ts';

const browser = await startBrowser(test);
const service = await startTestService(test);
const url = `${service.url}/docs`;

describe('the API reference at /docs', () => {
  it('opens without a fault of the page', async () => {
    const { page, context, faults } = await openPay(browser, url);
    await page.getByRole('heading', { name: 'Build a transfer' }).first().waitFor();
    // A library in the script asks whether it may compile code, and does without.
    assert.deepEqual(
      faults.filter((fault) => fault !== 'script-src eval'),
      [],
    );
    await context.close();
  });

  it('lets a request be tried with the key of the sandbox', async () => {
    const { page, context } = await openPay(browser, `${url}#tag/transfers/POST/v1/transfers`, {
      viewport: { width: 1440, height: 900 },
    });
    await page
      .getByRole('button', { name: /^Test Request ?\(post \/v1\/transfers\)$/ })
      .first()
      .click();
    const [reply] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/v1/transfers')),
      page.getByRole('button', { name: /^Send/ }).first().click(),
    ]);
    assert.equal(reply.status(), 200);
    await context.close();
  });

  it('has fields in the order in which people need them, and programs that sign the reply and send it', async () => {
    const { page, context } = await openPay(browser, `${url}#tag/transfers/POST/v1/transfers`, {
      viewport: { width: 1440, height: 900 },
    });
    const snippets = page.getByRole('button', { name: 'Shell Curl' }).first();
    await snippets.waitFor();
    const [, ...names] = await page.locator('.property-name').allTextContents();
    const first = [
      'from_address',
      'to_address',
      'token_mint_address',
      'amount_decimal',
      'amount',
      'memo',
      'references',
    ];
    assert.deepEqual(names.slice(0, first.length + 1), [...first, 'fee_payer']);
    await snippets.click();
    await page.getByRole('option').first().waitFor();
    assert.deepEqual(await page.getByRole('option').allTextContents(), ['TypeScript', 'Python', 'Curl']);
    await page.getByRole('option', { name: 'TypeScript' }).click();
    await page.getByText('rpc.sendTransaction').first().waitFor();
    await context.close();
  });

  it('loads nothing from elsewhere, its script once', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.goto(url, { waitUntil: 'networkidle' });
    assert.ok(urls.length >= 2);
    const remote = urls.filter((each) => !each.startsWith('data:'));
    assert.deepEqual(new Set(remote.map((each) => new URL(each).origin)), new Set([service.url]));
    const packed = await fetch(`${url}/reference.js`, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(packed.headers.get('content-encoding'), 'gzip');
    assert.ok(Number(packed.headers.get('content-length')) < 1_600_000);
    const again = await fetch(`${url}/reference.js`, {
      headers: { 'if-none-match': packed.headers.get('etag') ?? '' },
    });
    assert.equal(again.status, 304);
    const plain = await fetch(url);
    assert.match(plain.headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self';/);
    await context.close();
  });
});
