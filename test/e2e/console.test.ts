import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { startBrowser } from '../setup/browser.ts';
import { assertAccessible, openPay } from '../setup/pay-browser.ts';
import { startLinkService } from './link-service.ts';

const browser = await startBrowser(test);
const { service, ledger } = await startLinkService(test);
const slotsToFinality = 33;

describe('the console', () => {
  it('opens filled in, and its transfer lands and becomes final by three clicks', async () => {
    const { page, faults } = await openPay(browser, `${service.url}/`);
    await page.getByRole('button', { name: 'Build the transaction' }).click();
    await page.getByText('alice pays bob 1.5 USDC.').waitFor();
    await page.getByText(/^Can land for about 1[0-9]{2} more blocks/).waitFor();
    await page.getByRole('button', { name: 'Sign as alice and send' }).click();
    await page.locator('[data-step="confirmed"]').waitFor();
    ledger.advanceSlots(slotsToFinality);
    await page.getByText(/^It landed in slot [0-9]+, and is final\.$/).waitFor();
    await assertAccessible(page, 'final');
    assert.deepEqual(faults, []);
  });
});

describe('the path /', () => {
  it('is there for browsers alone, and only where pages are on', async (t) => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const statusOf = async (url: string, headers = {}): Promise<number> => (await fetch(url, { headers })).status;
    assert.equal(await statusOf(service.url, { accept }), 200);
    assert.equal(await statusOf(service.url), 404);
    const off = await startLinkService(t, { PAGES: 'off' });
    assert.equal(await statusOf(off.service.url, { accept }), 404);
  });
});
