import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { startBrowser } from '../../setup/browser.ts';
import { assertAccessible, openPay, readQrCode, waitForPhase } from '../../setup/pay-browser.ts';
import { startLinkService, unhurried } from '../links/link-service.ts';

const browser = await startBrowser(test);
const { client, service, alice, body, walletOf } = await startLinkService(test, unhurried);

describe('a browser that opens a payment link', () => {
  it('reads its QR code, pays it with a wallet, and sees the payment become final', async () => {
    const made = await client.create({ ...body, message: 'Two cups', memo: 'table 7' });
    const { page, faults } = await openPay(browser, made.url, { wallets: [walletOf(alice)] });
    assert.equal(await readQrCode(page), made.solana_pay_url);
    await page.getByText('Sandbox: test tokens without value').waitFor();
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await waitForPhase(page, 'final');
    await page.getByRole('heading', { name: /^You paid 1\.50 / }).waitFor();
    const paid = await client.readUntil(made.id, ({ is_final }) => is_final);
    assert.equal(await page.locator('#signature').textContent(), paid.signature);
    assert.equal(await page.locator('#payer').textContent(), alice.address);
    assert.deepEqual(faults, []);
    await assertAccessible(page, 'paid');
  });

  it('is the same page with a slash at the end of its address, and pays there', async () => {
    const made = await client.create({ ...body, single_use: false });
    const { page, faults } = await openPay(browser, `${made.url}/`, { wallets: [walletOf(alice)] });
    await page.locator('#code svg').waitFor();
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await waitForPhase(page, 'final');
    await page.goto(made.url);
    await waitForPhase(page, 'final');
    assert.deepEqual(faults, []);
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

  it('loads nothing from elsewhere, and keeps only what never changes', async () => {
    const made = await client.create(body);
    const context = await browser.newContext();
    const page = await context.newPage();
    const replies = new Map<string, string>();
    page.on('response', (reply) => replies.set(reply.url(), reply.headers()['cache-control'] ?? ''));
    await page.goto(made.url, { waitUntil: 'networkidle' });
    assert.ok(replies.size > 8);
    for (const [url, caching] of replies) {
      assert.equal(new URL(url).origin, service.url);
      const isAsset = new URL(url).pathname.startsWith('/pay-assets/');
      assert.equal(caching, isAsset ? 'public, max-age=31536000, immutable' : 'no-store', url);
    }
  });

  it('gets a page where there is no such link, and where it has asked too often', async (t) => {
    const { page } = await openPay(browser, `${service.url}/pay/${'1'.repeat(16)}`);
    await page.getByRole('heading', { name: 'There is no such payment link' }).waitFor();
    const limited = await startLinkService(t, { PAY_RATE_LIMIT_PER_MINUTE: '1' });
    const made = await limited.client.create(limited.body);
    await page.goto(made.url);
    await page.getByRole('heading', { name: 'Tea house' }).waitFor();
    const reply = await page.goto(made.url);
    assert.deepEqual([reply?.status(), reply?.headers().vary], [429, 'Accept']);
    assert.match(reply?.headers()['retry-after'] ?? '', /^\d+$/);
    await page.getByRole('heading', { name: 'Too many requests' }).waitFor();
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
    assert.equal((await fetch(`${service.url}/pay/icon.svg`)).headers.get('content-type'), 'image/svg+xml');
    assert.equal((await fetch(`${service.url}/pay-assets/pay.js`)).status, 404);
  });
});
