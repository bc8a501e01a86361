import { describe, it, test } from 'node:test';
import { startBrowser } from '../../setup/browser.ts';
import { assertAccessible, assertFits, openPay } from '../../setup/pay-browser.ts';
import { startTestService } from '../../setup/service.ts';

const browser = await startBrowser(test);
const { url } = await startTestService(test);
const paths = ['/problems/', '/problems/invalid_amount', '/problems/recipient_token_account_not_found', '/nothing'];

describe('every page about problems', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`can be used by everyone, and fits a phone, a tablet and a desk: ${colorScheme}`, async () => {
      const { page } = await openPay(browser, url, { colorScheme, viewport: { width: 375, height: 812 } });
      for (const path of paths) {
        await page.setViewportSize({ width: 375, height: 812 });
        await page.goto(url + path);
        await assertAccessible(page, `${path}, ${colorScheme}`);
        for (const width of [768, 1440]) {
          await page.setViewportSize({ width, height: 900 });
          await assertFits(page, `${path}, ${width}, ${colorScheme}`);
        }
      }
      await page.getByRole('link', { name: '/problems/' }).click();
      await page.getByRole('link', { name: 'insufficient_sol' }).click();
      await page.getByRole('heading', { name: 'Example' }).waitFor();
    });
  }
});
