import { test } from 'node:test';
import { startBrowser } from '/work/h/clipages/test/setup/browser.ts';
import { openPay } from '/work/h/clipages/test/setup/pay-browser.ts';
import { startLinkService } from '/work/h/clipages/test/e2e/links/link-service.ts';
test('shots', async (t) => {
  const browser = await startBrowser(t);
  const { service, client, body } = await startLinkService(t);
  for (const [width, height] of [[375, 800], [1280, 720], [1440, 900]] as const) {
    const { page, context } = await openPay(browser, service.url, { viewport: { width, height } });
    await page.getByText('The same in curl').click();
    await page.getByRole('region', { name: 'The request in curl' }).getByText('"amount_decimal"').waitFor();
    await page.screenshot({ path: `/tmp/shot-${width}.png`, fullPage: true });
    await context.close();
  }
  const made = await client.create(body);
  const { page } = await openPay(browser, made.url, { viewport: { width: 375, height: 800 } });
  await page.screenshot({ path: '/tmp/shot-pay.png', fullPage: true });
});
