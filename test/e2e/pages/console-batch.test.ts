import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Page } from 'playwright-core';
import { freshWallet } from '../../../packages/core/test/fixtures.ts';
import { startBrowser } from '../../setup/browser.ts';
import { openPay } from '../../setup/pay-browser.ts';
import { startLinkService } from '../links/link-service.ts';

const browser = await startBrowser(test);
const { service, ledger, alice, usdc, land, walletOf } = await startLinkService(test);
const url = `${service.url}/?form=batch`;
const buildAll = (page: Page): Promise<void> => page.getByRole('button', { name: 'Build the transactions' }).click();

const isRpc = ({ origin }: URL): boolean => origin === service.sandbox.rpcUrl;

/** Addresses that have no token account yet: each costs a transaction much room. */
const strangers = (count: number): readonly string[] => Array.from({ length: count }, freshWallet);
const balanceOf = async (owner: string): Promise<string> => {
  const call = { jsonrpc: '2.0', id: 1, method: 'getTokenAccountsByOwner' };
  const params = [owner, { mint: usdc }, { encoding: 'jsonParsed', commitment: 'confirmed' }];
  const reply = await fetch(service.sandbox.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...call, params }),
  });
  const { result } = Object(await reply.json());
  return result.value.map((each: unknown) => Object(each).account.data.parsed.info.tokenAmount.amount).join();
};

