import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { LinkView } from '../../../packages/server/src/links/link-view.ts';
import { longestView, sampleLink, samplePayment, viewWith } from '../../../packages/server/test/pages/pay-views.ts';
import { startBrowser } from '../../setup/browser.ts';
import { assertAccessible, assertFits, openPay, waitForPhase } from '../../setup/pay-browser.ts';
import { paid, payer, sends, signatureBytes, startPayPages, waits, walletThat } from '../../setup/pay-pages.ts';

const browser = await startBrowser(test);

describe('every state of the page', () => {
  const views: Readonly<Record<string, LinkView>> = {
    open: viewWith(),
    range: viewWith({ minAmount: 1n }),
    longest: longestView,
    confirmed: viewWith(
      { redirect: 'https://shop.example/' },
      { state: 'paid', payments: [{ ...paid, commitment: 'confirmed' }] },
    ),
    final: viewWith({}, { state: 'paid', isFinal: true, payments: [paid] }),
    expired: viewWith({}, { state: 'expired' }),
    cancelled: viewWith({}, { state: 'cancelled', isFinal: true }),
  };
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`can be used by everyone, and fits a narrow phone: ${colorScheme}`, async (t) => {
      const { fake, show, urlOf } = await startPayPages(t);
      fake.views = new Map([...Object.entries(views), ...fake.views]);
      const several = walletThat(async () => signatureBytes, { name: 'Two', accounts: [sampleLink.recipient, payer] });
      const size = { colorScheme, viewport: { width: 320, height: 640 } };
      const { page, faults } = await openPay(browser, urlOf(), { ...size, wallets: [waits, several] });
      const assertFine = (what: string): Promise<void> => assertAccessible(page, `${what}, ${colorScheme}`);
      for (const id of Object.keys(views)) {
        await page.goto(urlOf(id));
        await assertFine(id);
        const mayBePaid = ['open', 'range', 'longest', 'expired'].includes(id);
        assert.equal(await page.locator('.until').isVisible(), mayBePaid, id);
      }
      await page.goto(urlOf());
      const { pay } = fake;
      fake.pay = () => ({ status: 422, body: { message: 'You have 3.20 USDC; this payment needs 25.00.' } });
      await page.getByRole('button', { name: 'Test Wallet' }).click();
      await page.getByText('You have 3.20 USDC').waitFor();
      await assertFine('refused');
      fake.pay = pay;
      await page.getByRole('button', { name: 'Test Wallet' }).click();
      await page.getByText('Approve in Test Wallet').waitFor();
      await assertFine('waiting for the wallet');
      await page.getByRole('button', { name: 'Choose another way to pay' }).click();
      await page.getByRole('button', { name: 'Two' }).click();
      await waitForPhase(page, 'account');
      await assertFine('several accounts');
      await page.getByRole('button', { name: '9WzD' }).click();
      await waitForPhase(page, 'sent');
      assert.equal(
        await page.getByRole('button').count(),
        0,
        'a payment that is sent offers no account to pay it again',
      );
      await assertFine('sent');
      show({ payments: [{ ...paid, commitment: 'confirmed', flaw: 'too_little' }] });
      await waitForPhase(page, 'flawed');
      await assertFine('does not count');
      show({ state: 'paid', payments: [samplePayment] });
      await waitForPhase(page, 'taken');
      await assertFine('paid by another');
      assert.deepEqual(
        faults.filter((fault) => !fault.includes('422')),
        [],
      );
      await page.goto(urlOf('unknown'));
      await assertFine('unknown link');
      fake.failWith = 429;
      await page.goto(urlOf());
      await assertFine('too many requests');
    });
  }

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
