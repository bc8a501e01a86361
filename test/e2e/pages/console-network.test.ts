import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startBrowser } from '../../setup/browser.ts';
import { openPay } from '../../setup/pay-browser.ts';
import { startTestService } from '../../setup/service.ts';
import { startLinkService } from '../links/link-service.ts';

const browser = await startBrowser(test);
const { service: network, alice, bob, usdc, walletOf } = await startLinkService(test);

describe('the console of a service without a sandbox of its own', () => {
  it('is empty, asks for a key, and sends by a wallet alone', async (t) => {
    const { databaseUrl, store } = await newKeyStore(t);
    const { key } = await store.create({ name: 'test', expiresAt: null });
    const service = await startTestService(t, {
      SOLANA_RPC_URLS: network.sandbox.rpcUrl,
      DATABASE_URL: databaseUrl,
      PAGES: 'on',
    });
    const { page, faults } = await openPay(browser, service.url, { wallets: [walletOf(alice)] });
    for (const name of ['from_address', 'to_address', 'amount_decimal']) {
      assert.equal(await page.locator(`#${name}`).inputValue(), '');
    }
    assert.equal(await page.getByLabel('API key').inputValue(), '');
    const build = (): Promise<void> => page.getByRole('button', { name: 'Build the transaction' }).click();
    await build();
    await page.locator('#api-key-fault').getByText('Paste your API key here.').waitFor();
    await page.getByLabel('API key').fill(key);
    await build();
    await page.locator('#from_address-fault').getByText('from_address is missing.').waitFor();
    await page.locator('#from_address').fill(alice.address);
    await page.locator('#to_address').fill(bob.address);
    await page.locator('#token_mint_address').fill(usdc);
    await page.locator('#amount_decimal').fill('0.000042');
    await build();
    await page.getByText(/^FeX3…jvDn pays 7Py7…riFu 0\.000042 USDC\.$/).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Sign as/ }).count(), 0);
    await page.getByRole('button', { name: 'Sign and send with Test Wallet' }).click();
    await page.locator('[data-step="final"]').waitFor();
    const refusals = faults.filter((fault) => !/status of 40[01]/.test(fault));
    assert.deepEqual(refusals, []);
  });

  it('is not there unless it is asked for', async (t) => {
    const service = await startTestService(t, { SOLANA_RPC_URLS: network.sandbox.rpcUrl });
    const headers = { accept: 'text/html' };
    assert.equal((await fetch(service.url, { headers })).headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal((await fetch(`${service.url}/docs`, { headers })).status, 404);
  });
});