describe('a batch in the console', () => {
  it('is filled in, lands, and is final', async () => {
    const { page, faults } = await openPay(browser, url);
    const sum = '3 payments to 3 wallets, 7.5 tokens in all, 3 memos';
    await page.locator('.table-bar').getByText(sum).waitFor();
    await buildAll(page);
    await page.getByText('alice pays 7.5 USDC to 3 recipients in one transaction.').waitFor();
    const reply = page.getByRole('region', { name: 'Reply' });
    await reply.getByText(sum).click();
    await reply.getByText(/^1\.5 USDC to bob .* salary of bob$/).waitFor();
    await page.getByRole('button', { name: 'Sign as alice and send' }).click();
    await page.getByText('All recipients are paid. This is final.').waitFor();
    assert.equal(await page.evaluate('document.querySelector("progress").position'), 1);
    assert.equal(await page.evaluate('localStorage.getItem("splwright batch")'), null);
    assert.deepEqual(faults, []);
  });

  it('goes on after a reload in the middle, and pays nobody twice', async () => {
    const { page, context } = await openPay(browser, url);
    const recipients = strangers(30);
    const rows = recipients.map((address, index) => `${address},${1_000 + index}`);
    await page.getByLabel('Recipients transfers').fill(['to_address,amount', ...rows].join('\n'));
    await buildAll(page);
    await page.getByText(/alice pays .* to 30 recipients in [3-9] transactions\./).waitFor();
    // The page is closed while its second transaction is on its way.
    let sent = 0;
    await context.route(isRpc, (route) => {
      if (route.request().method() === 'POST') sent += 1;
      return sent < 2 ? route.continue() : undefined;
    });
    await page.getByRole('button', { name: 'Sign as alice and send' }).click();
    await page.getByText(/^1 of [3-9] landed/).waitFor();
    await page.close();
    await context.unroute(isRpc);
    const again = await context.newPage();
    await again.goto(url);
    await again.getByText('A batch of 30 recipients is under way.').waitFor();
    await buildAll(again);
    await again.getByRole('alert').getByText('A batch is under way').waitFor();
    await again.getByRole('button', { name: 'Resume' }).click();
    // What the browser held back may have left it when the page was closed.
    await again.getByText(/more are already paid/).waitFor();
    await again.getByRole('button', { name: 'Sign as alice and send' }).click();
    await again.getByText('All recipients are paid. This is final.').waitFor();
    const balances = await Promise.all(recipients.map(balanceOf));
    assert.deepEqual(
      balances,
      recipients.map((_, index) => String(1_000 + index)),
    );
  });

  it('never hands a wallet again what it may have sent, since it could sign another transaction', async () => {
    const asked: string[] = [];
    const [first, third] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const usual = walletOf(alice);
    const wallet = {
      ...usual,
      send: async (sent: { transaction: Uint8Array }) => {
        asked.push(Buffer.from(sent.transaction).toString('base64'));
        if (asked.length === 3) third.resolve();
        // By now a batch is under way in this browser, and the page has still to load what stands beside its form.
        first.resolve();
        if (asked.length === 1) await page.getByText('The same in curl').waitFor();
        const signature = await usual.send(sent);
        // The second one lands, and its page never learns of it.
        if (asked.length === 2) await new Promise(() => undefined);
        return signature;
      },
    };
    const { page, context } = await openPay(browser, 'about:blank', { wallets: [wallet] });
    await context.route('**/samples.ts', (route) => first.promise.then(() => route.continue()));
    await page.goto(url);
    const recipients = strangers(30);
    const rows = recipients.map((address) => `${address},55`);
    await page.getByLabel('Recipients transfers').fill(['to_address,amount', ...rows].join('\n'));
    await buildAll(page);
    await page.getByRole('button', { name: 'Sign and send with Test Wallet' }).click();
    await page.getByText(/^2 of [3-9] landed/).waitFor();
    await page.close();
    // Before the page learns what has landed, the wallet is asked.
    await context.route('**/v1/transfers/outcome', async (route) => {
      await third.promise;
      await route.continue();
    });
    const again = await context.newPage();
    await again.goto(url);
    await again.getByRole('button', { name: 'Resume' }).click();
    await again.getByRole('button', { name: 'Sign and send with Test Wallet' }).click();
    await again.getByText('All recipients are paid. This is final.').waitFor();
    assert.equal(new Set(asked).size, asked.length);
    assert.deepEqual(
      await Promise.all(recipients.map(balanceOf)),
      recipients.map(() => '55'),
    );
  });

  it('is the only one under way in a browser, and hands each transaction to a wallet in one of its tabs', async () => {
    let asked = 0;
    const second = Promise.withResolvers<void>();
    const usual = walletOf(alice);
    const send = (sent: { transaction: Uint8Array }) => {
      asked += 1;
      if (asked === 1) return usual.send(sent);
      second.resolve();
      return new Promise<Uint8Array>(() => undefined);
    };
    const wallet = { ...usual, send };
    const { page, context } = await openPay(browser, url, { wallets: [wallet] });
    const [same, another] = [await context.newPage(), await context.newPage()];
    const [rows, others] = [strangers(30), strangers(1)].map((addresses) =>
      ['to_address,amount', ...addresses.map((address) => `${address},77`)].join('\n'),
    );
    for (const [tab, text = ''] of [
      [page, rows],
      [same, rows],
      [another, others],
    ] as const) {
      if (tab !== page) await tab.goto(url);
      await tab.getByLabel('Recipients transfers').fill(text);
      await buildAll(tab);
    }
    const sign = (tab: Page) => tab.getByRole('button', { name: 'Sign and send with Test Wallet' }).click();
    // This tab never learns of the chain what the other one has sent.
    await same.route('**/v1/transfers/outcome', () => undefined);
    await sign(page);
    await second.promise;
    const alert = same.getByRole('alert').getByText('Another tab has handed this transaction to a wallet.');
    for (let part = 0; part < 2; part += 1) {
      await sign(same);
      await alert.waitFor();
    }
    await sign(another);
    await another.getByRole('alert').getByText('Another batch is under way in this browser.').waitFor();
    assert.equal(asked, 2);
    await context.close();
  });

  it('does not build again what a wallet still asks for, nor hands it what has expired', async () => {
    const asked: Uint8Array[] = [];
    const first = Promise.withResolvers<void>();
    const rejected = Promise.withResolvers<Uint8Array>();
    const usual = walletOf(alice);
    const wallet = {
      ...usual,
      send: async (sent: { transaction: Uint8Array }) => {
        asked.push(sent.transaction);
        first.resolve();
        return asked.length === 1 ? rejected.promise : usual.send(sent);
      },
    };
    const { page, context } = await openPay(browser, url, { wallets: [wallet] });
    const recipients = strangers(30);
    const rows = recipients.map((address) => `${address},66`);
    await page.getByLabel('Recipients transfers').fill(['to_address,amount', ...rows].join('\n'));
    await buildAll(page);
    await page.getByRole('button', { name: 'Sign and send with Test Wallet' }).click();
    await first.promise;
    ledger.advanceSlots(340);
    await page.getByText(/^Transaction 2: .* expired$/).waitFor();
    const again = page.getByRole('button', { name: 'Rebuild the rest' });
    assert.equal(await again.isVisible(), false);
    await page.getByText(/^Transaction 1: .* sent$/).waitFor();
    rejected.reject(new Error('User rejected.'));
    await page.getByText(/^Transaction 1: .* expired$/).waitFor();
    await page.getByText('First reject any request that is still open in your wallet.').waitFor();
    assert.equal(asked.length, 1);
    const rebuilt = page.waitForResponse((reply) => reply.url().endsWith('/batch'));
    await again.click();
    await rebuilt;
    await page
      .getByText(/^Transaction 1: .* expired$/)
      .first()
      .waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Sign and send with Test Wallet' }).click();
    await page.getByText('All recipients are paid. This is final.').waitFor();
    assert.deepEqual(
      await Promise.all(recipients.map(balanceOf)),
      recipients.map(() => '66'),
    );
    await context.close();
  });

  it('builds the rest again when a part can never land any more', async () => {
    const { page } = await openPay(browser, url);
    const recipients = strangers(30);
    const rows = recipients.map((address) => `${address},77`);
    await page.getByLabel('Recipients transfers').fill(['to_address,amount', ...rows].join('\n'));
    const replied = page.waitForResponse((reply) => reply.url().endsWith('/batch'));
    await buildAll(page);
    const { data } = Object(await (await replied).json());
    await land(data.transactions[0].transaction, alice);
    await page.getByText(/^1 of [3-9] landed/).waitFor();
    ledger.advanceSlots(340);
    await page.getByRole('button', { name: 'Rebuild the rest' }).click();
    await page.getByText(/more are already paid\.$/).waitFor();
    await page.getByRole('button', { name: 'Sign as alice and send' }).click();
    await page.getByText('All recipients are paid. This is final.').waitFor();
    assert.deepEqual(
      await Promise.all(recipients.map(balanceOf)),
      recipients.map(() => '77'),
    );
  });
});
