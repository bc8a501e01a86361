import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { startBrowser } from '../../setup/browser.ts';
import { openPay } from '../../setup/pay-browser.ts';
import { startTestService } from '../../setup/service.ts';
import { startWebhookReceiver } from '../../setup/webhook-receiver.ts';

const browser = await startBrowser(test);

describe('the webhooks of the console', () => {
  it('are made with a secret that is shown once, tested, sent again and deleted', async (t) => {
    const { url } = await startTestService(t);
    const receiver = await startWebhookReceiver(t, [500, 204]);
    const { page, faults } = await openPay(browser, `${url}/?form=webhook`);
    const reply = page.locator('#reply');
    const row = (name: RegExp) => page.locator('.records').getByRole('button', { name });
    await page.getByText('No endpoints yet.').waitFor();
    await page.getByLabel('URL url').fill('shop.example');
    await page.getByRole('button', { name: 'Add the endpoint' }).click();
    await page.locator('#url-fault').getByText('url').waitFor();
    await page.getByLabel('URL url').fill(receiver.url);
    await page.getByText('Options').click();
    await page.getByLabel('payment_link.paid').check();
    await page.getByRole('button', { name: 'Add the endpoint' }).click();
    await page.getByText('Save the secret now. It is not shown again.').waitFor();
    await reply
      .getByText(/^whsec_/)
      .first()
      .waitFor();
    await reply.getByText('payment_link.paid', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('webhook.test: Not delivered yet.').waitFor();
    await reply.getByText(/: status 500, \d+ ms$/).waitFor();
    await row(/failing/).waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('webhook.test: Delivered.').waitFor();
    await reply.getByText(/: status 204, \d+ ms$/).waitFor();
    await row(/^webhook\.test delivered/).waitFor();

    await page.reload();
    await row(/enabled/).click();
    await page.getByText('Enabled. Events are sent to it.').waitFor();
    assert.equal(await page.getByText(/whsec_/).count(), 0);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No more events are sent to').waitFor();
    await page.getByText('No endpoints yet.').waitFor();
    await page.getByLabel('API key').fill('');
    await page.getByLabel('API key').press('Tab');
    await page.getByText('Enter your API key at the top of this page.').first().waitFor();
    assert.deepEqual(
      faults.filter((fault) => !/status of 400/.test(fault)),
      [],
    );
  });
});
