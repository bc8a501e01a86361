import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { VersionedTransaction } from '@solana/web3.js';
import type { Page } from 'playwright-core';
import { sandboxApiKey, unrestricted } from '../../../packages/server/src/keys/authenticated-key.ts';
import { openKeyStore } from '../../../packages/server/src/serve/store/open-key-store.ts';
import { startBrowser } from '../../setup/browser.ts';
import { openPay } from '../../setup/pay-browser.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { readUntil } from '../../setup/wait-until.ts';
import { startLinkService } from '../links/link-service.ts';

const databaseUrl = `sqlite:${temporaryFolder(test)}/keys.db`;
const browser = await startBrowser(test);
const { service, ledger, alice, bob, usdc, walletOf } = await startLinkService(test, {
  DATABASE_URL: databaseUrl,
});

const open = (form: string, options = {}) =>
  openPay(browser, `${service.url}/?form=${form}`, { permissions: ['clipboard-read', 'clipboard-write'], ...options });
const build = (page: Page): Promise<void> => page.locator('#form [type="submit"]').click();
const rowsOf = (page: Page) =>
  page
    .locator('.records')
    .getByRole('button')
    .filter({ has: page.locator('time') });
const _copied = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');

/** Signs as alice and sends, and waits until her transaction is confirmed. */
async function send(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign as alice and send' }).click();
  await page.locator('[data-outcome="landed"]').waitFor();
}

describe('the transfers and batches that a browser has sent', () => {
  it('are listed with their state and lead to their outcome, also after a reload, until they are cleared', async () => {
    const { page, context, faults } = await open('transfer');
    await page.locator('#memo').fill('for your eyes only');
    await build(page);
    assert.equal(await rowsOf(page).count(), 0, 'what was built alone');
    await send(page);
    await page.getByRole('row', { name: 'alice 1\u202f000\u202f000 999\u202f998.5' }).waitFor();
    await page.getByRole('row', { name: 'bob 0 1.5' }).waitFor();
    const row = rowsOf(page).filter({ hasText: '1.5 USDC from alice to bob' });
    await row.getByText(/^(?:landed|final)$/).waitFor();
    // As one is kept while no node says which network it is.
    await page.evaluate(
      "localStorage['splwright recent'] = localStorage['splwright recent'].replace('solana:localnet', '')",
    );
    await page.reload();
    await row.click();
    await page.getByText('It landed.', { exact: true }).waitFor();
    await row.getByText('final', { exact: true }).waitFor();
    // Nothing needs to be asked any more, in a tab that never had the bytes.
    const other = await context.newPage();
    await other.goto(`${service.url}/?form=outcome`);
    await rowsOf(other).first().click();
    await other.getByText('1.5 USDC from alice to bob.', { exact: true }).waitFor();
    assert.equal(await other.locator('.terms .address').count(), 2, 'the signature and the recipient');

    const kept = String(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])'));
    assert.ok(kept.includes('1.5 USDC') && !kept.includes(sandboxApiKey) && !kept.includes('eyes only'));
    assert.ok(!kept.includes(Buffer.from('for your eyes only').toString('base64').slice(2, 20)), 'nor its bytes');
    await other.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('Payments you send appear here.').waitFor();
    assert.equal(await other.evaluate('document.activeElement.textContent'), 'Recent in this browser');
    assert.equal(await page.evaluate('localStorage.length'), 0);
    assert.deepEqual(faults, []);
    await context.close();
  });

  it('have none that the user of a wallet has refused, and each that may have been sent', async () => {
    let answer = new Error('User rejected.');
    const wallet = { name: 'Moody', accounts: [alice.address], send: () => Promise.reject(answer) };
    const { page, context } = await open('transfer', { wallets: [wallet, walletOf(alice)] });
    await build(page);
    const ask = page.getByRole('button', { name: 'Sign and send with Moody' });
    await ask.click();
    await page.getByRole('alert').getByText('User rejected.').waitFor();
    assert.equal(await rowsOf(page).count(), 0);
    answer = new Error('The connection was lost.');
    await ask.click();
    await page.getByRole('alert').getByText('The connection was lost.').waitFor();
    // Another press could be another transaction.
    assert.equal(await page.getByRole('button', { name: /^Sign/ }).count(), 0);
    await page.getByText('It may have been sent.').waitFor();
    await rowsOf(page).getByText('sent', { exact: true }).waitFor();
    // Its outcome is asked for, and comes when the next transfer is shown.
    const built = Promise.withResolvers<void>();
    await page.route('**/v1/transfers/outcome', (route) => built.promise.then(() => route.continue()));
    await rowsOf(page).click();
    await build(page);
    await ask.waitFor();
    const late = page.waitForResponse((reply) => reply.url().endsWith('/outcome'));
    built.resolve();
    await (await late).finished();
    await page.evaluate('new Promise(requestAnimationFrame)');
    assert.equal(await ask.count(), 1, 'what can be signed is not taken away');
    const again = await context.newPage();
    await page.close();
    await again.goto(`${service.url}/?form=transfer`);
    await rowsOf(again).click();
    await again.getByText(/^Only the tab that sent it still has the bytes\./).waitFor();
    await context.close();
  });
});

