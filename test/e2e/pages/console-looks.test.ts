import assert from 'node:assert/strict';
import { mkdirSync, statSync } from 'node:fs';
import { describe, it, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { startBrowser } from '../../setup/browser.ts';
import { assertAccessible, assertFits, openPay, waitForPhase } from '../../setup/pay-browser.ts';
import { waitUntil } from '../../setup/wait-until.ts';
import { startLinkService } from '../links/link-service.ts';

const browser = await startBrowser(test);
const { service, client, ledger, alice, body } = await startLinkService(test);
const slotsToFinality = 33;
const built = await service.post('/v1/transfers', {
  from_address: alice.address,
  to_address: body.to_address,
  token_mint_address: body.token_mint_address,
  amount: '7',
});
const { transaction } = Object(await built.json()).data;
const widths = [360, 375, 768, 1440];

/** Asserts that the page can be used by everyone, and that it fits every width. */
async function assertFine(page: Page, what: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    if (width === widths[0]) await assertAccessible(page, what);
    else await assertFits(page, `${what}, ${width}`);
    const tops = await page.locator('nav a').evaluateAll((all) => all.map((each) => Object(each).offsetTop));
    assert.equal(new Set(tops).size, 1, `${what}, ${width}: the tabs are in one row`);
  }
}

const build = (page: Page): Promise<void> => page.locator('#form [type="submit"]').click();

describe('every state of the console', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`can be used by everyone, and fits a phone, a tablet and a desk: ${colorScheme}`, async () => {
      const { page, context } = await openPay(browser, service.url, { colorScheme });
      const assertState = (what: string): Promise<void> => assertFine(page, `${what}, ${colorScheme}`);
      await page.getByText('The same in curl').click();
      await page.getByRole('region', { name: 'The request in curl' }).getByText('"amount_decimal": "1.5"').waitFor();
      await assertState('filled in');
      await page.locator('details.options summary').first().click();
      for (const item of ['split', 'reference']) await page.getByRole('button', { name: `Add a ${item}` }).click();
      await assertState('options');
      await build(page);
      await page.getByText('alice pays bob 1.5 USDC.').waitFor();
      await page.getByText('Reply as JSON').click();
      await page.getByText(/^Can land for about/).waitFor();
      await assertState('built');
      await page.getByRole('button', { name: 'Sign as alice and send' }).click();
      await page.locator('[data-step="final"]').waitFor();
      await assertState('landed');
      await page.locator('#to_address').fill('nonsense');
      await build(page);
      await page.getByRole('alert').getByText('The request is invalid').waitFor();
      await assertState('refused');
      await page.getByRole('link', { name: 'Memo transfer' }).click();
      await page.waitForURL(/memo_transfer/);
      await assertState('older');
      await page.goto(`${service.url}/?form=batch`);
      await build(page);
      await page.getByText('alice pays 3 recipients').waitFor();
      await assertState('batch');
      await page.locator('#transfers').fill('to_address,amount_decimal\nnonsense,-1');
      await build(page);
      await page.getByText('Line 2, column 2').first().waitFor();
      await assertState('batch at fault');
      await page.goto(`${service.url}/?form=payment_link`);
      await build(page);
      await page.locator('.qr').waitFor();
      await assertState('link');
      await page.locator('details.options summary').first().click();
      await assertState('options of a link');
      await page.goto(`${service.url}/?form=webhook`);
      await build(page);
      await page.getByText('Save the secret now.').waitFor();
      await page.locator('details.options summary').first().click();
      await assertState('webhooks');
      await page.goto(`${service.url}/?form=outcome`);
      await assertState('outcome');
      await page.goto(`${service.url}/?form=inspect`);
      await page.locator('#transaction').fill(transaction);
      await build(page);
      await page.getByRole('listbox').waitFor();
      await assertState('bytes');
      await context.close();
    });
  }

  for (const [width, height] of [
    [1280, 720],
    [1366, 768],
    [1440, 900],
    [375, 812],
  ] as const) {
    it(`shows the button that signs at once, and nothing scrolls inside itself: ${width}×${height}`, async () => {
      const { page, context } = await openPay(browser, service.url, { viewport: { width, height } });
      await build(page);
      const sign = page.getByRole('button', { name: 'Sign as alice and send' });
      await sign.waitFor();
      // Only the phone scrolls to the reply, by itself.
      const isShown = (): Promise<boolean> =>
        sign.evaluate((button) => {
          const { top, bottom } = Object(button).getBoundingClientRect();
          return top >= 0 && bottom <= Object(globalThis).innerHeight;
        });
      await waitUntil(isShown);
      assert.equal(width > 400 ? await page.evaluate('scrollY') : 0, 0);
      const scrolling = await page.evaluate(
        `[...document.querySelectorAll('main, main section, main div, main dl, main ul')]
          .filter((each) => each.scrollHeight > each.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(each).overflowY))
          .map((each) => each.className || each.id)`,
      );
      assert.deepEqual(scrolling, []);
      await context.close();
    });
  }

  it('is reached by keyboard alone, from the first key to a transaction that has landed', async () => {
    const { page } = await openPay(browser, service.url);
    const focused = (): Promise<string> =>
      page.evaluate(
        '(({ id, ariaLabel, textContent }) => id || ariaLabel || textContent.trim())(document.activeElement)',
      );
    const press = async (...keys: string[]): Promise<string> => {
      for (const key of keys) await page.keyboard.press(key);
      return focused();
    };
    const tabTo = async (name: string): Promise<void> => {
      for (let count = 0; !(await press('Tab')).startsWith(name); count += 1)
        assert.ok(count < 40, `no way to ${name}`);
    };
    assert.equal(await press('Tab'), 'Skip to the form');
    await page.keyboard.press('Enter');
    await tabTo('Choose: Sender');
    assert.equal(await press('Tab'), 'from_address');
    await tabTo('to_address');
    await page.keyboard.type('nonsense');
    await tabTo('Options');
    await press('Enter');
    await tabTo('Add a split');
    assert.equal(await press('Enter'), 'Choose: Recipient', 'an item that was added has the focus');
    await tabTo('Remove this split');
    assert.equal(await press('Enter'), 'Add a split', 'an item that was removed gives it back');
    await tabTo('Build the transaction');
    await press('Enter');
    await page.getByText('to_address is "nonsense"').waitFor();
    assert.equal(await focused(), 'to_address', 'the field at fault has the focus');
    await press('Shift+Tab');
    await page.keyboard.type('carol');
    await tabTo('max');
    await press('Shift+Tab');
    await page.keyboard.type('2.5');
    await press('Enter');
    await page.getByText('alice pays carol 2.5 USDC.').waitFor();
    await tabTo('Sign as alice and send');
    await page.keyboard.press('Enter');
    await page.locator('[data-step="final"]').waitFor();
  });
});

