import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startBrowser } from '../../setup/browser.ts';
import { assertAccessible, openPay, readQrCode, waitForPhase } from '../../setup/pay-browser.ts';
import { startTestService } from '../../setup/service.ts';
import { LinkClient, startLinkService, unhurried } from '../links/link-service.ts';

const browser = await startBrowser(test);
const { client, service, world, alice, body, walletOf } = await startLinkService(test, unhurried);

const payAsAlice = (page: Page) => page.getByRole('button', { name: 'Pay as alice' });

describe('a browser that opens a payment link', () => {
  it('reads its QR code, pays it with a wallet, and sees the payment become final', async () => {
    const made = await client.create({ ...body, message: 'Two cups', memo: 'table 7' });
    const { page, faults } = await openPay(browser, made.url, { wallets: [walletOf(alice)] });
    assert.equal(await readQrCode(page), made.solana_pay_url);
    await page.getByText('Sandbox: test tokens with no value').waitFor();
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await waitForPhase(page, 'final');
    await page.getByRole('heading', { name: /^You paid 1\.50 / }).waitFor();
    const paid = await client.readUntil(made.id, ({ is_final }) => is_final);
    assert.equal(await page.locator('#signature').textContent(), paid.signature);
    assert.equal(await page.locator('#payer').textContent(), alice.address);
    assert.deepEqual(faults, []);
    await assertAccessible(page, 'paid');
  });

  it('pays the amount that it has chosen', async () => {
    const { amount: _, ...others } = body;
    const made = await client.create({ ...others, amount_min: '1000000', amount_max: '5000000', single_use: false });
    const { page, faults } = await openPay(browser, made.url, { wallets: [walletOf(alice)] });
    await page.getByLabel(/^Amount in /).fill('2,25');
    await page.locator('#code img[src$="amount=2.25"]').waitFor();
    assert.equal(await readQrCode(page), `solana:${encodeURIComponent(`${made.url}?amount=2.25`)}`);
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await waitForPhase(page, 'final');
    await page.getByRole('heading', { name: /^You paid 2\.25 / }).waitFor();
    const paid = await client.readUntil(made.id, ({ payments }) => payments.length > 0);
    assert.deepEqual([paid.state, paid.payments[0]?.amount], ['open', '2250000']);
    assert.deepEqual(faults, []);
  });

  it('learns what keeps its wallet from paying, and when the link is canceled', async () => {
    const made = await client.create({ ...body, amount: '900000000000000' });
    const { page } = await openPay(browser, made.url, { wallets: [walletOf(alice)] });
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page
      .getByRole('alert')
      .getByText(/^You have .+; this payment needs .+\.$/)
      .waitFor();
    await waitForPhase(page, 'open');
    await client.cancel(made.id);
    await waitForPhase(page, 'cancelled');
  });

  it('learns that an attempt on a phone was refused, and not what that wallet holds', async () => {
    const made = await client.create({ ...body, amount: '900000000000000' });
    const { page } = await openPay(browser, made.url);
    const reply = await client.askToPay(made.id, alice.address);
    assert.equal(reply.status, 422);
    const ends = `${alice.address.slice(0, 4)}…${alice.address.slice(-4)}`;
    const shown = page.getByText(`The wallet ${ends} was refused at `);
    await shown.waitFor();
    assert.match((await shown.textContent()) ?? '', /at \d\d:\d\d\. It has too little USDC\.$/);
  });

  it('has a preview for the robots of chats, and JSON for those that take anything', async () => {
    const made = await client.create(body);
    const ask = (agent: string) => fetch(made.url, { headers: { 'user-agent': agent } });
    const [preview, wallet] = [await ask('WhatsApp/2.23.20.0 A'), await ask('okhttp/4.12.0')];
    assert.match(await preview.text(), /<meta property="og:title" content="Pay 1\.50 USDC to Tea house">/);
    const { title, label, description, icon } = Object(await wallet.json());
    assert.deepEqual([title, label], ['Tea house (sandbox)', 'Tea house']);
    assert.match(description, /^Sandbox: test tokens with no value · 1\.50 USDC to Tea house/);
    assert.equal(
      (await fetch(icon.replace(/^.*\/pay\//, `${service.url}/pay/`))).headers.get('content-type'),
      'image/svg+xml',
    );
    assert.equal(preview.headers.get('vary'), 'Accept, User-Agent');
    const none = await fetch(`${service.url}/pay/${'1'.repeat(16)}/receipt`, { headers: { accept: 'text/html' } });
    assert.equal(none.status, 404);
    assert.match(await none.text(), /Payment link not found/);
  });

  it('loads nothing from elsewhere, and keeps only what is the same for all', async () => {
    const made = await client.create(body);
    const context = await browser.newContext();
    const page = await context.newPage();
    const replies = new Map<string, string>();
    page.on('response', (reply) => replies.set(reply.url(), reply.headers()['cache-control'] ?? ''));
    await page.goto(made.url, { waitUntil: 'networkidle' });
    assert.ok(replies.size > 8);
    for (const [url, caching] of replies) {
      assert.equal(new URL(url).origin, service.url);
      const { pathname } = new URL(url);
      const ofAll = pathname.startsWith('/pay/icon/') ? 'public, max-age=3600' : 'no-cache';
      assert.equal(caching, /^\/pay(?:-assets|\/icon)\//.test(pathname) ? ofAll : 'no-store', url);
    }
  });

  it('gets a page where there is no such link, and where it has asked too often', async (t) => {
    const { page } = await openPay(browser, `${service.url}/pay/${'1'.repeat(16)}`);
    await page.getByRole('heading', { name: 'Payment link not found' }).waitFor();
    const limited = await startLinkService(t, { PAY_RATE_LIMIT_PER_MINUTE: '1' });
    const made = await limited.client.create(limited.body);
    await page.goto(made.url);
    await page.getByRole('heading', { name: 'Tea house' }).waitFor();
    const reply = await page.goto(made.url);
    assert.deepEqual([reply?.status(), reply?.headers().vary], [429, 'Accept, User-Agent']);
    assert.match(reply?.headers()['retry-after'] ?? '', /^\d+$/);
    await page.getByRole('heading', { name: 'Too many requests' }).waitFor();
  });
});

describe('the page of a payment link on the sandbox', () => {
  it('is paid as alice by keyboard alone, without a wallet', async () => {
    const made = await client.create({ ...body, redirect: 'https://shop.example/' });
    const { page, faults } = await openPay(browser, made.url);
    await payAsAlice(page).waitFor();
    for (let presses = 0; !(await page.evaluate(`document.activeElement.matches('#pay-as')`)); presses += 1) {
      assert.ok(presses < 20, 'Tab leads there');
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await waitForPhase(page, 'final');
    await page.getByRole('heading', { name: 'You paid 1.50 USDC' }).waitFor();
    // Where the payer's eye is, the next key reaches what stops the way back to the shop, which begins by itself.
    assert.equal(await page.evaluate('document.activeElement.id'), 'status');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Stay here');
    const paid = await client.readUntil(made.id, ({ is_final }) => is_final);
    assert.deepEqual([paid.payer, paid.signature], [alice.address, await page.locator('#signature').textContent()]);
    assert.deepEqual(faults, []);
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
    await payAsAlice(page).click();
    await page.getByRole('alert').getByText('The transaction does not do what this page says.').waitFor();
    const [rpcUrl, worldUrl] = [service.sandbox.rpcUrl, `${service.url}/sandbox/world`];
    assert.deepEqual(
      asked.filter((url) => url.startsWith(rpcUrl) || url === worldUrl),
      [],
    );
    assert.equal((await client.read(made.id)).state, 'open');
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
    // The page of the sandbox has what is looked for: the test can fail.
    const sandboxReply = await replyOf((await client.create(body)).url);
    assert.equal(connections(sandboxReply), `connect-src 'self' ${service.sandbox.rpcUrl}`);
    const sandboxPage = await sandboxReply.text();
    assert.ok(sandboxPage.includes('Pay as alice'));
    for (const { secret_key: secret } of world.wallets)
      assert.ok(!sandboxPage.includes(secret), 'keys come when one signs');
  });
});

describe('the image of a QR code', () => {
  it('is an SVG for any page, of the amount that was chosen', async () => {
    const made = await client.create(body);
    const image = await fetch(made.qr_svg_url);
    assert.deepEqual(
      ['content-type', 'access-control-allow-origin', 'cache-control'].map((name) => image.headers.get(name)),
      ['image/svg+xml', '*', 'public, max-age=3600'],
    );
    assert.match(await image.text(), /^<svg /);
    const { amount: _, ...others } = body;
    const range = await client.create({ ...others, amount_min: '1000000', amount_max: '5000000' });
    const images = await Promise.all(
      ['', '?amount=1', '?amount=2'].map(async (query) => (await fetch(range.qr_svg_url + query)).text()),
    );
    assert.equal(images[0], images[1]);
    assert.notEqual(images[1], images[2]);
    const refused = await fetch(`${range.qr_svg_url}?amount=6`);
    assert.deepEqual([refused.status, Object(await refused.json()).code], [400, 'amount_out_of_bounds']);
    // Exact decimal text alone, as wallets send it: what people type is read by the page.
    const typed = await fetch(`${range.qr_svg_url}?amount=2,5`);
    assert.deepEqual([typed.status, Object(await typed.json()).code], [400, 'invalid_amount']);
    assert.equal((await fetch(`${range.qr_svg_url}?amount=2.500`)).status, 200);
    assert.equal((await fetch(`${service.url}/pay/${'1'.repeat(16)}/qr.svg`)).status, 404);
    assert.equal((await fetch(`${service.url}/pay/icon/%3C.svg`)).status, 404);
    assert.equal((await fetch(`${service.url}/pay-assets/pay.js`)).status, 404);
  });
});
