import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { startBrowser } from '../setup/browser.ts';
import { assertAccessible, assertFits, openPay } from '../setup/pay-browser.ts';
import { startTestService } from '../setup/service.ts';

const browser = await startBrowser(test);
const service = await startTestService(test);
const url = `${service.url}/docs`;

describe('the API reference at /docs', () => {
  it('is readable for everybody: light on a desk, dark on a phone', async () => {
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [360, 'dark'],
    ] as const) {
      const { page, context, faults } = await openPay(browser, url, { viewport: { width, height: 900 }, colorScheme });
      await page.evaluate(`document.querySelectorAll('#buildBatch details').forEach((each) => { each.open = true; })`);
      await assertAccessible(page, `${width} ${colorScheme}`);
      assert.deepEqual(faults, []);
      await context.close();
    }
  });

  it('fits every window, all of it opened', async () => {
    for (const width of [320, 360, 768, 1024, 1440]) {
      const { page, context } = await openPay(browser, url, { viewport: { width, height: 900 } });
      await page.evaluate(`document.querySelectorAll('details').forEach((each) => { each.open = true; })`);
      await assertFits(page, String(width));
      await context.close();
    }
  });

  it('needs no script, and leads to a problem by its code', async () => {
    const { page } = await openPay(browser, url, { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Make a payment link' }).click();
    await page.waitForURL(/#createPaymentLink$/);
    const operation = page.locator('#createPaymentLink');
    await operation.getByText('Example of the request').first().click();
    await operation.getByText('"token_mint_address": ').first().waitFor();
    await operation.getByRole('link', { name: 'payment_links_off' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.match(page.url(), /\/problems\/payment_links_off$/);
  });

  it('can be read by keyboard, beginning with a link past the contents', async () => {
    const { page } = await openPay(browser, url);
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: 'Skip to the reference' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/#content$/);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'problem+json');
  });

  it('is there only where pages are on', async (t) => {
    const off = await startTestService(t, { PAGES: 'off' });
    assert.equal((await fetch(`${off.url}/docs`)).status, 404);
  });

  it('loads nothing from elsewhere, and little', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.goto(url, { waitUntil: 'networkidle' });
    assert.ok(urls.length >= 2);
    assert.deepEqual(new Set(urls.map((each) => new URL(each).origin)), new Set([service.url]));
    const packed = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(packed.headers.get('content-encoding'), 'gzip');
    assert.ok(Number(packed.headers.get('content-length')) < 40_000);
    const plain = await fetch(url, { headers: { 'accept-encoding': 'gzip;q=0, identity' } });
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.equal(await packed.text(), await plain.text());
    assert.match(
      plain.headers.get('content-security-policy') ?? '',
      /^default-src 'none'; style-src 'self'; img-src 'self';/,
    );
    assert.equal(plain.headers.get('vary'), 'Accept-Encoding');
  });
});
