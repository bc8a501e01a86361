import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startBrowser } from '../../setup/browser.ts';
import { assertAccessible, assertFits, openPay, waitForPhase } from '../../setup/pay-browser.ts';
import { startTestService } from '../../setup/service.ts';
import { LinkClient, startLinkService, unhurried } from '../links/link-service.ts';

const browser = await startBrowser(test);
const { client, service, ledger, world, alice, carol, body } = await startLinkService(test, unhurried);
const slotsToFinality = 33;
const widths = [375, 768, 1440];

const payAs = (page: Page, name: string) => page.getByRole('button', { name: `Pay as ${name}` });

/** Waits until the network has confirmed the payment, and lets it become final where that takes slots. */
async function waitUntilFinal(page: Page): Promise<void> {
  await page.waitForSelector('main:is([data-phase="confirmed"], [data-phase="final"])', { timeout: 60_000 });
  ledger.advanceSlots(slotsToFinality);
  await waitForPhase(page, 'final');
}

/** Asserts that axe finds nothing, and that the page fits a phone, a tablet and a desk. */
async function assertFine(page: Page, what: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    if (width === widths[0]) await assertAccessible(page, what);
    else await assertFits(page, `${what}, ${width}`);
  }
}

/** Presses Tab until an element has the focus, as the payer who has no mouse does. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 20; presses += 1) {
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not lead to ${selector}`);
}

describe('the page of a payment link on the sandbox', () => {
  it('is paid as alice by keyboard alone, without a wallet, and looked at in every state: light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const made = await client.create({ ...body, memo: `table ${colorScheme}`, redirect: 'https://shop.example/' });
      const { page, context, faults } = await openPay(browser, made.url, { colorScheme });
      await payAs(page, 'alice').waitFor();
      await assertFine(page, `open, ${colorScheme}`);
      await tabTo(page, '#pay-as');
      await page.keyboard.press('Enter');
      await waitUntilFinal(page);
      await page.getByRole('heading', { name: 'You paid 1.50 USDC' }).waitFor();
      await assertFine(page, `paid, ${colorScheme}`);
      // Where the payer's eye is, the next key leads on.
      assert.equal(await page.evaluate('document.activeElement.id'), 'status');
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Continue to shop.example');
      const paid = await client.readUntil(made.id, ({ is_final }) => is_final);
      assert.deepEqual([paid.payer, paid.signature], [alice.address, await page.locator('#signature').textContent()]);
      assert.deepEqual(faults, []);
      await context.close();
    }
  });

  it('takes the amount that is typed, and the wallet that is chosen, by keyboard alone', async () => {
    const { amount: _, ...others } = body;
    const made = await client.create({ ...others, amount_min: '1000000', amount_max: '5000000', single_use: false });
    const { page, faults } = await openPay(browser, made.url);
    await payAs(page, 'alice').waitFor();
    await tabTo(page, '#chosen');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('1,000');
    await page.getByText('1,000 can mean 1000 or 1.').waitFor();
    assert.equal(await payAs(page, 'alice').isVisible(), false);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('2.25');
    await page.locator('#code img[src$="amount=2.25"]').waitFor();
    await tabTo(page, '#sandbox-wallet');
    await page.keyboard.press('c');
    await payAs(page, 'carol').waitFor();
    await page.keyboard.press('Home');
    await payAs(page, 'alice').waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await waitUntilFinal(page);
    await page.getByRole('heading', { name: 'You paid 2.25 USDC' }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('says to a wallet without tokens what it says to any other, and can be paid by the next one', async () => {
    const made = await client.create(body);
    const { page } = await openPay(browser, made.url);
    await page.getByLabel('Wallet of the sandbox').selectOption(carol.address);
    await payAs(page, 'carol').click();
    await page.getByRole('alert').getByText('You have no USDC. Get some first, or use another wallet.').waitFor();
    await assertFine(page, 'refused');
    await page.getByLabel('Wallet of the sandbox').selectOption(alice.address);
    await payAs(page, 'alice').click();
    await waitUntilFinal(page);
  });

  it('signs nothing that is not what the page says, and sends nothing', async () => {
    const made = await client.create(body);
    const other = await client.pay((await client.create({ ...body, amount: '900000000' })).id, alice.address);
    const { page } = await openPay(browser, made.url);
    await page.route('**/pay/*', (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const { transaction, message } = other;
      return route.fulfill({ json: { transaction, message }, headers: Object.fromEntries(other.headers) });
    });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await payAs(page, 'alice').click();
    await page.getByRole('alert').getByText('The transaction does not do what this page says.').waitFor();
    const [rpcUrl, worldUrl] = [service.sandbox.rpcUrl, `${service.url}/sandbox/world`];
    assert.deepEqual(
      asked.filter((url) => url.startsWith(rpcUrl) || url === worldUrl),
      [],
    );
    assert.equal((await client.read(made.id)).state, 'open');
  });

  it('says why a phone cannot read its code, unless PUBLIC_URL is an address of the network', async (t) => {
    const made = await client.create(body);
    const { page } = await openPay(browser, made.url);
    await page.getByText('A phone cannot open 127.0.0.1, which is this computer. Set PUBLIC_URL').waitFor();
    const reached = await startLinkService(t, { PUBLIC_URL: 'https://pay.example' });
    const { id } = await reached.client.create(reached.body);
    await page.goto(`${reached.service.url}/pay/${id}`);
    await page.getByText('Scan with the wallet on your phone').waitFor();
    assert.equal(await page.getByText('A phone cannot open').count(), 0);
    await payAs(page, 'alice').waitFor();
  });

  it('has no wallet of the sandbox on a real network: no button, no key, nothing that it may connect to', async (t) => {
    const { databaseUrl, store } = await newKeyStore(t);
    const { key } = await store.create({ name: 'test', expiresAt: null });
    const real = await startTestService(t, {
      SOLANA_RPC_URLS: service.sandbox.rpcUrl,
      DATABASE_URL: databaseUrl,
      PUBLIC_URL: 'http://localhost:3000',
    });
    const { id } = await new LinkClient(real.url, key).create(body);
    const replyOf = (url: string): Promise<Response> => fetch(url, { headers: { accept: 'text/html' } });
    const connections = (reply: Response): string | undefined =>
      /connect-src [^;]*/.exec(reply.headers.get('content-security-policy') ?? '')?.[0];
    const reply = await replyOf(`${real.url}/pay/${id}`);
    const page = await reply.text();
    assert.equal(connections(reply), "connect-src 'self'");
    for (const secret of ['Pay as', 'alice', 'sandbox-', service.sandbox.rpcUrl, alice.address, alice.secret_key])
      assert.ok(!page.includes(secret), secret);
    assert.equal((await replyOf(`${real.url}/sandbox/world`)).status, 404);
    const opened = await openPay(browser, `${real.url}/pay/${id}`);
    const loaded: string[] = await opened.page.evaluate(
      `performance.getEntriesByType('resource').map(({ name }) => name)`,
    );
    assert.deepEqual(
      loaded.filter((name) => /sandbox|signing/.test(name)),
      [],
    );
    // The page of the sandbox has what is looked for: the test can fail.
    const sandboxReply = await replyOf((await client.create(body)).url);
    assert.equal(connections(sandboxReply), `connect-src 'self' ${service.sandbox.rpcUrl}`);
    const sandboxPage = await sandboxReply.text();
    assert.ok(sandboxPage.includes('Pay as alice'));
    for (const { secret_key: secret } of world.wallets)
      assert.ok(!sandboxPage.includes(secret), 'keys come when one signs');
  });
});
