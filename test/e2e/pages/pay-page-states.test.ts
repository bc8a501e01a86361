import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { viewWith } from '../../../packages/server/test/pages/pay-views.ts';
import { startBrowser } from '../../setup/browser.ts';
import { assertFits, openPay, waitForPhase } from '../../setup/pay-browser.ts';
import { paid, sends, startPayPages } from '../../setup/pay-pages.ts';

const browser = await startBrowser(test);

describe('every state of the page', () => {
  for (const [width, height] of [
    [375, 812],
    [1280, 720],
    [1440, 900],
  ] as const) {
    it(`leaves everything where it is from the offer to the receipt, at ${width} pixels`, async (t) => {
      const { fake, show, urlOf } = await startPayPages(t);
      const { link } = viewWith({ redirect: 'https://shop.example/' });
      show({ link });
      const { page } = await openPay(browser, urlOf(), { viewport: { width, height }, wallets: [sends] });
      await page.getByRole('button', { name: 'Test Wallet' }).waitFor();
      const places = async (): Promise<unknown> => {
        const [label, amount, panel, facts] = await Promise.all(
          ['h1', '#amount', '.panel', '.facts'].map((each) => page.locator(each).boundingBox()),
        );
        return { label, amount, panel, factsAt: facts?.y };
      };
      const wallet = page.getByRole('button', { name: 'Test Wallet' });
      const [offered, button] = [await places(), await wallet.boundingBox()];
      const { pay } = fake;
      // As long as these messages are.
      const message = 'Your 12 345 678.00 LongSymbol is in FeX3…jjvD. Send it to yourself first, please.';
      fake.pay = () => ({ status: 422, body: { message } });
      await wallet.click();
      await page.getByText(message).waitFor();
      assert.deepEqual([await places(), await wallet.boundingBox()], [offered, button], 'refused');
      fake.pay = pay;
      await wallet.click();
      await waitForPhase(page, 'sent');
      assert.deepEqual(await places(), offered);
      const title = await page.locator('#title').boundingBox();
      show({ link, state: 'paid', payments: [{ ...paid, commitment: 'confirmed' }] });
      await waitForPhase(page, 'confirmed');
      await assertFits(page, `${width}`);
      assert.deepEqual(await places(), offered);
      assert.equal((await page.locator('#title').boundingBox())?.y, title?.y);
      const shop = await page.locator('#shop').boundingBox();
      await page.getByRole('button', { name: 'Stay here' }).click();
      assert.deepEqual(await page.locator('#shop').boundingBox(), shop);
      const { page: other } = await openPay(browser, urlOf(), { viewport: { width, height } });
      const expired = viewWith({ redirect: link.redirect }, { state: 'expired' });
      fake.views.set('open', expired);
      await other.reload();
      assert.deepEqual(await other.locator('.panel').boundingBox(), await page.locator('.panel').boundingBox());
      assert.deepEqual(await other.locator('#shop').boundingBox(), shop);
      // What is to be done is seen at once.
      const status = await page.locator('#status').boundingBox();
      assert.ok(status && status.y + status.height < height);
    });
  }
});
