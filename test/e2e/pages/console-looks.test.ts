import assert from 'node:assert/strict';
import { mkdirSync, statSync } from 'node:fs';
import { describe, it, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { startBrowser } from '../../setup/browser.ts';
import { openPay, waitForPhase } from '../../setup/pay-browser.ts';
import { waitUntil } from '../../setup/wait-until.ts';
import { startLinkService } from '../links/link-service.ts';

const browser = await startBrowser(test);
const { service, client, ledger, body } = await startLinkService(test);
const slotsToFinality = 33;
const build = (page: Page): Promise<void> => page.locator('#form [type="submit"]').click();

describe('the console', () => {
  it('brings into view what comes: on a phone the button that signs, on a laptop the field that is at fault', async () => {
    const phone = await openPay(browser, service.url, { viewport: { width: 375, height: 812 } });
    await build(phone.page);
    const sign = phone.page.getByRole('button', { name: 'Sign as alice and send' });
    await sign.waitFor();
    await waitUntil(async () => {
      const { y = -1, height = 0 } = (await sign.boundingBox()) ?? {};
      return y >= 0 && y + height <= 812;
    });
    await phone.context.close();
    const laptop = await openPay(browser, service.url, { viewport: { width: 1280, height: 620 } });
    await laptop.page.locator('#amount_decimal').fill('99000000');
    await build(laptop.page);
    await laptop.page.locator('#amount_decimal:focus').waitFor();
    const isUncovered = await laptop.page.evaluate(`(() => {
      const { left, top, width, height } = document.activeElement.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2) === document.activeElement;
    })()`);
    assert.equal(isUncovered, true);
    await laptop.context.close();
  });

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