describe('a browser that keeps nothing', () => {
  it('sends all the same', async () => {
    const { page, context, faults } = await open('transfer');
    await context.addInitScript(`for (const area of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, area, { get() { throw new DOMException('The operation is insecure.', 'SecurityError'); } });`);
    await page.reload();
    await build(page);
    await send(page);
    assert.deepEqual(faults, []);
    await context.close();
  });
});

describe('what a wallet sends late', () => {
  it('is judged by the newest block, though the page shows something else by then', async () => {
    const asked = Promise.withResolvers<void>();
    const approved = Promise.withResolvers<void>();
    const usual = walletOf(alice);
    const send = async ({ transaction }: { transaction: Uint8Array }) => {
      asked.resolve();
      await approved.promise;
      const renewed = VersionedTransaction.deserialize(transaction);
      renewed.message.recentBlockhash = ledger.latestBlockhash().blockhash;
      return usual.send({ transaction: renewed.serialize() });
    };
    const { page, context } = await open('transfer', { wallets: [{ ...usual, send }] });
    await page.getByLabel(/^Amount, in whole tokens/).fill('8.125');
    await build(page);
    await page.getByRole('button', { name: 'Sign and send with Test Wallet' }).click();
    await asked.promise;
    ledger.advanceSlots(340);
    await page.waitForResponse(
      async (reply) => Object(await reply.json().catch(() => ({}))).data?.outcome === 'expired',
    );
    const row = rowsOf(page).first();
    await row.click();
    await page.getByText(/^(?:It can still land\.|A wallet was asked to send it and has not answered\.)/).waitFor();
    const looked = page.waitForResponse((reply) => reply.url().endsWith('/outcome'));
    approved.resolve();
    await looked;
    const told = async () => {
      await row.click();
      return page.locator('#reply .sentence').textContent();
    };
    await readUntil(told, (title) => title === 'It landed.', 20_000);
    await context.close();
  });

  it('is not what a wallet was never asked for', async () => {
    const { page, context } = await open('transfer', { wallets: [walletOf(bob)] });
    await build(page);
    const sign = page.getByRole('button', { name: 'Sign and send with Test Wallet' });
    await sign.click();
    await page.getByRole('alert').getByText('Test Wallet has not shared the account').waitFor();
    assert.equal(await rowsOf(page).count(), 0);
    assert.equal(await sign.isEnabled(), true);
    await context.close();
  });
});

describe('the usage of a key', () => {
  it('is what it is limited to and what is left today, of the key that is typed', async (t) => {
    const store = await openKeyStore(databaseUrl);
    t.after(() => store.close());
    const amounts = new Map([[usdc, { perTransfer: 2_000_000n, perDay: 4_000_000n }]]);
    const restrictions = { ...unrestricted, toAddresses: new Set([bob.address]), amounts };
    const made = await store.create({ name: 'app', expiresAt: null, rateLimitPerMinute: 60, restrictions });
    const payment = {
      from_address: alice.address,
      to_address: bob.address,
      token_mint_address: usdc,
      amount: '1000000',
    };
    const built = await service.post('/v1/transfers', payment, { authorization: `Bearer ${made.key}` });
    assert.equal(built.status, 200);
    const { page, context, faults } = await open('transfer');
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('Requests with the sandbox key are not counted.').waitFor();
    await page.getByLabel('API key').fill(made.key);
    await page.getByLabel('API key').press('Tab');
    await page.getByText('app', { exact: true }).waitFor();
    await page.getByText(/^60 requests per minute: 5[0-9] left for the next [0-9]+ s$/).waitFor();
    await page.getByText('up to 3 seconds ago; newer requests may be missing').waitFor();
    await page.getByText('3 of 4 USDC left today').waitFor();
    await page.getByText('2 USDC in one transfer').waitFor();
    await page.getByText('1 wallet', { exact: true }).waitFor();
    assert.equal(await page.getByText(bob.address).count(), 0);
    assert.deepEqual(faults, []);
    await page.getByLabel('API key').fill('swk_wrong');
    await build(page);
    await page.locator('#api-key-fault').getByText('checksum').waitFor();
    await context.close();
  });
});