// The pictures of the README: `PICTURES=docs/images node --test test/e2e/pages/console-looks.test.ts` draws them again, and with
// `--test-name-pattern='checkout page'` that one alone.
describe('the pictures of the README', { skip: process.env.PICTURES === undefined }, () => {
  const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
  const draw = async (page: Page, name: string, maxBytes: number): Promise<void> => {
    mkdirSync(folder, { recursive: true });
    await page.evaluate('document.activeElement.blur()');
    await page.screenshot({ path: `${folder}${name}.png` });
    const { size } = statSync(`${folder}${name}.png`);
    assert.ok(size < maxBytes, `${name}: ${size} bytes`);
  };

  it('show the console with a reply', async () => {
    const viewport = { width: 1200, height: 960 };
    const { page } = await openPay(browser, service.url, { viewport, deviceScaleFactor: 0.9 });
    await build(page);
    await page.getByText(/^Can land for about [0-9]+ seconds/).waitFor();
    await page.evaluate('scrollTo(0, 0)');
    await draw(page, 'console', 170_000);
  });

  it('show a checkout page that is paid', async () => {
    const texts = { message: 'Table 7, two cups of tea', memo: 'table 7', redirect: 'https://teahouse.example/' };
    const made = await client.create({ ...body, ...texts });
    const viewport = { width: 1200, height: 640 };
    const { page: checkout } = await openPay(browser, made.url, { viewport, deviceScaleFactor: 0.8 });
    await checkout.getByRole('button', { name: 'Pay as alice' }).click();
    await checkout.getByRole('heading', { name: 'You paid 1.50 USDC' }).waitFor();
    ledger.advanceSlots(slotsToFinality);
    await waitForPhase(checkout, 'final');
    await draw(checkout, 'checkout', 60_000);
  });
});
